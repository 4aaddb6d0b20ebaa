//! Scores files of agent confidence traces and says how sure the figures are: the subcommand `traces`.
//!
//! Without a file it compares three forecasters on bundled runs (made by the example `demo_data`).
//! Each file is one stream of forecasts and gets a column; with `--json`, `files` has a report of each where
//! there are several, and `difference` the second minus the first where there are two.
//!
//! A file may also be a log, or a folder of logs: then each model and each stream of confidence in it gets a
//! column.

mod log_file;

use std::{
    error::Error,
    path::{Path, PathBuf},
};

use agent_scorecard::{
    Block, Field, Report, Undefined,
    traces::{
        Calibration, Compared, MEASURES, TraceEvaluation, TraceFigures, TraceFile, TraceOptions,
        TraceRemarks, TraceRun, differences, stream_runs, streams, with_differences,
    },
};
use run_logs::{ConfidenceReading, ConfidenceStream, RunTable, json_lines::RunCounts};
use trajectory_metrics::{ForecastPolicy, Summary, WeightSchedule};

use crate::{
    files::{
        bundled,
        json_lines::{InputError, read_by},
        logs::{Judging, common_format},
    },
    output::{
        form::Forms,
        program::{Written, at},
        text::help,
    },
    progress::working,
    traces::log_file::LogFile,
    values::{self, Clustering},
};

/// Scores the confidence that agents reported along their runs
#[derive(Debug, clap::Args)]
#[command(after_help = [EXAMPLE, &help(&MEASURES), FORMAT, log_file::HELP].concat())]
pub(crate) struct Options {
    /// Files of traces, or logs or folders of logs; each gets a column, and so does each model and each stream
    /// of a log. Without a file, three forecasters on bundled runs are compared
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Weights of the steps of a run: linear-front, uniform, exponential-front or linear-back
    #[arg(long, default_value = "linear-front")]
    schedule: WeightSchedule,
    /// The one forecast per run that ranking and calibration diagnostics are computed from: last, mean,
    /// minimum, or the mean under a schedule (default: under --schedule); trajectory scores use no summary
    #[arg(long)]
    summary: Option<Summary>,
    /// Calibrate the forecasts before they are scored, fitted on the other half of the runs
    #[arg(long, default_value = "none", value_parser = values::calibration())]
    calibrate: Calibration,
    /// Bootstrap resamples behind the 95 % intervals; 0 for no intervals
    #[arg(long, value_name = "N", default_value = "1000", value_parser = values::resamples)]
    resamples: usize,
    /// Seed of the bootstrap
    #[arg(long, value_name = "N", default_value = "1", value_parser = values::seed)]
    seed: u64,
    #[command(flatten)]
    clustering: Clustering,
    /// Add a report on the runs of all columns together to --json
    #[arg(long)]
    pool: bool,
    /// What is done about forecasts that are missing or outside [0, 1]: refuse, leave-out, skip,
    /// carry-forward, carry-forward-from=P or clip, see below (default: refuse; for logs leave-out)
    #[arg(long, value_name = "POLICY", value_parser = policy)]
    missing: Option<ForecastPolicy>,
    #[command(flatten)]
    judging: Judging,
    #[command(flatten)]
    forms: Forms,
    /// Add curves and bins to --json without resamples; with resamples, --html or --plot they are there
    #[arg(long)]
    curves: bool,
}

impl Options {
    /// How traces are scored.
    fn how(&self) -> TraceOptions {
        // Runs that intervals resample are held in memory anyway.
        let is_held = self.curves || self.forms.has_files() || self.resamples > 0;
        TraceOptions {
            schedule: self.schedule.clone(),
            summary: self.summary.clone(),
            calibration: self.calibrate,
            resamples: self.resamples,
            seed: self.seed,
            cluster_by: self.clustering.by(),
            with_pictures: self.forms.has_figures() && is_held,
        }
    }
}

const EXAMPLE: &str = "\
Example: agent-scorecard traces runs.jsonl --fail-if 'tps_log < -0.6'

";

/// The format of a file, for the help of the programs that read it.
pub(crate) const FORMAT: &str = include_str!("help/traces.txt");

/// Reads and checks every run of a file.
pub(crate) fn read(path: &Path, policy: ForecastPolicy) -> Result<TraceFile, InputError> {
    read_by(path, |file, source| TraceFile::read(file, source, policy))
}

