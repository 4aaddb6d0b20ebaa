//! Scores files of agent confidence traces and says how sure the figures are.
//!
//! ```text
//! traces [FILE…] [--schedule linear-front|uniform|exponential-front|linear-back]
//!     [--summary last|mean|minimum|SCHEDULE]
//!     [--calibrate none|platt|isotonic] [--resamples N] [--seed N] [--cluster-by task|run]
//!     [--cluster-by-task] [--pool]
//!     [--missing refuse|leave-out|skip|carry-forward|carry-forward-from=P|clip] [--json]
//!     [--confidence strict|lenient] [--confidence-pattern REGEX] [--at-limit censored|scored] [--scorer NAME]
//! ```
//!
//! Without a file it compares three forecasters on bundled runs (made by `demo-data`).
//! Each file is one stream of forecasts and gets a column; with `--json`, `files` has a report of each where
//! there are several, and `difference` the second minus the first where there are two.
//!
//! A file may also be a log, or a folder of logs: then each model and each stream of confidence in it gets a
//! column.

use std::{
    collections::{BTreeMap, BTreeSet},
    error::Error,
    path::PathBuf,
};

use crate::{
    files::{
        bundled,
        logs::{Judging, confidence_field},
        run_counts,
    },
    output::{
        file_reports::{self, FileReport, Together},
        form::Forms,
        program::Written,
        table::{Layout, number},
    },
    plain,
    progress::working,
    traces::{
        differences::{Difference, Differences, NO_RESAMPLES, Pairing, differences},
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
    /// Whether a report on all columns together is wanted too.
    pool: bool,
    forms: Forms,
}

fn arguments(options: Options) -> Arguments {
    let Options { mut files, schedule, summary, calibrate: calibration, .. } = options;
    let Options { resamples, seed, clustering, missing, confidence: reading, .. } = options;
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
    let cluster_by = clustering.by();
    let settings =
        Settings { schedule, summary, calibration, resamples, seed, cluster_by, with_curves };
    let pool = options.pool;
    Arguments { files, settings, missing, reading, pattern, judging, pool, forms: options.forms }
}

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let arguments = arguments(options);
    if let Some(output) = log_output(&arguments)? {
        return Ok(output);
    }
    let Arguments { files, settings, missing, pool, forms, .. } = arguments;
    let missing = missing.unwrap_or_default();
    if trace_tally::suffices(&settings) {
        let read = |path: &PathBuf| trace_tally::read(path, missing, &settings);
        let all: Vec<TraceTally> = files.iter().map(read).collect::<Result<_, _>>()?;
        let report = |files: &[&TraceTally]| trace_tally::report(files, &settings);
        let pair = |_: &TraceTally, _: &TraceTally| Ok(Err(NO_RESAMPLES.to_owned()));
        return trace_output(&files, &all, &settings, pool, &forms, report, pair);
    }
    let read = |path: &PathBuf| trace_file::read(path, missing);
    let all: Vec<TraceFile> = files.iter().map(read).collect::<Result<_, _>>()?;
    let report = |files: &[&TraceFile]| {
        let runs: Vec<&[Run]> = files.iter().map(|file| file.runs.as_slice()).collect();
        evaluate(&runs, &settings)
    };
    let pair =
        |first: &TraceFile, second: &TraceFile| differences(&first.runs, &second.runs, &settings);
    trace_output(&files, &all, &settings, pool, &forms, report, pair)
}

/// The differences of two columns, or why there are none.
type Compared = Result<Differences, String>;

