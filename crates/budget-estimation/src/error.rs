use censoring::StopReason;

use crate::{answer_error::AnswerError, cap_reason::cap_reason, short_number::Short};

/// The reason why an input is invalid or a number is undefined. With the feature `serde` it is written as its message.
/// Variants may get more fields, so patterns must end in `..`.
///
/// ```
/// use budget_estimation::{Error, Rollouts};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// let error = rollouts.push(&[10.0, -5.0], true).unwrap_err();
/// assert!(matches!(error, Error::Cost { turn: 2, value: -5.0, .. }));
/// assert_eq!(error.to_string(), "rollout 0, turn 2: tokens is -5; give a number from 0 to 1e100");
/// # Ok::<(), Error>(())
/// ```
///
/// ```compile_fail,E0638
/// # let error = budget_estimation::Error::RunEnded;
/// let is_name = matches!(error, budget_estimation::Error::ResourceName { name: _ });
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of the crate `scoring_rules`, which all crates share: an invalid setting, value or weight,
    /// arguments of different lengths, an empty input, or an undefined result.
    #[error(transparent)]
    ScoringRules(#[from] scoring_rules::Error),
    /// An error of the crate `trajectory_metrics`, in a bootstrap.
    #[error(transparent)]
    TrajectoryMetrics(trajectory_metrics::Error),
    /// An error of the crate `censoring`, in the model that predicts success.
    #[error(transparent)]
    Censoring(censoring::Error),
    /// The name of a resource is empty or repeated.
    #[error("resource name {name:?} is empty or repeated; give each resource its own name")]
    #[non_exhaustive]
    ResourceName {
        /// The given name.
        name: String,
    },
    /// No resource has this name or handle.
    #[error("there is no resource {name}; use one of the resources that were declared")]
    #[non_exhaustive]
    NoSuchResource {
        /// The name that was given, or the position in a handle that belongs to other rollouts.
        name: String,
    },
    /// The name of a key or feature is empty, taken, or a field with another meaning.
    #[error(
        "{name:?} cannot name a key or feature; give a name that is not empty, not taken and not a field of the format"
    )]
    #[non_exhaustive]
    ColumnName {
        /// The given name.
        name: String,
    },
    /// No key or feature has this name.
    #[error("there is no key or feature {name:?}; declare it with `with_keys` or `with_features`")]
    #[non_exhaustive]
    NoSuchColumn {
        /// The given name.
        name: String,
    },
    /// A numeric feature is NaN or too large.
    #[error(
        "rollout {rollout}, turn {turn}: {name} is {}; give a number from -1e100 to 1e100",
        Short(*value)
    )]
    #[non_exhaustive]
    Feature {
        /// Position of the rollout, from 0.
        rollout: usize,
        /// The turn, from 1; 0 for the facts known before the first turn.
        turn: usize,
        /// Name of the feature.
        name: String,
        /// The given number.
        value: f64,
    },
    /// There is no rollout at this position.
    #[error("there is no rollout {rollout}; there are {rollouts} rollouts, counted from 0")]
    #[non_exhaustive]
    NoSuchRollout {
        /// The requested position.
        rollout: usize,
        /// The number of rollouts.
        rollouts: usize,
    },
    /// A rollout does not have this turn, or the prefix of that length cannot be scored.
    #[error("rollout {rollout}: turn {turn} is out of range; the rollout has {turns} turns")]
    #[non_exhaustive]
    NoSuchTurn {
        /// Position of the rollout, from 0.
        rollout: usize,
        /// The requested number of completed turns.
        turn: usize,
        /// The number of turns of the rollout.
        turns: usize,
    },
    /// A rollout does not have one cost per turn and resource.
    #[error("rollout {rollout}: the number of costs is {found}; give {resources} for each turn")]
    #[non_exhaustive]
    CostCount {
        /// Position of the rollout, from 0.
        rollout: usize,
        /// The number of costs given.
        found: usize,
        /// The number of resources.
        resources: usize,
    },
    /// A cost is negative, too large or NaN.
    #[error(
        "rollout {rollout}, turn {turn}: {resource} is {}; give a number from 0 to 1e100",
        Short(*value)
    )]
    #[non_exhaustive]
    Cost {
        /// Position of the rollout, from 0.
        rollout: usize,
        /// The turn, from 1.
        turn: usize,
        /// Name of the resource.
        resource: String,
        /// The given cost.
        value: f64,
    },
    /// A required cost is unknown.
    #[error("rollout {rollout}, turn {turn}: {resource} is unknown; leave this rollout out")]
    #[non_exhaustive]
    UnknownCost {
        /// Position of the rollout, from 0.
        rollout: usize,
        /// The first turn with an unknown cost, from 1.
        turn: usize,
        /// Name of the resource.
        resource: String,
    },
    /// A cap is negative, too large or NaN.
    #[error("the cap on {resource} is {}; give a number from 0 to 1e100", Short(*value))]
    #[non_exhaustive]
    Cap {
        /// Name of the resource.
        resource: String,
        /// The given cap.
        value: f64,
    },
    /// The lower bound of an estimate is below 0.
    #[error("an estimate runs from {} to {}; give bounds of at least 0", Short(*low), Short(*high))]
    #[non_exhaustive]
    NegativeEstimate {
        /// The lower bound.
        low: f64,
        /// The upper bound.
        high: f64,
    },
    /// A line of a file cannot be read or written.
    #[error("line {line}: {field}{}{problem}", if field.is_empty() { "" } else { ": " })]
    #[non_exhaustive]
    Line {
        /// The line, from 1.
        line: usize,
        /// The field, such as `turns[3].cost_usd`; empty if the problem is the whole line.
        field: String,
        /// The problem.
        problem: String,
    },
    /// The answer of a model cannot be read.
    #[error(transparent)]
    Answer(#[from] AnswerError),
    /// An estimator failed with its own error.
    #[error("the estimator failed: {reason}")]
    #[non_exhaustive]
    Estimator {
        /// The reason.
        reason: String,
    },
    /// An amount of a budget, or a cap, is negative, too large or NaN.
    #[error("{} {resource}; give an amount from 0 to {}", Short(*value), Short(*most))]
    #[non_exhaustive]
    Amount {
        /// Name of the resource.
        resource: String,
        /// The given amount.
        value: f64,
        /// The largest valid amount.
        most: f64,
    },
    /// A reservation does not fit into the remaining budget.
    #[error("cannot reserve {asked} {resource}: {left} left")]
    #[non_exhaustive]
    OverBudget {
        /// Name of the resource.
        resource: String,
        /// The amount that was asked for.
        asked: f64,
        /// The amount left, negative if a cap is exceeded.
        left: f64,
    },
    /// A budget was stopped, and takes no further reservation.
    #[error("this budget takes no further reservation, because it was stopped: {reason}")]
    #[non_exhaustive]
    BudgetStopped {
        /// The reason of the first stop.
        reason: StopReason,
    },
    /// A recorded run has already ended, so that neither a turn nor another end can be recorded.
    #[error("the run has ended; record a new one")]
    RunEnded,
    /// A run lacks something that the computation needs.
    #[error("rollout {rollout} {problem}")]
    #[non_exhaustive]
    Rollout {
        /// Position of the rollout, from 0.
        rollout: usize,
        /// The problem.
        problem: &'static str,
    },
    /// A measure has no value for a prefix.
    #[error("rollout {rollout}, turn {turn}: {problem}")]
    #[non_exhaustive]
    Prefix {
        /// Position of the rollout, from 0.
        rollout: usize,
        /// The number of completed turns.
        turn: usize,
        /// The problem.
        problem: &'static str,
    },
    /// A sample is out of order, or belongs to another resource or to other rollouts.
    #[error("sample {sample} {problem}")]
    #[non_exhaustive]
    Sample {
        /// Position of the sample, from 0.
        sample: usize,
        /// The problem.
        problem: String,
    },
    /// Two inputs do not belong together: parts with different settings, or samples and amounts of different
    /// resources.
    #[error("{problem}")]
    #[non_exhaustive]
    Unlike {
        /// The problem.
        problem: String,
    },
}

