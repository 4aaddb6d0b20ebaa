//! The page of `logs`.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::report::{
    figure::{Axis, Figure, Figures, Series},
    page::{Page, Section},
    pages::common::{Place, figure_section, notes, rows_table, sentence, words},
    table::Output,
};

/// Runs in the table; the JSON output has all.
const MOST_ROWS: usize = 500;
/// Bars of a figure, at most.
const MOST_BARS: usize = 6;

/// The page.
pub(super) fn page(output: Output<'_>) -> Page {
    let places = [Place { name: String::new(), pointer: String::new() }];
    let n = output.len("/runs");
    let lead = sentence([
        words(format!("The log's format is {}; it has ", output.text("/format"))),
        output.number("/n_runs"),
        words(" runs."),
    ]);
    let mut sections: Vec<Section> = ["endings", "calls"]
        .iter()
        .filter_map(|name| figure_section(output, &places, name))
        .collect();
    let mut scores: Vec<&str> =
        (0..n).flat_map(|i| output.names(&format!("/runs/{i}/scores"))).collect();
    scores.sort_unstable();
    scores.dedup();
    let scores: Vec<(String, String)> = scores
        .into_iter()
        .map(|name| {
            let pointer = name.replace('~', "~0").replace('/', "~1");
            (format!("scores/{pointer}"), format!("score {name}"))
        })
        .collect();
    let mut keys: Vec<(&str, &str)> =
        vec![("task", "task"), ("model", "model"), ("outcome", "success")];
    keys.extend(scores.iter().map(|(key, words)| (key.as_str(), words.as_str())));
    keys.extend([
        ("stop", "stop"),
        ("limit/type", "limit"),
        ("error", "error"),
        ("n_model_calls", "model calls"),
        ("usage/input_tokens", "input tokens"),
        ("usage/output_tokens", "output tokens"),
        ("usage/cost_usd", "cost in USD"),
    ]);
    let rows = (0..n.min(MOST_ROWS)).map(|i| {
        let pointer = format!("/runs/{i}");
        (output.text(&format!("{pointer}/id")).to_owned(), pointer)
    });
    let note = if n > MOST_ROWS {
        format!("The first {MOST_ROWS} runs are listed; the JSON output has all.")
    } else {
        String::new()
    };
    sections.push(Section {
        title: "The runs".to_owned(),
        table: rows_table(output, rows, "run", &keys),
        note,
        ..Section::default()
    });
    Page { title: "What is in this log".to_owned(), lead, sections, notes: notes(output, &places) }
}

/// The figures that follow from the runs, each as in the JSON output. One run is looked at at a time, as the JSON
/// output of a large log is large.
pub(crate) fn figures(runs: impl Iterator<Item = Value>) -> Figures {
    let (mut endings, mut calls) = (BTreeMap::new(), BTreeMap::new());
    for run in runs {
        let at = |key: &str| run.pointer(&format!("/{key}"));
        let text = |key: &str| at(key).and_then(Value::as_str).map(str::to_owned);
        let is_error = at("error").and_then(Value::as_bool) == Some(true);
        let ending =
            match (text("limit/type"), text("stop"), at("outcome").and_then(Value::as_bool)) {
                (Some(limit), ..) => limit,
                (None, Some(stop), _) => stop,
                _ if is_error => "error".to_owned(),
                (.., Some(true)) => "success".to_owned(),
                (.., Some(false)) => "failure".to_owned(),
                _ => "unknown".to_owned(),
            };
        *endings.entry(ending).or_insert(0.0) += 1.0;
        for call in at("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            if let Some(name) = call.get("name").and_then(Value::as_str) {
                *calls.entry(name.to_owned()).or_insert(0.0) += 1.0;
            }
        }
    }
    let figure = |counts: BTreeMap<String, f64>, title: &str, x: &str, y: &str| {
        let mut counts: Vec<(String, f64)> = counts.into_iter().collect();
        counts.sort_by(|a, b| b.1.total_cmp(&a.1));
        let others: f64 = counts.iter().skip(MOST_BARS).map(|(_, count)| count).sum();
        counts.truncate(MOST_BARS);
        if others > 0.0 {
            counts.push(("others".to_owned(), others));
        }
        Figure {
            title: title.to_owned(),
            x: Axis::new(x).with_categories(counts.iter().map(|(name, _)| name.clone()).collect()),
            y: Axis::new(y),
            series: vec![Series::bars_of_categories(y, counts.iter().map(|(_, count)| *count))],
            note: String::new(),
        }
    };
    let all = [
        ("endings", figure(endings, "Endings: how did the runs end?", "how a run ended", "runs")),
        ("calls", figure(calls, "Tools: which were called most?", "tool", "calls")),
    ];
    all.into_iter()
        .filter(|(_, figure)| !figure.is_empty())
        .map(|(name, figure)| (name.to_owned(), figure))
        .collect()
}