/// The output for files of traces, by a report on one or more of them.
fn trace_output<T: AsRef<Remarks>>(
    files: &[PathBuf],
    all: &[T],
    settings: &Settings,
    pool: bool,
    forms: &Forms,
    report: impl Fn(&[&T]) -> Result<Report, Box<dyn Error>>,
    pair: impl Fn(&T, &T) -> Result<Compared, Box<dyn Error>>,
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
        reports.push((file, None, report));
    }
    let reports = file_reports::columns(reports);
    let compared = match all {
        [first, second] => Some(working("comparing the files", || pair(first, second))?),
        _ => None,
    };
    let aligned = |layout| {
        let names: Vec<String> = reports.iter().map(|column| column.name.clone()).collect();
        let columns: Vec<&Report> = reports.iter().map(|column| &column.report.report).collect();
        let reference = match &columns[..] {
            [single] => Some(&single.base_rate_reference),
            _ => None,
        };
        let found = compared.as_ref().and_then(|compared| compared.as_ref().ok());
        let runs = names.iter().zip(&reports).map(|(name, of)| (name.as_str(), &of.report.runs));
        let mut text = run_counts::lines(runs);
        text.push_str(&table(&names, &columns, reference, settings, found, layout));
        if let Some(compared) = &compared {
            text.push_str(&difference_table(&names, "difference", compared, layout));
        }
        text.push_str(&counts(&names, &columns));
        Ok(text + &noted(&names, &columns))
    };
    forms.write("traces", aligned, || {
        file_reports::json(&reports, || {
            let mut notes = Vec::new();
            let difference = compared.as_ref().and_then(|compared| {
                notes.extend(notes_on("difference", compared));
                compared.as_ref().ok()
            });
            let mut pooled = None;
            if pool {
                let every: Vec<&T> = all.iter().collect();
                let mut together = working("scoring all files", || report(&every))?;
                together.report.notes.push(file_reports::POOLED.to_owned());
                together.report.notes.append(&mut notes);
                pooled = Some(together);
            }
            Ok(Together { pooled, difference, notes })
        })
    })
}

/// The differences of two columns of logs, stream by stream.
#[derive(serde::Serialize)]
struct StreamDifferences<'a> {
    streams: BTreeMap<&'static str, &'a Differences>,
}

/// The output for logs; `None` if no file is one.
fn log_output(arguments: &Arguments) -> Result<Option<Written>, Box<dyn Error>> {
    let Arguments { files, settings, missing, reading, pattern, judging, pool, forms } = arguments;
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
            Some(models) if place == 0 || !logs.is_empty() => logs.extend(models),
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
    let report = |logs: &[&LogFile]| {
        working("scoring streams", || stream_report::report(logs, settings, of_logs, *reading))
    };
    let mut reports = Vec::new();
    for log in &logs {
        let file = log.file().to_owned();
        let report = report(&[log]).map_err(|error| file_reports::at(&file, error))?;
        reports.push((file, log.model.clone(), report));
    }
    let reports = file_reports::columns(reports);
    let has_stream =
        reports.iter().any(|column| streams_with_runs(&column.report).next().is_some());
    if forms.has_files() && !has_stream {
        return Err("--html, --plot: there is nothing to show, as no run has a stream of confidence and an outcome".into());
    }
    let compared = match &logs[..] {
        [first, second] => compared_streams(first, second, settings)?,
        _ => BTreeMap::new(),
    };
    let aligned = |layout| Ok(log_table(&reports, &compared, settings, layout));
    let json = || {
        file_reports::json(&reports, || {
            let mut pooled = None;
            let mut notes: Vec<String> = Vec::new();
            for (stream, compared) in &compared {
                notes.extend(notes_on(&format!("difference.streams.{stream}"), compared));
            }
            if logs.len() == 2 && compared.is_empty() {
                notes.push("difference: undefined: no stream has runs in both columns".to_owned());
            }
            if *pool {
                let mut together = report(&logs.iter().collect::<Vec<_>>())?;
                together.notes.push(file_reports::POOLED.to_owned());
                together.notes.append(&mut notes);
                pooled = Some(together);
            }
            let found =
                compared.iter().filter_map(|(name, found)| Some((*name, found.as_ref().ok()?)));
            let streams: BTreeMap<_, _> = found.collect();
            let difference = (!streams.is_empty()).then_some(StreamDifferences { streams });
            Ok(Together { pooled, difference, notes })
        })
    };
    forms.write("traces", aligned, json).map(Some)
}

/// The differences of the streams of which both columns have runs.
fn compared_streams(
    first: &LogFile,
    second: &LogFile,
    settings: &Settings,
) -> Result<BTreeMap<&'static str, Compared>, Box<dyn Error>> {
    let mut compared = BTreeMap::new();
    for stream in ConfidenceStream::ALL {
        let ((first, _), (second, _)) = (first.stream(stream)?, second.stream(stream)?);
        if !(first.is_empty() || second.is_empty()) {
            // A calibration that cannot be fitted leaves the figures of the column undefined, too.
            let found = differences(&first, &second, settings);
            let found = found.unwrap_or_else(|error| Err(error.to_string()));
            compared.insert(stream.name(), found);
        }
    }
    Ok(compared)
}

