//! The page of `cut-off`.

use crate::report::{
    figure::{Axis, Figure, Figures, Mark, Series},
    page::{Page, Section},
    pages::common::{
        Place, figure_section, key_table, notes, number_at, places, rows_table, sentence, words,
    },
    table::Output,
};

/// The ways of treating runs that were cut off.
const WAYS: [(&str, &str, &str); 5] = [
    ("complete_only", "complete", "mean log score, complete runs only"),
    ("simple", "simple", "mean log score, cut-off runs as failures"),
    (
        "exact_plug_in",
        "estimated",
        "mean log score, at the estimated chances of success after the stops",
    ),
    ("exact_known", "known", "mean log score, known chances of success"),
    ("ipcw", "weighted", "mean log score, complete runs weighted"),
];

/// The page of `cut-off`.
pub(super) fn page(output: Output<'_>) -> Page {
    let root = Place { name: String::new(), pointer: String::new() };
    let places = places(output);
    let mut keys: Vec<(&str, &str)> = WAYS.iter().map(|(key, _, words)| (*key, *words)).collect();
    keys.extend([
        ("bounds/low", "least mean, whatever the cut-off runs would have done"),
        ("bounds/high", "largest mean"),
        ("n_complete", "complete runs"),
        ("n_censored", "runs cut off by a budget"),
        ("n_excluded", "runs excluded"),
        ("censoring_rate", "share of runs cut off"),
        ("mean_success_chance", "mean chance of success of cut-off runs"),
        ("success_chance/n_given", "of these chances given"),
        ("success_chance/n_continuations", "of these from continuations"),
        ("success_chance/n_model", "of these by a model of what is not scored"),
        ("success_chance/n_unknown", "cut-off runs without a chance"),
    ]);
    let mut scores =
        figure_section(output, std::slice::from_ref(&root), "treatments").unwrap_or_default();
    scores.title = "Scores by treatment of cut-off runs: do the conclusions agree?".to_owned();
    scores.table = key_table(output, &places, &keys);
    let mut sections = vec![scores];
    let pairs = (0..output.len("/pairs")).map(|i| {
        let pointer = format!("/pairs/{i}");
        let stem = |key: &str| {
            let file = output.text(&format!("{pointer}/{key}"));
            std::path::Path::new(file)
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        };
        (format!("{} minus {}", stem("first"), stem("second")), pointer)
    });
    let columns = [
        ("difference", "difference"),
        ("bounds/low", "least"),
        ("bounds/high", "largest"),
        ("keeps_sign", "same sign whatever happened"),
    ];
    if let Some(table) = rows_table(output, pairs, "files", &columns) {
        sections.push(Section {
            title: "Which file is better, whatever the cut-off runs would have done?".to_owned(),
            table: Some(table),
            note: "Differences of mean log scores on the same runs.".to_owned(),
            ..Section::default()
        });
    }
    let lead = sentence([words(
        "Mean log scores in nats under each way of treating runs that a budget ended before their outcome was known.",
    )]);
    let mut all_notes = notes(output, &[root]);
    all_notes.extend(notes(output, &places));
    Page { title: "Runs that a budget cut off".to_owned(), lead, sections, notes: all_notes }
}

/// The figures of `cut-off` that follow from the output.
pub(super) fn figures(output: Output<'_>) -> Figures {
    let places = places(output);
    let mut series = Vec::new();
    // Side by side, so that files do not hide each other.
    let width = 0.5 / places.len().max(1) as f64;
    for (i, place) in places.iter().enumerate() {
        let shift = (i as f64 - 0.5 * (places.len() as f64 - 1.0)) * width;
        let bound = |end: &str| number_at(output, &format!("{}/bounds/{end}", place.pointer));
        let (low, high) = (bound("low"), bound("high"));
        let points = WAYS.iter().enumerate().filter_map(|(at, (key, ..))| {
            let value = number_at(output, &format!("{}/{key}", place.pointer))?;
            // The bounds are those of the mean over all runs.
            let is_of_all = key.starts_with("exact");
            let end = |bound: Option<f64>| bound.filter(|_| is_of_all).unwrap_or(value);
            Some([at as f64 + shift, value, end(low), end(high)])
        });
        series.push(Series::with_intervals(place.name.clone(), Mark::Dots, points));
    }
    let figure = Figure {
        title: "Scores by treatment of cut-off runs".to_owned(),
        x: Axis::new("treatment").with_categories(WAYS.map(|(_, short, _)| short.to_owned()).into()),
        y: Axis::new("mean log score in nats"),
        series,
        note: "Higher is better. The bars span what the mean over all runs can be, whatever the cut-off runs would have done. Complete: only complete runs. Simple: cut-off runs count as failures. Estimated, known: at chances of success after the stops that are given, counted or modelled, or truly known. Weighted: complete runs stand for similar ones that were cut off.".to_owned(),
    };
    if figure.is_empty() { Figures::new() } else { [("treatments".to_owned(), figure)].into() }
}
