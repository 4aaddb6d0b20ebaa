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
//! Without a file it compares three forecasters on bundled runs (made by the example `demo_data`).
//! Each file is one stream of forecasts and gets a column; with `--json`, `files` has a report of each where
//! there are several, and `difference` the second minus the first where there are two.
//!
//! A file may also be a log, or a folder of logs: then each model and each stream of confidence in it gets a
//! column.

use std::{
    error::Error,
    path::{Path, PathBuf},
};

use agent_scorecard::{
    Block, Field, Report, Undefined,
    traces::{
        Compared, TraceEvaluation, TraceFigures, TraceOptions, TraceRemarks, TraceRun, differences,
        fold_traces, stream_runs, streams, with_differences,
    },
};
use censoring::StopClass;
use run_logs::{ConfidenceReading, ConfidenceStream, RunTable, StreamOptions};
use trajectory_metrics::ForecastPolicy;

use crate::{
    files::{
        bundled,
        json_lines::open,
        logs::{Judging, common_format, confidence_field},
        run_counts::RunCounts,
    },
    output::program::{Written, at},
    progress::working,
    traces::{
        log_file::{self, LogFile, LogSettings},
        options::Options,
    },
    values::ClusterBy,
};

pub(crate) fn output(mut options: Options) -> Result<Written, Box<dyn Error>> {
    if options.files.is_empty() {
        options.files = ["truthful", "overconfident", "constant"]
            .map(|name| bundled::path(&format!("demo_{name}.jsonl")))
            .to_vec();
    }
    let how = options.how();
    if let Some(output) = log_output(&options, &how)? {
        return Ok(output);
    }
    let missing = options.missing.unwrap_or_default();
    let read = |path: &PathBuf| column(path, missing, &how);
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

/// Reads and evaluates a file of traces, with all threads.
fn column(
    path: &Path,
    missing: ForecastPolicy,
    how: &TraceOptions,
) -> Result<(TraceEvaluation, TraceRemarks), Box<dyn Error>> {
    type Problem = Box<dyn Error + Send + Sync>;
    let file = path.display().to_string();
    let needs_task = how.cluster_by == ClusterBy::TaskOnly && how.resamples > 0;
    let mut column = TraceEvaluation::new(how)?;
    let mut merged = Ok(());
    let remarks = fold_traces(
        &file,
        open(path)?,
        missing,
        |part: &mut Option<TraceEvaluation>, run| {
            if needs_task && run.task.is_none() && run.stopped()?.class() != StopClass::Excluded {
                return Err(run
                    .error(&file, "task", "missing; --cluster-by-task needs one")
                    .into());
            }
            let part = match part {
                Some(part) => part,
                None => part.insert(TraceEvaluation::new(how)?),
            };
            Ok(part.update(&run)?)
        },
        Ok,
        |part| {
            if let (Ok(()), Some(part)) = (&merged, part) {
                merged = column.merge(part);
            }
        },
    )
    .map_err(|error: Problem| -> Box<dyn Error> { error })?;
    merged?;
    Ok((column, remarks))
}

/// The output for logs; `None` if no file is one.
fn log_output(options: &Options, how: &TraceOptions) -> Result<Option<Written>, Box<dyn Error>> {
    let Options { confidence: reading, confidence_pattern: pattern, forms, .. } = options;
    let confidence = confidence_field(*reading, pattern.as_deref())?;
    let missing = options.missing.unwrap_or(ForecastPolicy::LeaveOut);
    let judging = Judging { at_limit: options.at_limit, scorer: options.scorer.clone() };
    let streams = StreamOptions { confidence, ..StreamOptions::default() };
    let log_settings = LogSettings { judging, streams };
    let mut logs: Vec<LogFile> = Vec::new();
    for (place, path) in options.files.iter().enumerate() {
        match log_file::read(path, &log_settings)? {
            Some(models) if place == 0 || !logs.is_empty() => logs.extend(models),
            None if logs.is_empty() => {}
            _ => return Err("some files are logs and some are traces; score them apart".into()),
        }
    }
    let Some(first) = logs.first() else { return Ok(None) };
    if logs.iter().all(LogFile::is_without_streams) {
        return Err(first.no_stream().into());
    }
    let scored =
        |logs: &[&LogFile]| working("scoring streams", || of_logs(logs, missing, *reading, how));
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
        let fields = streams.map(|(name, block)| Field::block(name, block)).collect();
        together.push_json("streams", &Block { fields, ..Block::default() });
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
