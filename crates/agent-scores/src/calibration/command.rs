//! What cross-fitted Platt scaling changes about each metric of a stream, against its noise.
//!
//! ```text
//! calibration [FILE…] [--schedule linear-front|uniform|exponential-front|linear-back]
//!     [--whole-tasks] [--resamples N] [--seed N] [--missing refuse|leave-out|carry-forward|clip]
//!     [--json]
//! ```
//!
//! Reads the files that `traces` reads, each a stream of its own, and asks for a task on every
//! complete run: both streams are resampled together, by task. Without a file it compares the
//! bundled runs of an overconfident and of a truthful forecaster.

use std::{
    error::Error,
    ffi::OsString,
    path::{Path, PathBuf},
};

use crate::{
    calibration::comparison::{COMPARED, Comparison, ComparisonSettings, compare},
    files::bundled,
    output::{
        file_reports::{FileReport, at},
        program,
        table::align,
    },
    traces::trace_file::{self, WithMissing},
};
use lexopt::prelude::*;
use serde::Serialize;
use trajectory_metrics::{ForecastPolicy, WeightSchedule};

const USAGE: &str = "\
calibration [FILE…] [--schedule linear-front|uniform|exponential-front|linear-back]
    [--whole-tasks] [--resamples N] [--seed N] [--missing refuse|leave-out|carry-forward|clip] [--json]

Says what cross-fitted Platt scaling changes about each metric, in standard errors of the change. Each
FILE is a stream of its own; without a FILE the program takes two bundled streams. Every run with an
outcome needs a task, as whole tasks are resampled; standard errors of runs of one task are undefined.
--schedule     weights of the steps of a run, in the fit and in the scores
--whole-tasks  keeps the runs of a task in one half; by default runs are halved by their ids
--resamples N  bootstrap resamples of whole tasks, 1000 by default
--seed N       seed of the bootstrap, 1 by default
--missing      what is done about forecasts that are missing or outside [0, 1], see below
--json         prints one JSON object
";

struct Arguments {
    files: Vec<PathBuf>,
    settings: ComparisonSettings,
    missing: ForecastPolicy,
    json: bool,
}

/// `None` where only the usage is asked for.
fn arguments(given: Vec<OsString>) -> Result<Option<Arguments>, Box<dyn Error>> {
    let mut settings = ComparisonSettings {
        schedule: WeightSchedule::LinearFront,
        resamples: 1_000,
        seed: 1,
        whole_tasks: false,
    };
    let (mut files, mut missing, mut json) = (Vec::new(), ForecastPolicy::Refuse, false);
    let mut parser = lexopt::Parser::from_args(given);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("schedule") => {
                settings.schedule = program::value(&mut parser, "--schedule", str::parse)?;
            }
            Long("whole-tasks") => settings.whole_tasks = true,
            Long("resamples") => {
                settings.resamples =
                    program::value(&mut parser, "--resamples", |text| match text.parse() {
                        Ok(n) if (2..=program::MOST_RESAMPLES).contains(&n) => Ok(n),
                        _ => Err("give a whole number from 2 to 1000000"),
                    })?;
            }
            Long("seed") => {
                settings.seed = program::value(&mut parser, "--seed", program::seed)?;
            }
            Long("missing") => {
                missing = program::value(&mut parser, "--missing", trace_file::policy)?;
            }
            Long("json") => json = true,
            Long("help") | Short('h') => return Ok(None),
            Value(file) => files.push(PathBuf::from(file)),
            _ => return Err(program::unexpected(argument)),
        }
    }
    if files.is_empty() {
        files = ["overconfident", "truthful"]
            .map(|name| bundled::path(&format!("demo_{name}.jsonl")))
            .to_vec();
    }
    Ok(Some(Arguments { files, settings, missing, json }))
}

#[derive(Serialize)]
struct Report {
    schedule: &'static str,
    whole_tasks: bool,
    resamples: usize,
    seed: u64,
    files: Vec<FileReport<WithMissing<Comparison>>>,
}

pub(crate) fn output(given: Vec<OsString>) -> Result<String, Box<dyn Error>> {
    let Some(Arguments { files, settings, missing, json }) = arguments(given)? else {
        return Ok([USAGE, trace_file::FORMAT].concat());
    };
    let mut reports = Vec::new();
    for path in files {
        let file = path.display().to_string();
        let runs = trace_file::read(&path, missing)?;
        let mut report = compare(&runs.runs, &settings).map_err(|error| at(&file, error))?;
        report.notes.extend(trace_file::notes(&[&runs]));
        let report = WithMissing { report, missing: trace_file::missing(&[&runs]) };
        reports.push(FileReport { file, report });
    }
    if json {
        let report = Report {
            schedule: settings.schedule.name(),
            whole_tasks: settings.whole_tasks,
            resamples: settings.resamples,
            seed: settings.seed,
            files: reports,
        };
        return Ok(serde_json::to_string_pretty(&report)? + "\n");
    }
    Ok(text(&reports, &settings))
}

fn text(reports: &[FileReport<WithMissing<Comparison>>], settings: &ComparisonSettings) -> String {
    let split = if settings.whole_tasks { "whole tasks" } else { "runs" };
    let mut text = format!(
        "{} weights, Platt scaling cross-fitted over two halves of {split}, {} resamples of tasks; (+) higher is better, (-) lower\n",
        settings.schedule, settings.resamples,
    );
    for FileReport { file, report: WithMissing { report: comparison, .. } } in reports {
        let name = Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
        text.push_str(&format!(
            "\n{name}: {} complete traces of {} tasks, {} censored and {} excluded left out; base rate {:.3}; slopes {}\n",
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
            let mut row = vec![format!("{metric} ({direction})")];
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
        text.push_str(&align(&rows));
        for note in &comparison.notes {
            text.push_str(&format!("note: {note}\n"));
        }
    }
    text
}
