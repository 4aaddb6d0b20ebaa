//! Pages about streams of forecasts: `traces`, `calibration` and `cut-off`.

use crate::report::{
    figure::{Axis, Figure, Figures, Mark, Series},
    page::{Page, Section},
    pages::common::{
        Place, figure_section, key_table, notes, number_at, places, rows_table, sentence,
        stream_places, words,
    },
    table::{Cell, Output, Table},
};

/// The metrics, in the order of the table, with the direction in which they are better.
const METRICS: [(&str, &str); 9] = [
    ("tps_log", "log score (higher is better)"),
    ("tps_brier", "Brier score (higher is better)"),
    ("tps_beta_2_4", "beta(2, 4) score (higher is better)"),
    ("tps_log_censored_simple", "log score, cut-off runs assumed to fail (higher is better)"),
    ("auroc", "AUROC (higher is better)"),
    ("average_precision", "average precision of failures (higher is better)"),
    ("aurc", "area under risk and coverage (lower is better)"),
    ("t_ece", "calibration error (lower is better)"),
    ("t_brier", "Brier loss of the summary (lower is better)"),
];

/// The metrics of the comparison of raw and calibrated forecasts.
const COMPARED: [&str; 8] = [
    "tps_log",
    "tps_brier",
    "tps_beta_2_4",
    "auroc",
    "average_precision",
    "aurc",
    "t_ece",
    "t_brier",
];

/// The figures of traces, in the order of the page.
const FIGURES: [&str; 5] =
    ["reliability", "forecasts", "risk_coverage", "murphy", "forecast_by_step"];

/// The page of `traces`.
pub(super) fn page(output: Output<'_>) -> Page {
    let places = stream_places(output);
    let mut lead =
        vec![words("Forecasts of success that agents reported along their runs, weights ")];
    let first = places.first().map(|place| place.pointer.clone()).unwrap_or_default();
    lead.push(words(output.text(&format!("{first}/schedule")).to_owned()));
    if output.at(&format!("{first}/resamples")).and_then(serde_json::Value::as_u64) > Some(0) {
        lead.push(words(", with 95 % intervals from "));
        lead.push(output.number(&format!("{first}/resamples")));
        lead.push(words(" bootstrap resamples"));
    }
    lead.push(words("."));
    let mut sections = vec![Section {
        title: "How good are the forecasts?".to_owned(),
        table: Some(metric_table(output, &places)),
        note: "Scores are proper: no forecast does better on average than the true probability, except where cut-off runs are assumed to fail. The base rate, shown where all columns have the same runs, is one constant forecast for all of them; forecasts that are no better carry no information. Average precision and the area under risk and coverage depend on the share of failures: compare them on the same runs only.".to_owned(),
        ..Section::default()
    }];
    sections.extend(differences(output));
    sections.extend(FIGURES.iter().filter_map(|name| figure_section(output, &places, name)));
    sections.push(runs(output, &places));
    let title = "Scores of forecasts along runs".to_owned();
    let of_pairs = output.texts("/notes").into_iter().filter(|note| note.starts_with("difference"));
    let notes = notes(output, &places).into_iter().chain(of_pairs).collect();
    Page { title, lead: sentence(lead), sections, notes }
}

fn metric_table(output: Output<'_>, places: &[Place]) -> Table {
    let mut header = vec!["metric".to_owned()];
    // One reference holds for all columns if they have the same runs.
    let reference = |place: &Place| format!("{}/base_rate_reference", place.pointer);
    let first = places.first().map(reference);
    let common = first.filter(|first| {
        places.iter().all(|place| output.at(&reference(place)) == output.at(first))
    });
    header.extend(places.iter().map(|place| match &*place.name {
        "" => "value".to_owned(),
        name => name.to_owned(),
    }));
    if common.is_some() {
        header.push("base rate".to_owned());
    }
    let mut table = Table::new(header);
    for (metric, name) in METRICS {
        // Scores of this family are small.
        let decimals = Some(if metric == "tps_beta_2_4" { 5 } else { 3 });
        let mut cells: Vec<Cell> = places
            .iter()
            .map(|place| output.estimate(&format!("{}/{metric}", place.pointer), decimals))
            .collect();
        if let Some(reference) = &common {
            cells.push(output.estimate(&format!("{reference}/{metric}"), decimals));
        }
        table.push(name, cells);
    }
    table
}

/// The differences between two columns, if the output has them, stream by stream where columns are logs.
fn differences(output: Output<'_>) -> Vec<Section> {
    let names = output.names("/difference/streams").into_iter();
    let streams = names.map(|name| (format!(": {name}"), format!("/difference/streams/{name}")));
    let alone = (String::new(), "/difference".to_owned());
    std::iter::once(alone)
        .chain(streams)
        .filter_map(|(name, at)| difference(output, &name, &at))
        .collect()
}

