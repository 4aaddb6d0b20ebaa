//! The page of `paths`.

use crate::report::{
    figure::{Axis, Figure, Figures, Mark, Series},
    page::{Page, Section},
    pages::common::{figure_section, key_table, notes, number_at, places, sentence, words},
    table::Output,
};

const SHARES: [(&str, &str, &str); 6] = [
    ("exact_match", "exact", "exact match"),
    ("in_order_match", "ordered", "in-order match"),
    ("any_order_match", "any", "any-order match"),
    ("precision", "precision", "precision"),
    ("recall", "recall", "recall"),
    ("invalid_tool_use_ratio", "invalid", "invalid tool use"),
];

/// The page.
pub(super) fn page(output: Output<'_>) -> Page {
    let places = places(output);
    let keys = [
        ("exact_match", "runs with exactly the expected calls (higher is better)"),
        ("in_order_match", "runs with the expected calls in order (higher is better)"),
        ("any_order_match", "runs with the expected calls in any order (higher is better)"),
        ("precision", "precision of calls (higher is better)"),
        ("recall", "recall of calls (higher is better)"),
        ("aed", "mean edit distance (lower is better)"),
        ("aned", "mean normalized edit distance (lower is better)"),
        ("invalid_tool_use_ratio", "share of calls that failed (lower is better)"),
        ("n", "runs"),
        ("n_tasks", "different tasks"),
    ];
    let mut sections = Vec::new();
    let mut scores = figure_section(output, &places, "matches").unwrap_or_default();
    scores.table = key_table(output, &places, &keys);
    sections.push(scores);
    sections.extend(figure_section(output, &places, "pass_hat_k"));
    let lead =
        sentence([words("Tool calls that agents made, against the calls that were expected.")]);
    let title = "Paths of tool calls".to_owned();
    Page { title, lead, sections: non_empty(sections), notes: notes(output, &places) }
}

fn non_empty(sections: Vec<Section>) -> Vec<Section> {
    sections.into_iter().filter(|s| s.table.is_some() || !s.figures.is_empty()).collect()
}

/// The figures that follow from the output.
pub(super) fn figures(output: Output<'_>) -> Figures {
    let shares: Vec<(&str, f64)> = SHARES
        .iter()
        .filter_map(|(key, short, _)| Some((*short, number_at(output, &format!("/{key}"))?)))
        .collect();
    let matches = Figure {
        title: "Matches: how near are the calls to the expected ones?".to_owned(),
        x: Axis::new("measure").with_categories(shares.iter().map(|(n, _)| (*n).to_owned()).collect()),
        y: Axis::new("share").with_range(0.0, 1.0),
        series: vec![Series::bars_of_categories("mean over runs", shares.iter().map(|(_, s)| *s))],
        note: "A run that matches exactly also matches in order, and one that matches in order also matches in any order. Invalid: calls that failed.".to_owned(),
    };
    let mut points: Vec<(f64, f64)> = output
        .names("/pass_hat_k")
        .into_iter()
        .filter_map(|k| Some((k.parse().ok()?, number_at(output, &format!("/pass_hat_k/{k}"))?)))
        .collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let pass = Figure {
        title: "Reliability of repetition: how likely do k trials of a task all succeed?".to_owned(),
        x: Axis::new("k trials of one task"),
        y: Axis::new("pass^k").with_range(0.0, 1.0),
        series: vec![Series::new("pass^k", Mark::LineDots, points)],
        note: "An agent that solves a task always or never has a level line; one that solves it by chance has a falling one.".to_owned(),
    };
    let all = [("matches", matches), ("pass_hat_k", pass)];
    all.into_iter()
        .filter(|(_, figure)| !figure.is_empty())
        .map(|(name, figure)| (name.to_owned(), figure))
        .collect()
}
