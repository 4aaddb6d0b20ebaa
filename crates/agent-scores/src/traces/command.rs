//! Scores files of agent confidence traces and says how sure the figures are.
//!
//! ```text
//! traces [FILE…] [--schedule linear-front|uniform|exponential-front|linear-back]
//!     [--summary last|mean|minimum|SCHEDULE]
//!     [--calibrate none|platt|isotonic] [--resamples N] [--seed N] [--cluster-by-task]
//!     [--missing refuse|leave-out|skip|carry-forward|carry-forward-from=P|clip] [--json]
//!     [--confidence strict|lenient] [--confidence-pattern REGEX] [--at-limit censored|scored] [--scorer NAME]
//! ```
//!
//! Without a file it compares three forecasters on bundled runs (made by `demo-data`).
//! Each file is one stream of forecasts and gets a column; with `--json` the figures at the top are
//! over all files together, and `files` has a report of each where there are several.
//!
//! A file may also be a log, or a folder of logs: then each stream of confidence in it gets a column.

use std::{
    collections::BTreeSet,
    error::Error,
    path::{Path, PathBuf},
};

use crate::{
    files::{
        bundled,
        logs::{Judging, confidence_field},
        run_counts,
    },
    output::{
        file_reports::{self, FileReport},
        form::Forms,
        program::Written,
        table::{Layout, number},
    },
    plain,
    progress::working,
    traces::{
        differences::{Differences, NO_RESAMPLES, differences},
        evaluation::{CENSORED, Estimates, METRICS, Report, evaluate},
        log_file::{self, LogFile, LogSettings},
        options::Options,
        settings::Settings,
        stream_report::{self, StreamReports},
        trace_file::{self, Remarks, Run, TraceFile, WithMissing},
        trace_tally::{self, TraceTally},
    },
};
use run_logs::{ConfidenceReading, ConfidenceStream, StreamOptions};
use trajectory_metrics::ForecastPolicy;

struct Arguments {
    files: Vec<PathBuf>,
    settings: Settings,
    missing: Option<ForecastPolicy>,
    reading: ConfidenceReading,
    pattern: Option<String>,
    judging: Judging,
    forms: Forms,
}

fn arguments(options: Options) -> Arguments {
    let Options { mut files, schedule, summary, calibrate: calibration, .. } = options;
    let Options { resamples, seed, cluster_by_task, missing, confidence: reading, .. } = options;
    if files.is_empty() {
        files = ["truthful", "overconfident", "constant"]
            .map(|name| bundled::path(&format!("demo_{name}.jsonl")))
            .to_vec();
    }
    let judging = Judging { at_limit: options.at_limit, scorer: options.scorer };
    let pattern = options.confidence_pattern;
    // Runs that intervals resample are held in memory anyway.
    let is_held = options.curves || options.forms.has_files() || resamples > 0;
    let with_curves = options.forms.has_figures() && is_held;
    let settings =
        Settings { schedule, summary, calibration, resamples, seed, cluster_by_task, with_curves };
    Arguments { files, settings, missing, reading, pattern, judging, forms: options.forms }
}

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let arguments = arguments(options);
    if let Some(output) = log_output(&arguments)? {
        return Ok(output);
    }
    let Arguments { files, settings, missing, forms, .. } = arguments;
    let missing = missing.unwrap_or_default();
    if trace_tally::suffices(&settings) {
        let read = |path: &PathBuf| trace_tally::read(path, missing, &settings);
        let all: Vec<TraceTally> = files.iter().map(read).collect::<Result<_, _>>()?;
        let report = |files: &[&TraceTally]| trace_tally::report(files, &settings);
        let pair = |_: &TraceTally, _: &TraceTally| Ok(Err(NO_RESAMPLES.to_owned()));
        return trace_output(&files, &all, &settings, &forms, report, pair);
    }
    let read = |path: &PathBuf| trace_file::read(path, missing);
    let all: Vec<TraceFile> = files.iter().map(read).collect::<Result<_, _>>()?;
    let report = |files: &[&TraceFile]| {
        let runs: Vec<&[Run]> = files.iter().map(|file| file.runs.as_slice()).collect();
        evaluate(&runs, &settings)
    };
    let pair =
        |first: &TraceFile, second: &TraceFile| differences(&first.runs, &second.runs, &settings);
    trace_output(&files, &all, &settings, &forms, report, pair)
}