/// The streams of which a log has a run that can be scored.
fn streams_with_runs(report: &StreamReports) -> impl Iterator<Item = (ConfidenceStream, &Report)> {
    ConfidenceStream::ALL.into_iter().filter_map(|stream| {
        let of = &report.streams.get(stream.name())?.report;
        (of.n + of.n_censored > 0).then_some((stream, of))
    })
}

/// The streams that some run has, side by side, and what is left out of each.
fn log_table(
    reports: &[FileReport<StreamReports>],
    compared: &BTreeMap<&'static str, Compared>,
    settings: &Settings,
    layout: Layout,
) -> String {
    let is_one = reports.len() == 1;
    let mut text = String::new();
    let (mut names, mut columns) = (Vec::new(), Vec::new());
    for FileReport { name, report, .. } in reports {
        let named = if is_one { String::new() } else { format!("{name}: ") };
        let counts = report.runs.line();
        text.push_str(&format!("{named}{counts}\n{named}format {}\n", report.format));
        for (stream, of) in streams_with_runs(report) {
            names.push(format!("{named}{stream}"));
            columns.push(of);
        }
    }
    if names.is_empty() {
        text.push_str("no run has a stream of confidence and an outcome\n");
    } else {
        // One reference holds for all streams if they have the same runs.
        let mut references = columns.iter().map(|report| &report.base_rate_reference);
        let first = references.next();
        let reference = first.filter(|first| references.all(|other| other == *first));
        // With one stream each, its difference is that of the columns.
        let found = compared.values().next().filter(|_| columns.len() == 2 && compared.len() == 1);
        let found = found.and_then(|found| found.as_ref().ok());
        text.push_str(&table(&names, &columns, reference, settings, found, layout));
    }
    let of_columns: Vec<String> = reports.iter().map(|column| column.name.clone()).collect();
    for (stream, compared) in compared {
        text.push_str(&difference_table(&of_columns, stream, compared, layout));
    }
    for FileReport { name, report, .. } in reports {
        let named = if is_one { String::new() } else { format!("{name}: ") };
        text.push_str(&stream_report::left_out(&named, report));
    }
    let of_logs: Vec<(&str, &[String])> =
        reports.iter().map(|column| (column.name.as_str(), &column.report.notes[..])).collect();
    text.push_str(&file_reports::notes(&of_logs));
    text + &noted(&names, &columns)
}

fn noted(names: &[String], reports: &[&Report]) -> String {
    let notes = reports.iter().map(|report| report.notes.as_slice());
    let named: Vec<_> = names.iter().map(String::as_str).zip(notes).collect();
    file_reports::notes(&named)
}

/// The notes on the differences under a key of the JSON output.
fn notes_on(key: &str, compared: &Compared) -> Vec<String> {
    match compared {
        Ok(found) => found.notes.iter().map(|note| format!("{key}: {note}")).collect(),
        Err(why) => vec![format!("{key}: undefined: {why}")],
    }
}

/// Which columns have the best value of a metric, if they can be compared.
#[derive(Clone, Copy)]
enum Comparable<'a> {
    /// All columns are on the same complete runs.
    SameRuns,
    /// The intervals of the differences of two columns tell.
    Difference(&'a Differences),
    /// Values of different runs say nothing about which column is better.
    Not,
}

impl<'a> Comparable<'a> {
    fn new(reports: &[&Report], found: Option<&'a Differences>) -> Self {
        let is_same = reports.windows(2).all(|pair| pair[0].runs == pair[1].runs);
        match found {
            _ if is_same => Self::SameRuns,
            Some(found) => Self::Difference(found),
            None => Self::Not,
        }
    }

