//! The options of `cut-off`.

use std::path::PathBuf;

use agent_scorecard::{
    cut_off::{CutOffOptions, Hide},
    traces::Calibration,
};
use censoring::{CensoringAnalysis, CensoringAssumption};
use trajectory_metrics::{ForecastPolicy, Probability, WeightSchedule};

use crate::{output::form::Forms, traces::trace_file, values};

/// Compares five ways to count runs that a budget cut off
#[derive(Debug, clap::Args)]
#[command(after_help = [EXAMPLE, CHANCES, trace_file::FORMAT].concat())]
pub(crate) struct Options {
    /// Files of traces, each a stream with a column, in which an id may stand once; where all files hold the
    /// same runs, every two are compared. Without a file, bundled runs, whose true chances of success are
    /// known
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Weights of the steps of a run: linear-front, uniform, exponential-front or linear-back
    #[arg(long, default_value = "linear-front")]
    pub(crate) schedule: WeightSchedule,
    /// What is done about forecasts that are missing or outside [0, 1]: refuse, leave-out, skip,
    /// carry-forward, carry-forward-from=P or clip, see below
    #[arg(long, default_value = "refuse", value_parser = trace_file::policy)]
    pub(crate) missing: ForecastPolicy,
    /// Calibrate forecasts by maps of the complete runs of other tasks: none, platt or isotonic
    #[arg(long, default_value = "none", value_parser = values::calibration)]
    pub(crate) calibrate: Calibration,
    /// The declared assumption on why runs were cut off: non-informative, failure-side or none
    #[arg(long, default_value = "non-informative", value_parser = assumption)]
    pub(crate) assume: CensoringAssumption,
    /// How wrong the odds of success after a stop may be, for the sensitivity
    #[arg(long, value_name = "X", default_value = "2", value_parser = odds_ratio)]
    pub(crate) odds_ratio: f64,
    /// Resamples of whole tasks
    #[arg(long, value_name = "N", default_value = "1000", value_parser = values::resamples)]
    pub(crate) resamples: usize,
    /// Seed of resamples and of hidden outcomes
    #[arg(long, value_name = "N", default_value = "0", value_parser = values::seed)]
    pub(crate) seed: u64,
    /// Split the shift for this share of the complete runs, each cut off at random
    #[arg(long, value_name = "RATE", value_parser = share, overrides_with = "hide_after")]
    pub(crate) hide: Option<Probability>,
    /// Split the shift for all complete runs, each cut off after this share of its steps
    #[arg(long, value_name = "SHARE", value_parser = share, overrides_with = "hide")]
    pub(crate) hide_after: Option<Probability>,
    /// Chances of success after the stop: JSON Lines with the fields id and success_chance, from 0 to 1. The
    /// field success_chance of a run's own line does the same
    #[arg(long, value_name = "FILE")]
    pub(crate) success_chance: Option<PathBuf>,
    /// Streams that are not scored, from whose forecasts a model of success may learn, besides turn and
    /// task; the same runs in the format of FILE
    #[arg(long, value_name = "FILE")]
    pub(crate) chance_from: Vec<PathBuf>,
    /// Continuations of cut-off runs, which give their chance of success and are audited: JSON Lines with the
    /// fields id, successes, failures, unresolved (optional) and invalid (optional), which are counts
    #[arg(long, value_name = "FILE")]
    pub(crate) continuations: Option<PathBuf>,
    /// Outcomes that a run needs among its continuations; one with fewer has the chance of the model
    #[arg(long, value_name = "N", default_value = "5", value_parser = min_valid)]
    pub(crate) min_valid: u64,
    #[command(flatten)]
    pub(crate) forms: Forms,
}

impl Options {
    /// How runs are scored, without what stands in files.
    pub(crate) fn how(&self) -> CutOffOptions {
        CutOffOptions {
            schedule: self.schedule.clone(),
            calibration: self.calibrate,
            assumption: self.assume,
            odds_ratio: self.odds_ratio,
            resamples: self.resamples,
            seed: self.seed,
            hide: self.hide.map(Hide::Rate).or(self.hide_after.map(Hide::After)),
            min_valid: self.min_valid,
            ..CutOffOptions::default()
        }
    }
}

const EXAMPLE: &str = "\
Example: agent-scorecard cut-off runs.jsonl --assume failure-side --plot cut_off.svg
";

const CHANCES: &str = "
The exact mean needs the chance of success of each run that was cut off, and no forecast that is scored ever
teaches it: the first of
  1. the field success_chance, or --success-chance; it is taken to be right. A run has one chance, whichever
     file it stands in; two are an error
  2. the share of successes among at least --min-valid outcomes of its --continuations, which are taken to
     have gone on as the run would have
  3. a model of the turn, of the success rate of the other runs of the task, and of --chance-from. It learns
     from the continuations of other tasks, or from complete runs if there are none. It is refused, and the
     exact mean is null, if complete runs did not go on after the turns where others were cut off, or if a
     scored stream tells outcomes apart that the model takes for alike. --chance-from is taken to be made
     without regard to the scored streams; one that repeats their forecasts is refused.
";

fn share(text: &str) -> Result<Probability, String> {
    let share = text.parse().map_err(|error: std::num::ParseFloatError| error.to_string())?;
    Probability::new(share).map_err(|error| error.to_string())
}

fn assumption(text: &str) -> Result<CensoringAssumption, &'static str> {
    match text {
        "non-informative" => Ok(CensoringAssumption::NonInformative),
        "failure-side" => Ok(CensoringAssumption::FailureSide),
        "none" => Ok(CensoringAssumption::None),
        _ => Err("give non-informative, failure-side or none"),
    }
}

fn odds_ratio(text: &str) -> Result<f64, String> {
    let value = text.parse().map_err(|error: std::num::ParseFloatError| error.to_string())?;
    let analysis = CensoringAnalysis::new(CensoringAssumption::None).with_odds_ratio(value);
    analysis.map(|_| value).map_err(|error| error.to_string())
}

fn min_valid(text: &str) -> Result<u64, String> {
    match text.parse().map_err(|error: std::num::ParseIntError| error.to_string())? {
        0 => Err("give at least 1".to_owned()),
        value => Ok(value),
    }
}
