//! The page of `budget`.

use crate::report::{
    figure::{Axis, Figure, Figures, Mark, Series},
    page::{Page, Section},
    pages::common::{
        figure_section, key_table, notes, number_at, places, rows_table, sentence, words,
    },
    table::Output,
};

const FIGURES: [(&str, &str); 24] = [
    ("macro_f1_first_turn", "macro F1 of feasibility at the first turn (higher is better)"),
    ("macro_f1_all_turns", "macro F1 of feasibility over all turns (higher is better)"),
    ("fail_f1", "F1 of \"impossible\" (higher is better)"),
    ("hit_rate", "hit rate (higher is better)"),
    ("interval_reward", "interval reward (higher is better)"),
    ("coverage", "coverage (should equal the claim)"),
    ("claimed_coverage", "coverage as claimed"),
    ("optimistic", "intervals below what remained (lower is better)"),
    ("conservative", "intervals above what remained (lower is better)"),
    ("mean_relative_width", "mean width over what remained (lower is better)"),
    ("mre_p50", "median relative error of the midpoint (lower is better)"),
    ("mre_p90", "90th percentile of that error (lower is better)"),
    ("interval_loss", "interval loss (lower is better)"),
    (
        "linear_reference_reduction",
        "error reduction against linear extrapolation (higher is better)",
    ),
    ("detected_share", "failed runs that were called impossible (higher is better)"),
    ("false_abort_rate", "feasible prefixes called impossible (lower is better)"),
    ("success_lost", "feasible runs that would be lost (lower is better)"),
    (
        "saved_token_share",
        "share of the spending of failed runs that would be saved (higher is better)",
    ),
    ("format_rate", "readable answers (higher is better)"),
    ("n_rollouts", "runs"),
    ("n_feasible_rollouts", "feasible runs"),
    ("n_prefixes", "prefixes"),
    ("n_feasible", "feasible prefixes"),
    ("n_left_out", "runs left out, as a cost is not known"),
];

const PROGRESS: [(&str, &str); 7] = [
    ("n_prefixes", "prefixes"),
    ("n_feasible", "feasible"),
    ("hit_rate", "hit rate"),
    ("interval_reward", "interval reward"),
    ("optimistic", "below what remained"),
    ("conservative", "above what remained"),
    ("alarm_rate", "alarms on failures"),
];

/// The page.
pub(super) fn page(output: Output<'_>) -> Page {
    let places = places(output);
    let first = places.first().map(|place| place.pointer.clone()).unwrap_or_default();
    let lead = sentence([words(format!(
        "What runs would still spend ({}), estimated after each turn by {}, against what they spent.",
        output.text(&format!("{first}/resource")).replace('_', " "),
        output.text(&format!("{first}/estimator")),
    ))]);
    let mut sections = vec![Section {
        title: "How good are the estimates?".to_owned(),
        table: key_table(output, &places, &FIGURES),
        note:
            "Hit rate and reward are over feasible prefixes; an \"impossible\" there scores zero."
                .to_owned(),
        ..Section::default()
    }];
    sections.extend(figure_section(output, &places, "fan"));
    sections.extend(figure_section(output, &places, "chance"));
    if let Some(mut section) = figure_section(output, &places, "coverage_by_progress") {
        let rows = places.iter().flat_map(|place| {
            let list = format!("{}/by_progress", place.pointer);
            (0..output.len(&list)).map(move |i| (place, format!("{list}/{i}")))
        });
        let named = rows.map(|(place, pointer)| {
            let edge = |key: &str| number_at(output, &format!("{pointer}/{key}")).unwrap_or(0.0);
            let bin = format!(
                "{:.0} % to {:.0} % of the turns",
                100.0 * edge("from"),
                100.0 * edge("to")
            );
            let name = if places.len() > 1 { format!("{}: {bin}", place.name) } else { bin };
            (name, pointer)
        });
        section.table = rows_table(output, named, "progress", &PROGRESS);
        sections.push(section);
    }
    sections.extend(figure_section(output, &places, "saved_and_lost"));
    let title = "Estimates of what runs would still spend".to_owned();
    Page { title, lead, sections, notes: notes(output, &places) }
}

/// The figures that follow from the output.
pub(super) fn figures(output: Output<'_>) -> Figures {
    let mut figures = Figures::new();
    let list = "/by_progress";
    let at = |i: usize, key: &str| number_at(output, &format!("{list}/{i}/{key}"));
    let n = output.len(list);
    let curve = |key: &'static str, name: &str| {
        let points =
            (0..n).filter_map(|i| Some((0.5 * (at(i, "from")? + at(i, "to")?), at(i, key)?)));
        Series::new(name, Mark::LineDots, points)
    };
    let mut series = Vec::new();
    if let Some(claim) = number_at(output, "/claimed_coverage") {
        series.push(Series::reference("claimed coverage", (0.0, claim), (1.0, claim)));
    }
    series.extend([
        curve("hit_rate", "interval holds what remained (hit rate)"),
        curve("optimistic", "interval lies below"),
        curve("conservative", "interval lies above"),
    ]);
    let coverage = Figure {
        title: "Coverage by progress: are late estimates better than early ones?".to_owned(),
        x: Axis::new("share of the turns that a run had taken").with_range(0.0, 1.0),
        y: Axis::new("share of feasible prefixes").with_range(0.0, 1.0),
        series,
        note: "Points are the middles of bins of progress. Shares below and above are of the intervals, the hit rate is of all feasible prefixes.".to_owned(),
    };
    let shares = [
        ("saved_token_share", "spending of failed runs saved"),
        ("detected_share", "failed runs detected"),
        ("success_lost", "feasible runs lost"),
        ("false_abort_rate", "feasible prefixes stopped"),
    ];
    let known: Vec<(String, f64)> = shares
        .into_iter()
        .filter_map(|(key, name)| Some((name.to_owned(), number_at(output, &format!("/{key}"))?)))
        .collect();
    let categories = ["saved", "detected", "lost", "stopped"];
    let short = shares
        .iter()
        .zip(categories)
        .filter(|((_, name), _)| known.iter().any(|(known, _)| known == name));
    let saved = Figure {
        title: "Saved and lost: what stopping at the first \"impossible\" would do".to_owned(),
        x: Axis::new("what would happen").with_categories(short.map(|(_, name)| name.to_owned()).collect()),
        y: Axis::new("share").with_range(0.0, 1.0),
        series: vec![Series::bars_of_categories("share", known.iter().map(|(_, share)| *share))],
        note: "Saved: share of what failed runs spent that came after the first \"impossible\". Detected: failed runs with one. Lost: feasible runs with one. Stopped: feasible prefixes called impossible. Good estimates have high bars on the left and low ones on the right.".to_owned(),
    };
    for (name, figure) in [("coverage_by_progress", coverage), ("saved_and_lost", saved)] {
        if !figure.is_empty() {
            figures.insert(name.to_owned(), figure);
        }
    }
    figures
}