fn difference(output: Output<'_>, name: &str, at: &str) -> Option<Section> {
    let names = METRICS.map(|(metric, name)| (name.to_owned(), format!("{at}/{metric}")));
    let rows = names.into_iter().filter(|(_, pointer)| output.at(pointer).is_some());
    let keys = [
        ("value", "difference"),
        ("ci_low", "from"),
        ("ci_high", "to"),
        ("standard_error", "standard error"),
    ];
    let table = rows_table(output, rows, "metric", &keys)?;
    let shared = output.at(&format!("{at}/n_shared_tasks"));
    let note = match output.text(&format!("{at}/pairing")) {
        "runs" => "Both columns have the same complete runs, which are resampled together: differences are paired by run.".to_owned(),
        "tasks" => format!(
            "The runs of each of the {} tasks that both columns have are resampled together, those of other tasks apart.",
            shared.map_or_else(String::new, ToString::to_string)
        ),
        _ => "The columns have no task in common: differences are not paired.".to_owned(),
    };
    Some(Section {
        title: format!(
            "Is {} better than {}?{name}",
            output.text("/files/1/name"),
            output.text("/files/0/name")
        ),
        table: Some(table),
        note: format!("{note} An interval that holds 0 does not say which column is better."),
        ..Section::default()
    })
}

/// How runs ended, and which of them were left out and why.
fn runs(output: Output<'_>, places: &[Place]) -> Section {
    let keys = [
        ("n", "complete runs, which the scores are over"),
        ("n_censored", "runs cut off by a budget"),
        ("n_excluded", "runs excluded"),
        ("n_left_out", "runs without this stream"),
        ("n_tasks", "different tasks"),
        ("base_rate", "share of successes among complete runs"),
    ];
    let mut table = key_table(output, places, &keys).unwrap_or_default();
    for (map, words) in [("stops", "ended by"), ("excluded", "excluded"), ("left_out", "left out")]
    {
        let mut reasons: Vec<&str> = places
            .iter()
            .flat_map(|place| output.names(&format!("{}/{map}", place.pointer)))
            .collect();
        reasons.sort_unstable();
        reasons.dedup();
        for reason in reasons {
            let cell = |place: &Place| {
                let pointer = format!(
                    "{}/{map}/{}",
                    place.pointer,
                    reason.replace('~', "~0").replace('/', "~1")
                );
                match output.at(&pointer) {
                    Some(_) => Cell(vec![output.number(&pointer)]),
                    None => Cell::text("–"),
                }
            };
            table.push(format!("{words}: {reason}"), places.iter().map(cell));
        }
    }
    Section {
        title: "How runs ended, and what was left out".to_owned(),
        table: Some(table),
        note: "A run without an outcome is never counted as a failure.".to_owned(),
        ..Section::default()
    }
}

/// The page of `calibration`.
pub(super) fn calibration_page(output: Output<'_>) -> Page {
    let places = places(output);
    let lead = sentence([
        words(
            "Forecasts as reported, and after Platt scaling that is fitted on the other half of the runs. Standard errors are from ",
        ),
        output.number("/resamples"),
        words(" resamples of whole tasks."),
    ]);
    let keys = [
        ("raw", "raw"),
        ("calibrated", "calibrated"),
        ("change", "change"),
        ("standard_error", "standard error"),
        ("change_over_se", "change / standard error"),
    ];
    let mut sections = Vec::new();
    for place in &places {
        let rows = COMPARED.iter().map(|metric| {
            let name = METRICS.iter().find(|(known, _)| known == metric).map_or(*metric, |m| m.1);
            (name.to_owned(), format!("{}/metrics/{metric}", place.pointer))
        });
        sections.push(Section {
            title: format!("What calibration changes: {}", place.name),
            table: rows_table(output, rows, "metric", &keys),
            note: "Changes of less than two standard errors may be noise.".to_owned(),
            ..Section::default()
        });
    }
    let figures = ["reliability", "risk_coverage", "murphy"];
    sections.extend(figures.iter().filter_map(|name| figure_section(output, &places, name)));
    let keys = [
        ("n", "complete runs"),
        ("n_censored", "runs cut off by a budget, left out"),
        ("n_excluded", "runs excluded"),
        ("n_tasks", "different tasks"),
        ("base_rate", "share of successes"),
        ("slopes/0", "slope of the first map"),
        ("slopes/1", "slope of the second map"),
    ];
    sections.push(Section {
        title: "The runs, and the fitted maps".to_owned(),
        table: key_table(output, &places, &keys),
        ..Section::default()
    });
    let title = "Forecasts before and after calibration".to_owned();
    Page { title, lead, sections, notes: notes(output, &places) }
}

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
pub(super) fn cut_off_page(output: Output<'_>) -> Page {
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
pub(super) fn cut_off_figures(output: Output<'_>) -> Figures {
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