/// The policy of this name, as an option spells it.
///
/// # Errors
///
/// One that lists the names.
pub(crate) fn policy(name: &str) -> Result<ForecastPolicy, &'static str> {
    let (policy, first) = name.split_once('=').map_or((name, None), |(a, b)| (a, Some(b)));
    let policy = policy.replace('-', "_");
    let known = first.map_or_else(|| policy.clone(), |first| format!("{policy}={first}")).parse();
    known.map_err(|_| {
        "there are refuse, leave-out, skip, carry-forward, carry-forward-from=P with P from 0 to 1, and clip"
    })
}

pub(crate) fn output(mut options: Options) -> Result<Written, Box<dyn Error>> {
    let names = ["demo_truthful.jsonl", "demo_overconfident.jsonl", "demo_constant.jsonl"];
    options.files = bundled::unless(options.files, &names);
    let how = options.how();
    if let Some(output) = log_output(&options, &how)? {
        return Ok(output);
    }
    let missing = options.missing.unwrap_or_default();
    let read =
        |path: &PathBuf| read_by(path, |file, it| TraceEvaluation::read(file, it, missing, &how));
    let mut all: Vec<(TraceEvaluation, TraceRemarks)> =
        options.files.iter().map(read).collect::<Result<_, _>>()?;
    let mut columns = Vec::new();
    for (path, (evaluation, remarks)) in options.files.iter().zip(&mut all) {
        let file = path.display().to_string();
        let found = working(&format!("scoring {file}"), || {
            evaluation.settle()?;
            evaluation.finish()
        });
        let figures = found.map_err(|error| at(&file, error.into()))?.with_remarks(remarks);
        columns.push((file, figures));
    }
    let is_same_runs = columns.windows(2).all(|pair| pair[0].1.is_of_same_runs(&pair[1].1));
    let compared = match all.as_slice() {
        [(first, _), (second, _)] => {
            vec![("", working("comparing the files", || differences(first, second))?)]
        }
        _ => Vec::new(),
    };
    let columns = columns.into_iter().map(|(file, figures)| (file, None, figures.into_block(&how)));
    let mut report = Report::of_columns(columns.collect());
    if options.pool && all.len() > 1 {
        let (mut every, mut remarks) = (TraceEvaluation::new(&how)?, TraceRemarks::default());
        for (evaluation, of_file) in all {
            every.merge(evaluation)?;
            remarks.merge(of_file);
        }
        let together = working("scoring all files", || every.finish())?;
        report.pool(together.with_remarks(&remarks).into_block(&how), "");
    }
    options.forms.show(with_differences(report, compared, is_same_runs, &how))
}

/// The output for logs; `None` if no file is one.
fn log_output(options: &Options, how: &TraceOptions) -> Result<Option<Written>, Box<dyn Error>> {
    let Options { judging, forms, .. } = options;
    let missing = options.missing.unwrap_or(ForecastPolicy::LeaveOut);
    let mut logs: Vec<LogFile> = Vec::new();
    for (place, path) in options.files.iter().enumerate() {
        match log_file::read(path, judging)? {
            Some(models) if place == 0 || !logs.is_empty() => logs.extend(models),
            None if logs.is_empty() => {}
            _ => return Err("some files are logs and some are traces; score them apart".into()),
        }
    }
    let Some(first) = logs.first() else { return Ok(None) };
    if logs.iter().all(LogFile::is_without_streams) {
        return Err(first.no_stream().into());
    }
    let scored = |logs: &[&LogFile]| {
        working("scoring streams", || of_logs(logs, missing, judging.confidence, how))
    };
    let mut digests: Vec<TraceFigures> = Vec::new();
    let (mut columns, mut parts) = (Vec::new(), Vec::new());
    for log in &logs {
        let (block, streams) = scored(&[log]).map_err(|error| at(log.file(), error))?;
        digests.extend(
            streams.iter().map(|(_, figures)| figures.clone()).filter(TraceFigures::has_runs),
        );
        columns.push((log.file().to_owned(), log.model.clone(), block));
        parts.push(blocks(streams, how));
    }
    if forms.has_files() && digests.is_empty() {
        return Err("--html, --plot: there is nothing to show, as no run has a stream of confidence and an outcome".into());
    }
    let mut report = Report::of_columns(columns);
    for (column, parts) in report.columns.iter_mut().zip(parts) {
        column.parts = ("streams", parts);
    }
    if options.pool && logs.len() > 1 {
        let (mut together, streams) = scored(&logs.iter().collect::<Vec<_>>())?;
        let streams = blocks(streams, how).into_iter();
        let fields = streams.map(|(name, block)| Field::block(name, block));
        together.push_json("streams", &Block::of(fields));
        report.pool(together, "");
    }
    let mut compared = Vec::new();
    if let [first, second] = logs.as_slice() {
        compared = compared_streams(&first.table, &second.table, missing, how)?;
        if compared.is_empty() {
            let note = "difference: undefined: no stream has runs in both columns".to_owned();
            report.together.notes.get_or_insert_default().push(note);
        }
    }
    let is_same_runs = digests.windows(2).all(|pair| pair[0].is_of_same_runs(&pair[1]));
    forms.show(with_differences(report, compared, is_same_runs, how)).map(Some)
}

