//! What cross-fitted Platt scaling changes about each metric of a stream, against its noise.
//!
//! ```text
//! calibration [FILE…] [--schedule linear-front|uniform|exponential-front|linear-back]
//!     [--whole-tasks] [--resamples N] [--seed N] [--missing refuse|leave-out|carry-forward|clip]
//!     [--json]
//! ```
//!
//! Reads the files that `traces` reads, each a stream of its own: both streams are resampled together, by
//! task; a run that names no task is one of its own. Without a file it compares the bundled runs of an
//! overconfident and of a truthful forecaster.

use std::{error::Error, path::PathBuf};

use crate::{
    calibration::{
        comparison::{COMPARED, Comparison, ComparisonSettings, compare},
        options::Options,
    },
    files::bundled,
    output::{
        file_reports::{FileReport, at, columns},
        form::Forms,
        program::Written,
        table::Layout,
    },
    plain,
    progress::working,
    traces::trace_file::{self, WithMissing},
};
use serde::Serialize;
use trajectory_metrics::ForecastPolicy;

struct Arguments {
    files: Vec<PathBuf>,
    settings: ComparisonSettings,
    missing: ForecastPolicy,
    forms: Forms,
}

fn arguments(options: Options) -> Arguments {
    let Options { mut files, schedule, whole_tasks, resamples, seed, missing, forms } = options;
    if files.is_empty() {
        files = ["overconfident", "truthful"]
            .map(|name| bundled::path(&format!("demo_{name}.jsonl")))
            .to_vec();
    }
    let settings = ComparisonSettings { schedule, resamples, seed, whole_tasks };
    Arguments { files, settings, missing, forms }
}

#[derive(Serialize)]
struct Report<'a> {
    schedule: &'static str,
    whole_tasks: bool,
    resamples: usize,
    seed: u64,
    files: &'a [FileReport<WithMissing<Comparison>>],
}

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let Arguments { files, settings, missing, forms } = arguments(options);
    let mut reports = Vec::new();
    for path in files {
        let file = path.display().to_string();
        let runs = trace_file::read(&path, missing)?;
        let compared = working(&format!("calibrating {file}"), || compare(&runs.runs, &settings));
        let mut report = compared.map_err(|error| at(&file, error))?;
        report.notes.extend(trace_file::notes(&[&runs]));
        let (counts, missing) = (trace_file::run_counts(&[&runs]), trace_file::missing(&[&runs]));
        let report = WithMissing { runs: counts, report, missing };
        reports.push((file, None, report));
    }
    let reports = columns(reports);
    forms.write(
        "calibration",
        |layout| Ok(text(&reports, &settings, layout)),
        || {
            let report = Report {
                schedule: settings.schedule.name(),
                whole_tasks: settings.whole_tasks,
                resamples: settings.resamples,
                seed: settings.seed,
                files: &reports,
            };
            Ok(serde_json::to_string_pretty(&report)? + "\n")
        },
    )
}

fn text(
    reports: &[FileReport<WithMissing<Comparison>>],
    settings: &ComparisonSettings,
    layout: Layout,
) -> String {
    let split = if settings.whole_tasks { "whole tasks" } else { "runs" };
    let mut text = format!(
        "{} weights, Platt scaling cross-fitted over two halves of {split}, {} resamples of tasks; (+) higher is better, (-) lower\n",
        settings.schedule, settings.resamples,
    );
    for FileReport { name, report, .. } in reports {
        let WithMissing { runs, report: comparison, .. } = report;
        text.push_str(&format!("\n{name}: {}\n", runs.line()));
        text.push_str(&format!(
            "{name}: {} complete traces of {} tasks, {} censored and {} excluded left out; base rate {:.3}; slopes {}\n",
            comparison.n,
            comparison.n_tasks,
            comparison.n_censored,
            comparison.n_excluded,
            comparison.base_rate,
            comparison.slopes.iter().map(|s| format!("{s:.3}")).collect::<Vec<_>>().join(" and "),
        ));
        let header = ["", "raw", "calibrated", "change", "SE", "change/SE"];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        for (metric, higher_is_better) in COMPARED {
            let direction = if higher_is_better { "+" } else { "-" };
            let of = if metric == "average_precision" { " of failures" } else { "" };
            let mut row = vec![format!("{metric}{of} ({direction})")];
            match comparison.metrics.get(metric).copied().flatten() {
                Some(change) => {
                    let digits = if metric == "tps_beta_2_4" { 5 } else { 3 };
                    row.extend([
                        format!("{:.digits$}", change.raw),
                        format!("{:.digits$}", change.calibrated),
                        format!("{:+.digits$}", change.change),
                        change
                            .standard_error
                            .map_or("undefined".to_owned(), |e| format!("{e:.digits$}")),
                        match (change.change_over_se, change.standard_error) {
                            (Some(ratio), _) => format!("{ratio:+.1}"),
                            (None, Some(_)) => "none".to_owned(),
                            (None, None) => "undefined".to_owned(),
                        },
                    ]);
                }
                None => row.push("undefined".to_owned()),
            }
            rows.push(row);
        }
        text.push_str(&layout.table(&rows));
        for note in &comparison.notes {
            text.push_str(&plain::note(note));
        }
    }
    text
}
