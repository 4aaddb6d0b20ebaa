use crate::reasons::exclusion::Exclusion;

/// The reason why an input is invalid or a result is undefined. With the feature `serde`, an error is serialized as its
/// message. Match patterns must end in `..`, because variants can get more fields.
///
/// ```
/// use censoring::{Error, StopTimes};
///
/// let error = StopTimes::new(&[3.0, -1.0], &[true, false], None).unwrap_err();
/// assert!(matches!(error, Error::ScoringRules(scoring_rules::Error::Entry { index: 1, value: -1.0, .. })));
/// assert_eq!(error.to_string(), "stop time of run 1 is -1; it must be finite and at least 0");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting, a length, an entry of a list or a weight is invalid, or the input is empty.
    #[error(transparent)]
    ScoringRules(#[from] scoring_rules::Error),
    /// A trace, a horizon, a step weight or a set of training rows is invalid.
    #[error(transparent)]
    TrajectoryMetrics(trajectory_metrics::Error),
    /// The input does not determine a result.
    #[error("{problem}")]
    #[non_exhaustive]
    Undetermined {
        /// The problem, and what to do about it.
        problem: &'static str,
    },
    /// A run has no score, because its outcome is unknown and its stop may be related to the outcome.
    #[error("a run that is excluded because of {0} has no score; count it in the audit instead")]
    Excluded(Exclusion),
    /// A run reached a time that no run can reach without being cut off.
    #[error(
        "run {run} stopped at {time}, but the probability of not being cut off before that time is 0; \
         choose an earlier end of the evaluation"
    )]
    #[non_exhaustive]
    ZeroSurvival {
        /// Position of the run, from 0.
        run: usize,
        /// The time at which it stopped.
        time: f64,
    },
    /// The data of a run contradict the reason why it ended.
    #[error("run {run} {problem}")]
    #[non_exhaustive]
    Run {
        /// Position of the run, from 0.
        run: usize,
        /// The problem, and what to do about it.
        problem: &'static str,
    },
    /// A run of a sample or a row of features is invalid.
    #[error("{what} {index} is invalid")]
    #[non_exhaustive]
    At {
        /// `run` or `row`.
        what: &'static str,
        /// The position of the run or row, from 0.
        index: usize,
        /// The problem with it.
        source: Box<Self>,
    },
    /// No model can be fitted to the runs outside a fold.
    #[error("no model can be fitted to the runs outside fold {fold}")]
    #[non_exhaustive]
    Fold {
        /// The fold, from 0.
        fold: usize,
        /// The error of the fit.
        source: Box<Self>,
    },
}

impl Error {
    /// Creates an [`Error::Undetermined`] that an implementation of [`SuccessModel`](crate::SuccessModel) or
    /// [`SuccessLearner`](crate::SuccessLearner) returns if it fails.
    #[must_use]
    pub const fn undetermined(problem: &'static str) -> Self {
        Self::Undetermined { problem }
    }

    /// Creates an [`Error::At`] for the run at a position, from 0.
    #[must_use]
    pub fn of_run(run: usize, source: Self) -> Self {
        Self::At { what: "run", index: run, source: Box::new(source) }
    }
}

scoring_rules::serialize_as_text!(Error);
scoring_rules::flat_error!(trajectory_metrics: TrajectoryMetrics, ScoringRules);
