use trajectory_metrics::tool_calls::FailureCounts;

/// How good one run was, against a reference. `None` where a score is not defined for it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RunScores {
    /// What was paid beyond the reference; lower is better. Only for a run that reached the goal.
    pub cost_gap: Option<f64>,
    /// The same, only for a run without redundant calls.
    pub cost_gap_without_redundant: Option<f64>,
    /// Calls to insert, delete or replace; lower is better. Only for a run that reached the goal.
    pub edit_distance: Option<usize>,
    /// The same over the length of the longer path, in [0, 1].
    pub normalized_edit_distance: Option<f64>,
    /// Whether the paths are equal. Only for a run that reached the goal.
    pub exact_match: Option<bool>,
    /// Whether the goal was reached and the answer right.
    pub completed: bool,
    /// The share of calls that could not be carried out by the agent's fault, in [0, 1]; lower is better.
    /// Only for a run with a call.
    pub invalid_tool_use_ratio: Option<f64>,
    /// How many calls are of each failure class.
    pub failures: FailureCounts,
}