/// The output for files of traces, by a report on one or more of them.
fn trace_output<T: AsRef<Remarks>>(
    files: &[PathBuf],
    all: &[T],
    settings: &Settings,
    forms: &Forms,
    report: impl Fn(&[&T]) -> Result<Report, Box<dyn Error>>,
    pair: impl Fn(&T, &T) -> Result<Result<Differences, String>, Box<dyn Error>>,
) -> Result<Written, Box<dyn Error>> {
    let report = |files: &[&T]| -> Result<_, Box<dyn Error>> {
        let mut report = report(files)?;
        report.notes.extend(trace_file::notes(files));
        let (runs, missing) = (trace_file::run_counts(files), trace_file::missing(files));
        Ok(WithMissing { runs, report, missing })
    };
    let mut reports = Vec::new();
    for (path, runs) in files.iter().zip(all) {
        let file = path.display().to_string();
        let report = working(&format!("scoring {file}"), || report(&[runs]))
            .map_err(|error| file_reports::at(&file, error))?;
        reports.push(FileReport { file, report });
    }
    let aligned = |layout| {
        let names = file_reports::names(reports.iter().map(|report| Path::new(&report.file)));
        let columns: Vec<&Report> = reports.iter().map(|report| &report.report.report).collect();
        let reference = match &columns[..] {
            [single] => Some(&single.base_rate_reference),
            _ => None,
        };
        let runs = names.iter().zip(&reports).map(|(name, of)| (name.as_str(), &of.report.runs));
        let mut text = run_counts::lines(runs);
        text.push_str(&table(&names, &columns, reference, settings, true, layout));
        text.push_str(&counts(&names, &columns));
        Ok(text + &noted(&names, &columns))
    };
    forms.write("traces", aligned, || {
        file_reports::json(&reports, || {
            let every: Vec<&T> = all.iter().collect();
            let mut together = working("scoring all files", || report(&every))?;
            together.report.notes.push("these figures are over all files together, a run in two files counting twice; see files".to_owned());
            if let [first, second] = all {
                match working("comparing the files", || pair(first, second))? {
                    Ok(found) => together.report.difference = Some(found),
                    Err(why) => together.report.notes.push(format!("difference: undefined: {why}")),
                }
            }
            Ok(together)
        })
    })
}

/// The output for logs; `None` if no file is one.
fn log_output(arguments: &Arguments) -> Result<Option<Written>, Box<dyn Error>> {
    let Arguments { files, settings, missing, reading, pattern, judging, forms } = arguments;
    let confidence = confidence_field(*reading, pattern.as_deref())?;
    let of_logs = missing.unwrap_or(ForecastPolicy::LeaveOut);
    let log_settings = LogSettings {
        judging: judging.clone(),
        streams: StreamOptions::default().with_confidence(confidence),
        missing: of_logs,
    };
    let mut logs: Vec<LogFile> = Vec::new();
    for (place, path) in files.iter().enumerate() {
        match log_file::read(path, &log_settings)? {
            Some(log) if logs.len() == place => logs.push(log),
            None if logs.is_empty() => {}
            _ => return Err("some files are logs and some are traces; score them apart".into()),
        }
    }
    if logs.is_empty() {
        return Ok(None);
    }
    if let (true, Some(log)) = (logs.iter().all(LogFile::is_without_streams), logs.first()) {
        return Err(log.no_stream().into());
    }
    let together: Vec<&LogFile> = logs.iter().collect();
    let report = |logs: &[&LogFile]| {
        working("scoring streams", || stream_report::report(logs, settings, of_logs, *reading))
    };
    let json = || {
        let mut reports = Vec::new();
        for (path, log) in files.iter().zip(&logs) {
            let file = path.display().to_string();
            let report = report(&[log]).map_err(|error| file_reports::at(&file, error))?;
            reports.push(FileReport { file, report });
        }
        file_reports::json(&reports, || report(&together))
    };
    let aligned = |layout| Ok(log_table(&report(&together)?, settings, layout));
    forms.write("traces", aligned, json).map(Some)
}

/// The streams that some run has, side by side, and what is left out of each.
fn log_table(report: &StreamReports, settings: &Settings, layout: Layout) -> String {
    let streams = ConfidenceStream::ALL.into_iter().filter_map(|stream| {
        let of = &report.streams.get(stream.name())?.report;
        (of.n + of.n_censored > 0).then(|| (stream.name().to_owned(), of))
    });
    let (names, columns): (Vec<String>, Vec<&Report>) = streams.unzip();
    let mut text = format!("{}format {}\n", report.runs.line(None), report.format);
    if names.is_empty() {
        text.push_str("no run has a stream of confidence and an outcome\n");
    } else {
        // Streams of different runs cannot be compared.
        let mut counts = columns.iter().map(|report| report.n + report.n_censored);
        let are_comparable = counts.next().is_some_and(|n| counts.all(|other| other == n));
        // One reference holds for all streams if they have the same runs.
        let mut references = columns.iter().map(|report| &report.base_rate_reference);
        let first = references.next();
        let reference = first.filter(|first| references.all(|other| other == *first));
        text.push_str(&table(&names, &columns, reference, settings, are_comparable, layout));
    }
    text.push_str(&stream_report::left_out(report));
    for note in &report.notes {
        text.push_str(&plain::note(note));
    }
    text + &noted(&names, &columns)
}

