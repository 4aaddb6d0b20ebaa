/// The reason why a conversation cannot be made, continued or scored.
///
/// The text of a model is never an error: an unusable reply is a [`ReplyEvent`](crate::ReplyEvent) of the record.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A reply was given to a conversation that does not wait for one.
    #[error("the conversation takes no further reply, because it has ended; call `finish`")]
    Ended,
    /// A text, a file, a stored value or a setting is invalid.
    #[error("{problem}")]
    Invalid {
        /// The problem with its place, and the correct form.
        problem: String,
    },
    /// The room generator finds no valid room for this seed.
    #[cfg(feature = "sokoban")]
    #[error("seed {seed} gives no room: {problem}; take another seed")]
    NoRoom {
        /// The seed.
        seed: u32,
        /// The reason why there is no valid room.
        problem: &'static str,
    },
    /// No more requests may be sent to the model.
    #[cfg(feature = "client")]
    #[error("stopped: {reason}; repeat the same call to continue from here")]
    Stopped {
        /// The reason.
        reason: String,
    },
    /// Too many consecutive replies could not be used.
    #[cfg(feature = "client")]
    #[error("{replies} replies in a row cannot be used; the last one, {reply:?}: {problem}")]
    Unreadable {
        /// The number of replies.
        replies: usize,
        /// The problem with the last one.
        problem: String,
        /// The beginning of its text.
        reply: String,
    },
    /// A run cannot be read or converted.
    #[error(transparent)]
    RunLogs(run_logs::Error),
    /// A scenario cannot be made or scored.
    #[cfg(feature = "costbench")]
    #[error(transparent)]
    ToolGraph(tool_graph::Error),
    /// A pool or a plan cannot be made or scored.
    #[cfg(feature = "triage")]
    #[error(transparent)]
    KnapsackOracle(knapsack_oracle::Error),
    /// A rollout or an estimate cannot be scored.
    #[cfg(feature = "budget")]
    #[error(transparent)]
    BudgetEstimation(budget_estimation::Error),
    /// Runs that were cut off cannot be scored.
    #[error(transparent)]
    Censoring(censoring::Error),
    /// A mean or an interval is undefined.
    #[error(transparent)]
    TrajectoryMetrics(trajectory_metrics::Error),
    /// A setting, a probability or a weight is invalid, or a quantity is undefined for this input.
    #[error(transparent)]
    ScoringRules(#[from] scoring_rules::Error),
}

scoring_rules::flat_error!(trajectory_metrics: TrajectoryMetrics, ScoringRules);
scoring_rules::flat_error!(censoring: Censoring, ScoringRules, TrajectoryMetrics);
#[cfg(feature = "budget")]
scoring_rules::flat_error!(budget_estimation: BudgetEstimation, ScoringRules, TrajectoryMetrics, Censoring);
#[cfg(feature = "costbench")]
scoring_rules::flat_error!(tool_graph: ToolGraph, ScoringRules, TrajectoryMetrics);
#[cfg(feature = "triage")]
scoring_rules::flat_error!(knapsack_oracle: KnapsackOracle, ScoringRules);
#[cfg(feature = "budget")]
scoring_rules::flat_error!(run_logs: RunLogs, ScoringRules, TrajectoryMetrics, Censoring, BudgetEstimation);
#[cfg(not(feature = "budget"))]
scoring_rules::flat_error!(run_logs: RunLogs, ScoringRules, TrajectoryMetrics, Censoring);

impl Error {
    /// Something is invalid, in words.
    pub(crate) fn invalid(problem: impl Into<String>) -> Self {
        Self::Invalid { problem: problem.into() }
    }

    /// A stored value is invalid, in words.
    pub(crate) fn stored(problem: impl std::fmt::Display) -> Self {
        Self::invalid(format!("a stored value is invalid: {problem}"))
    }

    /// A line of a file is invalid, in words.
    pub(crate) fn at_line(line: usize, problem: impl std::fmt::Display) -> Self {
        Self::invalid(format!("line {line}: {problem}"))
    }
}