    /// Whether the best value of a metric is marked.
    fn marks(self, metric: &str) -> bool {
        match self {
            // Its complete runs may be the same and its cut-off runs not.
            _ if metric == CENSORED => false,
            Self::SameRuns => true,
            // These depend on the share of failures, which differs between runs.
            Self::Difference(_) if ["average_precision", "aurc"].contains(&metric) => false,
            Self::Difference(found) => {
                found.metrics.get(metric).copied().flatten().is_some_and(Difference::excludes_zero)
            }
            Self::Not => false,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::SameRuns => "* best",
            Self::Difference(_) => "* better, the interval of the difference excludes 0",
            Self::Not => "columns have different runs",
        }
    }
}

/// The metrics by rows, with the figures of the base rate as last column if given; the best of each row is
/// marked if the columns are comparable.
fn table(
    names: &[String],
    reports: &[&Report],
    reference: Option<&Estimates>,
    settings: &Settings,
    found: Option<&Differences>,
    layout: Layout,
) -> String {
    let comparable = Comparable::new(reports, found);
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
        let is_marked = comparable.marks(metric);
        let cell = |column: &&Estimates| match column[metric] {
            None => "undefined".to_owned(),
            Some(estimate) => {
                let digits = digits(metric);
                let mark = if is_marked && estimate.value == best { "*" } else { " " };
                let interval = match (estimate.ci_low, estimate.ci_high) {
                    (Some(low), Some(high)) => format!(" [{low:.digits$}, {high:.digits$}]"),
                    _ if settings.resamples > 0 => " [undefined]".to_owned(),
                    _ => String::new(),
                };
                format!("{mark}{:.digits$}{interval}", estimate.value)
            }
        };
        let mut row = vec![label(metric, higher_is_better)];
        row.extend(columns.iter().map(cell));
        rows.push(row);
    }
    let by_task = reports.iter().filter(|report| report.clustered_by_task).count();
    let unit = match by_task {
        0 => "runs",
        all if all == reports.len() => "tasks",
        _ => "tasks or runs",
    };
    let mut text = format!(
        "{} weights, calibration {:?}, 95 % intervals from {} resamples of {unit}; {}, (+) higher is better, (-) lower\n\n",
        settings.schedule,
        settings.calibration,
        settings.resamples,
        comparable.words(),
    )
    .replace("calibration None", "no calibration");
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

/// Scores of the family of beta(2, 4) are small.
fn digits(metric: &str) -> usize {
    if metric == "tps_beta_2_4" { 5 } else { 3 }
}

/// What a row is called.
fn label(metric: &str, higher_is_better: bool) -> String {
    let of = if metric == "average_precision" { " of failures" } else { "" };
    let direction = if higher_is_better { "+" } else { "-" };
    format!("{metric}{of} ({direction})")
}

/// The second column minus the first, or why it is undefined.
fn difference_table(names: &[String], what: &str, compared: &Compared, layout: Layout) -> String {
    let [first, second] = names else { return String::new() };
    let found = match compared {
        Err(why) => return format!("\n{}", plain::note(&format!("{what}: undefined: {why}"))),
        Ok(found) => found,
    };
    let mut rows = vec![vec![String::new(), "difference".to_owned(), "SE".to_owned()]];
    for (metric, higher_is_better) in METRICS {
        let digits = digits(metric);
        let mut row = vec![label(metric, higher_is_better)];
        match found.metrics.get(metric).copied().flatten() {
            None => row.push("undefined".to_owned()),
            Some(Difference { value, ci_low, ci_high, standard_error }) => {
                let interval = match (ci_low, ci_high) {
                    (Some(low), Some(high)) => format!("[{low:+.digits$}, {high:+.digits$}]"),
                    _ => "[undefined]".to_owned(),
                };
                row.push(format!("{value:+.digits$} {interval}"));
                row.push(
                    standard_error.map_or("undefined".to_owned(), |e| format!("{e:.digits$}")),
                );
            }
        }
        rows.push(row);
    }
    let paired = match found.pairing {
        Pairing::Runs => "paired by run".to_owned(),
        Pairing::Tasks => format!("paired by task, {} shared", found.n_shared_tasks),
        Pairing::None => "not paired".to_owned(),
    };
    let notes = found.notes.iter().map(|note| plain::note(&format!("{what}: {note}")));
    let heading = format!("{what}: {second} minus {first}, {paired}");
    format!("\n{heading}\n{}{}", layout.table(&rows), notes.collect::<String>())
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
