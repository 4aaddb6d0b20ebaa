use std::{collections::BTreeMap, fmt};

use censoring::{Error, StopReason, Stopped};
use serde::Serialize;
use trajectory_metrics::{ForecastCounts, ForecastPolicy, Probability};

/// One run: the probabilities of success that were reported along it, and how it ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceRun {
    /// Names the run; halves for cross-fitting follow its order.
    pub id: String,
    /// Names the task, which several runs may share.
    pub task: Option<String>,
    /// The probability of success that was reported after each step, at least one.
    pub forecasts: Vec<Probability>,
    /// Whether the run succeeded; `None` if that is not known.
    pub outcome: Option<bool>,
    /// Why the run ended, if that is known.
    pub stop: Option<StopReason>,
    /// The number of steps that a run which was cut off would have been scored over.
    pub horizon: Option<usize>,
    /// The probability that a run which was cut off would have succeeded, where it is given.
    pub success_chance: Option<Probability>,
    /// The line of the file that the run was read from, from 1.
    pub line: Option<usize>,
}

impl TraceRun {
    /// The run as the censoring crate sees it.
    ///
    /// # Errors
    ///
    /// Those of [`stopped`].
    pub fn stopped(&self) -> Result<Stopped<'_>, Error> {
        stopped(&self.forecasts, self.outcome, self.stop.as_ref(), self.horizon)
    }
}

/// A run of these forecasts as the censoring crate sees it.
///
/// # Errors
///
/// Those of [`Stopped::new`] and [`Stopped::with_horizon`]: without a forecast, for an outcome that
/// contradicts the reason for the stop, and for a horizon shorter than the run.
pub fn stopped<'a>(
    forecasts: &'a [Probability],
    outcome: Option<bool>,
    stop: Option<&StopReason>,
    horizon: Option<usize>,
) -> Result<Stopped<'a>, Error> {
    let run = Stopped::new(forecasts, outcome, stop.cloned())?;
    match horizon {
        Some(horizon) => run.with_horizon(horizon),
        None => Ok(run),
    }
}

/// What was done about forecasts that are missing or outside [0, 1].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Missing {
    /// What to do about them.
    pub policy: ForecastPolicy,
    /// What was done.
    #[serde(flatten)]
    pub counts: ForecastCounts,
}

impl fmt::Display for Missing {
    /// The note of a report.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { policy, counts } = self;
        let policy = policy.to_string().replace('_', "-");
        write!(f, "forecasts that are missing or outside [0, 1], by --missing {policy}: {counts}")
    }
}

/// Runs of a log that are not in a stream of confidence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LeftOut {
    /// Their number by the reason why their first missing value is missing.
    pub reasons: BTreeMap<&'static str, u64>,
    /// Those of them that have a value at some model call.
    pub n_partial: u64,
}
