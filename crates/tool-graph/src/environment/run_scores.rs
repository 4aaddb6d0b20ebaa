use trajectory_metrics::tool_calls::FailureCounts;

/// How good one run was, against a reference. `None` where a score is not defined for it.
///
/// ```
/// # use tool_graph::{Tool, ToolGraph};
/// # let tool = |name: &str, input: &str, output: &str, cost| Tool {
/// #     name: name.into(),
/// #     inputs: vec![input.into()],
/// #     outputs: vec![output.into()],
/// #     cost,
/// #     components: vec![],
/// # };
/// # let graph = ToolGraph::new(vec![
/// #     tool("search", "query", "hits", 4.0),
/// #     tool("ask", "query", "hits", 7.0),
/// #     tool("pick", "hits", "choice", 2.0),
/// # ])?;
/// # let problem = graph.problem(&["query"], &["choice"])?;
/// # use tool_graph::{Event, GreedyRule, Scenario};
/// use tool_graph::Episode;
///
/// let scenario = Scenario::new(graph, problem)?;
/// let mut episode = Episode::new(&scenario)?;
/// for name in ["ask", "pick"] {
///     episode.call(name)?;
/// }
/// let scores = episode.finish(true).scores(&scenario.optimal_run()?)?;
/// assert_eq!((scores.cost_gap, scores.cost_gap_without_redundant), (Some(3.0), Some(3.0)));
/// assert_eq!((scores.edit_distance, scores.normalized_edit_distance), (Some(1), Some(0.5)));
/// assert_eq!((scores.exact_match, scores.completed), (Some(false), true));
/// assert_eq!((scores.invalid_tool_use_ratio, scores.failures.invalid()), (Some(0.0), 0));
/// # Ok::<(), tool_graph::Error>(())
/// ```
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
    /// The share of calls that could not be carried out by the agent's fault, in [0, 1]; lower is
    /// better. Only for a run with a call.
    pub invalid_tool_use_ratio: Option<f64>,
    /// How many calls are of each failure class.
    pub failures: FailureCounts,
}
