//! What to do with runs that were cut off: leave them out, call them failures, score them by their
//! chance of success, weigh the others up, or say how much nobody can know: the subcommand
//! `cut-off`.
//!
//! Without a file it takes the bundled runs (made by the example `demo_data`), of which the true chance of
//! success is known: it is what the truthful stream says at the stop. Each file is one stream of
//! forecasts; where all hold the same runs, every two are compared. An id may stand once in a file.

use std::{collections::BTreeMap, error::Error, path::PathBuf};

use agent_scorecard::{
    cut_off::{CutOffOptions, Hide, METRICS, cut_off, read_chances, read_continuations},
    traces::{Calibration, TraceFile},
};
use censoring::{CensoringAnalysis, CensoringAssumption};
use run_logs::AtLimit;
use trajectory_metrics::{ForecastPolicy, Probability, WeightSchedule};

use crate::{
    files::{
        bundled,
        json_lines::read_by,
        log_file,
        logs::{OUTCOMES, Streamed},
        names::Names,
    },
    output::{form::Forms, program::Written, text::rows},
    progress::working,
    traces, values,
};

/// Compares five ways to count runs that a budget cut off
#[derive(Debug, clap::Args)]
#[command(after_help = [EXAMPLE, CHANCES, traces::FORMAT, &rows(&METRICS), log_file::HELP, OUTCOMES].concat())]
pub(crate) struct Options {
    /// Files of traces, or logs or folders of logs, each a stream with a column, and so is each model of a log, in which an id may stand once; where all files hold the
    /// same runs, every two are compared. Without a file, bundled runs, whose true chances of success are
    /// known
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    names: Names,
    /// Weights of the steps of a run: linear-front, uniform, exponential-front or linear-back
    #[arg(long, default_value = "linear-front")]
    schedule: WeightSchedule,
    /// What is done about forecasts that are missing or outside [0, 1]: refuse, leave-out, skip,
    /// carry-forward, carry-forward-from=P or clip, see below (default: refuse; for logs leave-out)
    #[arg(long, value_name = "POLICY", value_parser = traces::policy)]
    missing: Option<ForecastPolicy>,
    #[command(flatten)]
    read: Streamed,
    /// Calibrate the forecasts before they are scored, fitted on the other half of the runs
    #[arg(long, default_value = "none", value_parser = values::calibration())]
    calibrate: Calibration,
    #[command(flatten)]
    fitted: values::FittedOn,
    /// Count runs that ended as a reply could not be read as cut off; by default they are excluded
    #[arg(long)]
    parse_errors_as_stops: bool,
    /// The declared assumption on why runs were cut off
    #[arg(long, default_value = "non-informative", value_parser = values::one_of([("non-informative", CensoringAssumption::NonInformative), ("failure-side", CensoringAssumption::FailureSide), ("none", CensoringAssumption::None)]))]
    assume: CensoringAssumption,
    /// How wrong the odds of success after a stop may be, for the sensitivity
    #[arg(long, value_name = "X", default_value = "2", value_parser = odds_ratio)]
    odds_ratio: f64,
    /// Resamples of whole tasks
    #[arg(long, value_name = "N", default_value = "1000", value_parser = values::resamples)]
    resamples: usize,
    /// Seed of resamples and of hidden outcomes
    #[arg(long, value_name = "N", default_value = "0", value_parser = values::seed)]
    seed: u64,
    /// Split the shift for this share of the complete runs, each cut off at random
    #[arg(long, value_name = "RATE", value_parser = share, overrides_with = "hide_after")]
    hide: Option<Probability>,
    /// Split the shift for all complete runs, each cut off after this share of its steps
    #[arg(long, value_name = "SHARE", value_parser = share, overrides_with = "hide")]
    hide_after: Option<Probability>,
    /// Chances of success after the stop: JSON Lines with the fields id and success_chance, from 0 to 1. The
    /// field success_chance of a run's own line does the same
    #[arg(long, value_name = "FILE")]
    success_chance: Option<PathBuf>,
    /// Streams that are not scored, from whose forecasts a model of success may learn, besides turn and
    /// task; the same runs in the format of FILE
    #[arg(long, value_name = "FILE")]
    chance_from: Vec<PathBuf>,
    /// Continuations of cut-off runs, which give their chance of success and are audited: JSON Lines with the
    /// fields id, successes, failures, unresolved (optional) and invalid (optional), which are counts
    #[arg(long, value_name = "FILE")]
    continuations: Option<PathBuf>,
    /// Outcomes that a run needs among its continuations; one with fewer has the chance of the model
    #[arg(long, value_name = "N", default_value = "5", value_parser = values::whole::<u64>(1, u64::MAX))]
    min_valid: u64,
    #[command(flatten)]
    forms: Forms,
}

