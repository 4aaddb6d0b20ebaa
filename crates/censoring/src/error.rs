use crate::Exclusion;

/// What was wrong with the input, or why a number is not defined for it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A trace or a score was not valid.
    #[error(transparent)]
    Trajectory(#[from] trajectory_metrics::Error),
    /// A run that ended by itself has no outcome.
    #[error(
        "a completed run needs an outcome; give the stop reason \"unjudged\" where nobody judged it"
    )]
    CompletedWithoutOutcome,
    /// The run has no score: its outcome is unknown and its stop may itself be a sign of it.
    #[error("a run excluded for {0} has no score; count it in the audit instead")]
    Excluded(Exclusion),
    /// There is no run to compute a rate from.
    #[error("no complete or administratively censored run")]
    Empty,
}

impl From<scoring_rules::Error> for Error {
    fn from(error: scoring_rules::Error) -> Self {
        Self::Trajectory(error.into())
    }
}