/// What is said of one or more logs together, and the figures of each stream.
#[expect(clippy::type_complexity)]
fn of_logs(
    logs: &[&LogFile],
    missing: ForecastPolicy,
    reading: ConfidenceReading,
    how: &TraceOptions,
) -> Result<(Block, Vec<(ConfidenceStream, TraceFigures)>), Box<dyn Error>> {
    let tables: Vec<&RunTable> = logs.iter().map(|log| &log.table).collect();
    let streams = streams(&tables, missing, how)?;
    let mut runs = RunCounts::default();
    logs.iter().for_each(|log| log.count(&mut runs));
    let format = common_format(logs.iter().map(|log| log.format));
    let mut block = Block {
        lines: vec![runs.line(), format!("format {format}")],
        notes: Some(logs.iter().flat_map(|log| log.notes.clone()).collect()),
        ..Block::default()
    };
    block.lines.extend(streams.iter().map(|(stream, figures)| line(*stream, figures)));
    block.push_json("format", format);
    block.extend_json(&runs);
    block.push_json("missing", &missing);
    let is_lenient = reading == ConfidenceReading::Lenient;
    block.push_json("confidence", if is_lenient { "lenient" } else { "strict" });
    Ok((block, streams))
}

/// How many runs of a stream are scored, and why others are not.
fn line(stream: ConfidenceStream, figures: &TraceFigures) -> String {
    let TraceFigures { n, n_censored, excluded, .. } = figures;
    let mut text = format!(
        "{stream}: {n} complete traces, {n_censored} censored, {} excluded",
        excluded.values().sum::<u64>()
    );
    if let Some(left_out) = &figures.left_out {
        text.push_str(&format!(", {} left out", left_out.reasons.values().sum::<u64>()));
        if !left_out.reasons.is_empty() {
            let reasons = left_out.reasons.iter().map(|(reason, n)| format!("{n} {reason}"));
            text.push_str(&format!(" ({})", reasons.collect::<Vec<_>>().join(", ")));
        }
        if left_out.n_partial > 0 {
            let n = left_out.n_partial;
            text.push_str(&format!("; {n} of these have a value at some call: --missing skip"));
        }
    }
    text
}

fn blocks(
    streams: Vec<(ConfidenceStream, TraceFigures)>,
    how: &TraceOptions,
) -> Vec<(String, Block)> {
    let block = |(stream, figures): (ConfidenceStream, TraceFigures)| {
        (stream.name().to_owned(), figures.into_block(how))
    };
    streams.into_iter().map(block).collect()
}

/// The differences of the streams of which both columns have runs.
fn compared_streams(
    first: &RunTable,
    second: &RunTable,
    missing: ForecastPolicy,
    how: &TraceOptions,
) -> Result<Vec<(&'static str, Compared)>, Box<dyn Error>> {
    let mut compared = Vec::new();
    for stream in ConfidenceStream::ALL {
        let (first, _) = stream_runs(first, stream, missing)?;
        let (second, _) = stream_runs(second, stream, missing)?;
        if !(first.is_empty() || second.is_empty()) {
            // A calibration that cannot be fitted leaves the figures of the column undefined, too.
            let of = |runs: &[TraceRun]| TraceEvaluation::of(runs, how);
            let found = of(&first).and_then(|first| differences(&first, &of(&second)?));
            let found = found.unwrap_or_else(|error| Err(Undefined::new(error.to_string())));
            compared.push((stream.name(), found));
        }
    }
    Ok(compared)
}