impl Error {
    /// Creates an [`Error::Estimator`], for an [`Estimator`](crate::Estimator) that fails for this reason.
    #[must_use]
    pub fn estimator(reason: impl Into<String>) -> Self {
        Self::Estimator { reason: reason.into() }
    }

    /// Returns why the run ends if a [`Budget`](crate::Budget) refused a call; `None` for other errors. An exceeded cap
    /// is named after its resource, as in [`Advice::stop_reason`](crate::Advice::stop_reason). A stopped budget gives
    /// the reason of its stop.
    ///
    /// ```
    /// use budget_estimation::{Budget, Error, StopReason};
    ///
    /// let budget = Budget::new([("usd", Some(0.05))])?;
    /// let refused = budget.reserve(&[("usd", 0.06)]).unwrap_err();
    /// assert_eq!(refused.to_string(), "cannot reserve 0.06 usd: 0.05 left");
    /// assert_eq!(refused.stop_reason(), Some(StopReason::MaxCost));
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn stop_reason(&self) -> Option<StopReason> {
        match self {
            Self::OverBudget { resource, .. } => Some(cap_reason(resource)),
            Self::BudgetStopped { reason } => Some(reason.clone()),
            _ => None,
        }
    }

    /// The error of two parts that differ in a setting.
    #[cold]
    pub(crate) fn unlike(what: &str) -> Self {
        Self::Unlike {
            problem: format!("the parts differ in {what}; make both with the same settings"),
        }
    }
}

scoring_rules::serialize_as_text!(Error);
scoring_rules::flat_error!(trajectory_metrics: TrajectoryMetrics, ScoringRules);
scoring_rules::flat_error!(censoring: Censoring, ScoringRules, TrajectoryMetrics);
