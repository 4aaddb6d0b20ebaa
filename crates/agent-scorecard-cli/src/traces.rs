//! Scores files of agent confidence traces, with intervals: the subcommand `traces`.
//!
//! Without a file it compares three forecasters on bundled runs (made by the example `demo_data`).
//! Each file is one stream of forecasts and gets a column; with `--json`, `files` has a report of each where
//! there are several, and `difference` the second minus the first where there are two.
//!
//! A file may also be a log, or a folder of logs: then each model and each stream of confidence in it gets a
//! column.

use std::{error::Error, path::PathBuf};

use agent_scorecard::{
    Block, Column, Field, Position, Report,
    calibration::{CalibrationOptions, Halves, compare},
    options,
    traces::{
        Beside, Calibration, LoggedColumn, MEASURES, StreamFigures, TraceEvaluation, TraceFile,
        TraceOptions, TraceRemarks, TraceSource, VERDICTS, account, compared_streams, differences,
        has_runs, logged_streams, with_differences, without_outcomes,
    },
};
use run_logs::ConfidenceStream;
use trajectory_metrics::ForecastPolicy;

use crate::{
    files::{
        logs::{self, Judging, OUTCOMES, Streamed},
        source::{Names, Source, at},
    },
    output::{options::Forms, program::Written, text::help},
    progress::working,
};

/// Scores the confidence that agents reported along their runs
#[derive(Debug, clap::Args)]
#[command(after_help = [EXAMPLE, &help(&[&VERDICTS[..], &MEASURES].concat()), FORMAT, logs::HELP, OUTCOMES].concat())]
pub(crate) struct Options {
    /// Trace files, logs or folders of logs. Each file has its own column in the report. In a log, each model and each
    /// kind of confidence has its own column. Without a file, bundled runs with three forecasters are used
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    names: Names,
    #[command(flatten)]
    how: TraceOptions,
    /// Report how much cross-fitted Platt scaling changes each figure, in standard errors of the change, instead of the
    /// figures themselves
    #[arg(long, conflicts_with_all = ["summary", "calibrate_on", "cluster_by", "pool", "curves"])]
    change: bool,
    /// How --change splits the runs into two halves. With tasks, the runs of a task are in one half. With runs, the
    /// order of the ids decides, as in the TPS paper, so that a task may have runs in both halves
    #[arg(long, value_name = "WHAT", default_value = "tasks", requires = "change", value_parser = options::names::<Halves>())]
    halves: Halves,
    /// Kind of confidence to read from logs; used only with --change
    #[arg(long, value_name = "NAME", default_value = "stated_confidence", requires = "change", value_parser = options::names::<ConfidenceStream>())]
    stream: ConfidenceStream,
    #[command(flatten)]
    judging: Judging,
    #[command(flatten)]
    forms: Forms,
}

const EXAMPLE: &str = "\
Example: agent-scorecard traces runs.jsonl --fail-if 'tps_log < -0.6'

";

/// The description of the file format, for the help texts of subcommands that read it.
pub(crate) const FORMAT: &str = include_str!("help/traces.txt");

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let Options { files, names, mut how, change, halves, stream, judging, forms } = options;
    // Runs that intervals resample are held in memory anyway.
    let is_held = how.curves || forms.has_files() || how.resamples > 0;
    how.with_pictures = forms.has_figures() && is_held;
    if change {
        let TraceOptions { schedule, calibration, resamples, seed, missing, .. } = how;
        if calibration == Calibration::Isotonic || resamples < 2 {
            return Err("--change: needs Platt scaling and at least 2 --resamples".into());
        }
        let with_pictures = forms.has_figures();
        let how = CalibrationOptions { schedule, halves, resamples, seed, with_pictures };
        let read = Streamed { stream, missing, judging };
        return forms.show(calibrated(names.of(files)?, &how, &read)?);
    }
    forms.show(report(names.of(files)?, &how, &judging, forms.has_files())?)
}