const EXAMPLE: &str = "\
Example: agent-scorecard cut-off runs.jsonl --assume failure-side --plot cut_off.svg
";

const CHANCES: &str = include_str!("help/cut_off_chances.txt");

fn share(text: &str) -> Result<Probability, String> {
    let share = text.parse().map_err(|error: std::num::ParseFloatError| error.to_string())?;
    Probability::new(share).map_err(|error| error.to_string())
}

fn odds_ratio(text: &str) -> Result<f64, String> {
    let value = text.parse().map_err(|error: std::num::ParseFloatError| error.to_string())?;
    let analysis = CensoringAnalysis::new(CensoringAssumption::None).with_odds_ratio(value);
    analysis.map(|_| value).map_err(|error| error.to_string())
}

pub(crate) fn output(mut options: Options) -> Result<Written, Box<dyn Error>> {
    // What is asked is what would be known if a limit hid the outcome.
    options.read.judging.rules.at_limit.get_or_insert(AtLimit::Unknown);
    let is_bundled = options.files.is_empty();
    let demo = ["demo_truthful.jsonl", "demo_overconfident.jsonl", "demo_constant.jsonl"];
    let read = |paths: Vec<(PathBuf, String)>| {
        let mut files = Vec::new();
        for (path, name) in paths {
            for file in log_file::traces((&path, &name), &options.read, options.missing)? {
                file.check_ids()?;
                files.push(file);
            }
        }
        Ok::<Vec<TraceFile>, Box<dyn Error>>(files)
    };
    let files = read(options.names.of(bundled::unless(options.files, &demo))?)?;
    let (given, continued) = (options.success_chance, options.continuations);
    let mut how = CutOffOptions {
        schedule: options.schedule,
        calibration: options.calibrate,
        calibrate_on: options.fitted.calibrate_on,
        parse_errors_as_stops: options.parse_errors_as_stops,
        assumption: options.assume,
        odds_ratio: options.odds_ratio,
        resamples: options.resamples,
        seed: options.seed,
        hide: options.hide.map(Hide::Rate).or(options.hide_after.map(Hide::After)),
        given: match given {
            None => BTreeMap::new(),
            Some(path) => read_by(&path, read_chances)?,
        },
        continuations: continued.map(|path| read_by(&path, read_continuations)).transpose()?,
        min_valid: options.min_valid,
        teachers: read(Names::default().of(options.chance_from)?)?,
        known: None,
    };
    if is_bundled {
        // The world that made these runs is known: it is what the truthful stream, the first one, says at the stop.
        let last = files[0].runs.iter();
        let last = last.filter_map(|run| Some((run.id.clone(), *run.forecasts.last()?)));
        let known = how.known.insert(last.collect());
        if how.given.is_empty() && how.continuations.is_none() && how.teachers.is_empty() {
            how.given.clone_from(known);
        }
    }
    let mut report = working("scoring cut-off runs", || cut_off(&files, &how))?;
    report.together.notes.get_or_insert_default().extend(options.read.judging.notes());
    options.forms.show(report)
}