fn noted(names: &[String], reports: &[&Report]) -> String {
    let notes = reports.iter().map(|report| report.notes.as_slice());
    let named: Vec<_> = names.iter().map(String::as_str).zip(notes).collect();
    file_reports::notes(&named)
}

/// The metrics by rows, with the figures of the base rate as last column if given; the best of each row is
/// marked if the columns are comparable.
fn table(
    names: &[String],
    reports: &[&Report],
    reference: Option<&Estimates>,
    settings: &Settings,
    are_comparable: bool,
    layout: Layout,
) -> String {
    let mut header = vec![String::new()];
    header.extend(names.iter().cloned());
    let mut columns: Vec<&Estimates> = reports.iter().map(|report| &report.metrics).collect();
    if let Some(reference) = reference {
        header.push("base rate".to_owned());
        columns.push(reference);
    }
    let mut rows = vec![header];
    for (metric, higher_is_better) in METRICS {
        let values = columns.iter().filter_map(|column| column[metric]).map(|e| e.value);
        let best = if higher_is_better {
            values.fold(f64::NEG_INFINITY, f64::max)
        } else {
            values.fold(f64::INFINITY, f64::min)
        };
        let cell = |column: &&Estimates| match column[metric] {
            None => "undefined".to_owned(),
            Some(estimate) => {
                let digits = if metric == "tps_beta_2_4" { 5 } else { 3 };
                // Under its assumption the lowest forecasts on cut-off runs are best.
                let is_best = metric != CENSORED && estimate.value == best;
                let mark = if are_comparable && is_best { "*" } else { " " };
                let interval = match (estimate.ci_low, estimate.ci_high) {
                    (Some(low), Some(high)) => format!(" [{low:.digits$}, {high:.digits$}]"),
                    _ if settings.resamples > 0 => " [undefined]".to_owned(),
                    _ => String::new(),
                };
                format!("{mark}{:.digits$}{interval}", estimate.value)
            }
        };
        let direction = if higher_is_better { "+" } else { "-" };
        let mut row = vec![format!("{metric} ({direction})")];
        row.extend(columns.iter().map(cell));
        rows.push(row);
    }
    let unit = if settings.cluster_by_task { "tasks" } else { "traces" };
    let mut text = format!(
        "{} weights, calibration {:?}, 95 % intervals from {} resamples of {unit}; * best, (+) higher is better, (-) lower\n\n",
        settings.schedule, settings.calibration, settings.resamples,
    )
    .replace("calibration None", "no calibration");
    if !are_comparable {
        text = text.replace("* best", "columns have different runs");
    }
    if let Some(summary) = &settings.summary {
        text = text.replacen(
            " weights,",
            &format!(" weights, diagnostics of the summary {summary},"),
            1,
        );
    }
    text.push_str(&layout.table(&rows));
    text.push_str(&auroc_by_summary(names, reports, layout));
    text
}

/// How many runs of each file are scored, and why others are not.
fn counts(names: &[String], reports: &[&Report]) -> String {
    let mut text = String::new();
    for (name, counts) in names.iter().zip(reports) {
        text.push_str(&format!(
            "\n{name}: {} complete traces, {} censored, {} excluded",
            counts.n, counts.n_censored, counts.n_excluded
        ));
        if !counts.excluded.is_empty() {
            let reasons: Vec<String> =
                counts.excluded.iter().map(|(reason, n)| format!("{n} {reason}")).collect();
            text.push_str(&format!(" ({})", reasons.join(", ")));
        }
        if let Some(rate) = counts.base_rate {
            text.push_str(&format!("; base rate {rate:.3}"));
        }
    }
    text.push('\n');
    text
}

/// How AUROC depends on the summary of a run.
fn auroc_by_summary(names: &[String], reports: &[&Report], layout: Layout) -> String {
    let of = |report: &Report, summary: &str| {
        report.summaries.get(summary).and_then(|diagnostics| diagnostics["auroc"])
    };
    let summaries: BTreeSet<&String> =
        reports.iter().flat_map(|report| report.summaries.keys()).collect();
    if summaries.is_empty() {
        return String::new();
    }
    let mut rows = vec![vec![String::new()]];
    rows[0].extend(names.iter().cloned());
    for summary in summaries {
        let mut row = vec![summary.clone()];
        row.extend(reports.iter().map(|report| number(of(report, summary))));
        rows.push(row);
    }
    let heading = "auroc by summary of a run (the trajectory scores use none)";
    format!("\n{heading}\n{}", layout.table(&rows))
}