/// Returns the report on these forecasts. With `needs_pictures`, sources without anything to draw are an error.
///
/// # Errors
///
/// Errors of reading and scoring.
pub fn report(
    sources: Vec<Source>,
    how: &TraceOptions,
    judging: &Judging,
    needs_pictures: bool,
) -> Result<Report, Box<dyn Error>> {
    let names = ["demo_truthful.jsonl", "demo_overconfident.jsonl", "demo_constant.jsonl"];
    let sources = Source::unless(sources, &names);
    if let Some(report) = log_report(&sources, how, judging, needs_pictures)? {
        return Ok(report);
    }
    let rules = judging.rules_of_traces(how.missing.unwrap_or_default());
    let (mut all, mut columns, mut accounts) = (Vec::new(), Vec::new(), Vec::new());
    for source in &sources {
        let given = source.given().to_owned();
        all.extend(source.read_by(|file, source| {
            let models = TraceSource::all(file, source, rules)?.into_iter().map(|source| {
                let names = (file.to_owned(), given.clone(), source.model.clone());
                Ok((names, TraceEvaluation::read(file, source, how)?))
            });
            models.collect::<Result<Vec<_>, agent_scorecard::Error>>()
        })?);
    }
    for ((file, name, model), (evaluation, remarks)) in &mut all {
        let found = working(&format!("scoring {file}"), || {
            evaluation.settle()?;
            evaluation.finish(&Beside::from(&*remarks))
        });
        let block = found.map_err(|error| at(file, error.into()))?;
        accounts.push(account(&block, remarks.account()));
        columns.push(Column { name: name.clone(), ..(file.clone(), model.clone(), block).into() });
    }
    let digest = |(_, (evaluation, _)): &(_, (TraceEvaluation, TraceRemarks))| evaluation.digest();
    let is_same_runs = all.windows(2).all(|pair| digest(&pair[0]) == digest(&pair[1]));
    let compared = match all.as_slice() {
        [(_, (first, _)), (_, (second, _))] => {
            vec![("", working("comparing the files", || differences(first, second))?)]
        }
        _ => Vec::new(),
    };
    let mut report = Report::of_columns(columns);
    report.set_accounts(accounts);
    if how.pool && all.len() > 1 {
        let (mut every, mut remarks) = (TraceEvaluation::new(how)?, TraceRemarks::default());
        for (_, (evaluation, of_file)) in all {
            every.merge(evaluation)?;
            remarks.merge(of_file);
        }
        let beside = Beside::from(&remarks);
        let together = working("scoring all files", || every.finish(&beside))?;
        report.pool(together, "");
    }
    Ok(with_differences(report, compared, is_same_runs, how))
}

