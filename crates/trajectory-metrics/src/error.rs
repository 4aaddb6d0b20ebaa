pub(crate) use scoring_rules::Error as Shared;

use crate::{forecast_fault::ForecastFault, no_interval::NoInterval};

/// The reason why an input is invalid or a result is undefined.
///
/// The fields of a variant can become more, so that patterns end in `..`. With the feature `serde` an error is written as
/// its message.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error that the crates share: a forecast outside [0, 1], a setting outside its range, a list whose length
    /// differs from the expected one, empty input, or an undefined result.
    #[error(transparent)]
    ScoringRules(#[from] scoring_rules::Error),
    /// A trace has no forecast.
    #[error("trace {index} is empty; give at least one forecast per trace")]
    #[non_exhaustive]
    EmptyTrace {
        /// Position of the trace, from 0.
        index: usize,
    },
    /// All rows of positive weight have the same outcome. A fit that needs both outcomes also returns this error if
    /// the rarer outcome has less than 1e-12 of the weight.
    #[error(
        "all outcomes are {}, except for less than 1e-12 of the weight; give successes and failures",
        if *.outcome { "successes" } else { "failures" }
    )]
    #[non_exhaustive]
    OneClass {
        /// The outcome of the rows.
        outcome: bool,
    },
    /// A horizon is shorter than its trace.
    #[error("the horizon is {horizon}; it must be at least the {steps} steps of the trace")]
    #[non_exhaustive]
    Horizon {
        /// The horizon as given.
        horizon: usize,
        /// Number of steps of the trace.
        steps: usize,
    },
    /// A horizon is longer than the longest supported run.
    #[error("the horizon is {horizon}; it must be at most 4294967295 steps")]
    #[non_exhaustive]
    HorizonTooLong {
        /// The horizon as given.
        horizon: usize,
    },
    /// A list of custom weights is too short for a horizon.
    #[error("the horizon is {horizon}, but there are {weights} custom weights; give one per step")]
    #[non_exhaustive]
    ScheduleTooShort {
        /// The horizon as given.
        horizon: usize,
        /// The number of custom weights.
        weights: usize,
    },
    /// A name is not one of the known names.
    #[error("no {what} is called {name:?}; the names are {known}")]
    #[non_exhaustive]
    UnknownName {
        /// The kind of thing that the name should denote.
        what: &'static str,
        /// The name as given.
        name: String,
        /// The known names.
        known: &'static str,
    },
    /// A forecast is missing, NaN or outside [0, 1], and the policy does not repair it.
    #[error(
        "step {step}: the forecast is {fault}; give a number from 0 to 1 or a policy that repairs it"
    )]
    #[non_exhaustive]
    Forecast {
        /// The step, from 1.
        step: usize,
        /// The fault of its forecast.
        fault: ForecastFault,
    },
    /// The run has no score because a policy left it out.
    #[error("the run was left out because the forecast of step {step} is {fault}")]
    #[non_exhaustive]
    RunLeftOut {
        /// The step, from 1.
        step: usize,
        /// The fault of its forecast.
        fault: ForecastFault,
    },
    /// A stored run is resumed with another score than that of the original run.
    #[error("the stored run was scored with a different {what}; resume it with that {what}")]
    #[non_exhaustive]
    OtherScore {
        /// The part of the score that differs: `rule` or `weight schedule`.
        what: &'static str,
    },
    /// A logit is NaN.
    #[error("step {step}: the logit is NaN; give a number")]
    #[non_exhaustive]
    Logit {
        /// The step, from 1.
        step: usize,
    },
    /// Inputs do not belong together, or a text cannot be read. The message states which, and what to give instead.
    #[error("{0}")]
    Invalid(String),
    /// The replicates of a statistic give no confidence interval.
    #[error(transparent)]
    NoInterval(#[from] NoInterval),
    /// No calibration map can be fitted to the traces outside a fold.
    #[error("no calibration map can be fitted to the traces outside fold {fold}")]
    #[non_exhaustive]
    Fold {
        /// The fold, from 0.
        fold: usize,
        /// The error of the fit.
        source: Box<Self>,
    },
    /// Two streams that are compared row by row have different outcomes.
    #[error(
        "row {index}: the outcomes of the two samples differ; give the same rows in the same order"
    )]
    #[non_exhaustive]
    OutcomeDiffers {
        /// Position of the first row or trace that differs, from 0.
        index: usize,
    },
    /// More trials are to be drawn than there are.
    #[error("k is {k}, more than the {trials} trials of the task; give a smaller k")]
    #[non_exhaustive]
    TooFewTrials {
        /// The number of trials to be drawn.
        k: u64,
        /// The number of trials given.
        trials: u64,
    },
    /// A rule compares a field that neither of the two calls has.
    #[error(
        "field {field:?} is neither in the call{} nor in the expected call; name fields of the expected call, nested ones with dots, as in time.start",
        tool.as_ref().map(|tool| format!(" of {tool:?}")).unwrap_or_default()
    )]
    #[non_exhaustive]
    UnknownField {
        /// The tool's name, if it is known.
        tool: Option<String>,
        /// The field as the rule names it.
        field: String,
    },
}

scoring_rules::serialize_as_text!(Error);