/// Returns the report on logs; `None` if no source is one.
fn log_report(
    sources: &[Source],
    how: &TraceOptions,
    judging: &Judging,
    needs_pictures: bool,
) -> Result<Option<Report>, Box<dyn Error>> {
    let missing = how.missing.unwrap_or(ForecastPolicy::LeaveOut);
    let mut logs: Vec<LoggedColumn> = Vec::new();
    for (place, source) in sources.iter().enumerate() {
        match logs::read(source, judging)? {
            Some(models) if place == 0 || !logs.is_empty() => logs.extend(models),
            None if logs.is_empty() => {}
            _ => {
                return Err("some files are logs and some are traces; score them separately".into());
            }
        }
    }
    let Some(first) = logs.first() else { return Ok(None) };
    if logs.iter().all(LoggedColumn::is_without_streams) {
        return Err(logs::no_stream(first).into());
    }
    let scored = |logs: &[&LoggedColumn]| {
        working("scoring streams", || logged_streams(logs, missing, judging.confidence, how))
    };
    // What is pooled are scores, which are undefined without outcomes.
    let unscored = if how.pool { None } else { without_outcomes(&logs, missing)? };
    if let Some(mut report) = unscored {
        judging.finish(&mut report);
        return Ok(Some(report));
    }
    let mut digests = Vec::new();
    let (mut columns, mut parts) = (Vec::new(), Vec::new());
    for log in &logs {
        let (block, streams) = scored(&[log]).map_err(|error| at(&log.file, error.into()))?;
        let scored = streams.iter().filter(|(_, block, _)| has_runs(block));
        digests.extend(scored.map(|(.., digest)| *digest));
        let column = (log.file.clone(), log.model.clone(), block).into();
        columns.push(Column { name: log.name.clone(), ..column });
        parts.push(blocks(streams));
    }
    if needs_pictures && digests.is_empty() {
        return Err("--html, --plot: there is nothing to show, because no run has both a stream of confidence and an outcome".into());
    }
    let mut report = Report::of_columns(columns);
    report.set_accounts(logs.iter().map(|log| log.scored_account(missing)));
    for (column, parts) in report.columns.iter_mut().zip(parts) {
        column.parts = ("streams", parts);
    }
    if how.pool && logs.len() > 1 {
        let (mut together, streams) = scored(&logs.iter().collect::<Vec<_>>())?;
        let streams = blocks(streams).into_iter();
        let fields = streams.map(|(name, block)| Field::block(name, block));
        together.push_json("streams", &Block::of(fields));
        report.pool(together, "");
    }
    let mut compared = Vec::new();
    if let [first, second] = logs.as_slice() {
        compared = compared_streams(&first.table, &second.table, missing, how)?;
        if compared.is_empty() {
            let note = "difference: undefined: no stream has runs in both columns".to_owned();
            report.together.say(Position::Note, [note]);
        }
    }
    let is_same_runs = digests.windows(2).all(|pair| pair[0] == pair[1]);
    judging.finish(&mut report);
    Ok(Some(with_differences(report, compared, is_same_runs, how)))
}

fn blocks(streams: Vec<StreamFigures>) -> Vec<(String, Block)> {
    let block = |(stream, block, _): StreamFigures| (stream.name().to_owned(), block);
    streams.into_iter().map(block).collect()
}

/// Returns the report that compares each figure before and after calibration.
///
/// # Errors
///
/// Errors of reading and fitting.
pub fn calibrated(
    sources: Vec<Source>,
    how: &CalibrationOptions,
    read: &Streamed,
) -> Result<Report, Box<dyn Error>> {
    let &CalibrationOptions { resamples, seed, halves, .. } = how;
    let (mut columns, mut accounts) = (Vec::new(), Vec::new());
    for source in Source::unless(sources, &["demo_overconfident.jsonl", "demo_truthful.jsonl"]) {
        let file = source.name();
        for TraceFile { name, model, runs, remarks, .. } in logs::traces(&source, read)? {
            let compared = working(&format!("calibrating {file}"), || compare(&runs, how));
            let mut block = compared.map_err(|error| at(&file, error.into()))?;
            block.say_first(Position::Line, [remarks.runs().line()]);
            block.extend_json(remarks.runs());
            block.push_json("missing", &remarks.missing());
            block.say(Position::Note, remarks.notes());
            let left_out = [("at_limit", "n_censored"), ("no_outcome", "n_excluded")];
            let left_out = left_out.map(|(reason, key)| (reason, block.count(key)));
            accounts.push(remarks.account().without(left_out));
            columns.push(Column { name, ..(file.clone(), model, block).into() });
        }
    }
    let (split, name) = match halves {
        Halves::Tasks => ("whole tasks", "tasks"),
        Halves::Runs => ("runs", "runs"),
    };
    let mut report = Report {
        title: "Forecasts before and after calibration".to_owned(),
        lead: format!(
            "{} weights, Platt scaling cross-fitted over two halves of {split}, {resamples} resamples of tasks; \
             (+) higher is better, (-) lower is better",
            how.schedule,
        ),
        list: Some("files"),
        main_pictures: vec!["reliability"],
        ..Report::of_columns(columns)
    };
    report.set_accounts(accounts);
    report.together.push_json("schedule", how.schedule.name());
    report.together.push_json("halves", name);
    report.together.push_json("resamples", &resamples);
    report.together.push_json("seed", &seed);
    read.judging.finish(&mut report);
    Ok(report)
}
