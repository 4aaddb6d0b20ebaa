use trajectory_metrics::tool_calls::FailureCounts;

/// The scores of one run compared with a reference run. A score is `None` if it is undefined for the run.
///
/// ```
/// use tool_graph::{Episode, Scenario, Tool, ToolGraph};
///
/// let graph = ToolGraph::new(vec![
///     Tool::new("search", ["query"], ["hits"], 4.0),
///     Tool::new("ask", ["query"], ["hits"], 7.0),
///     Tool::new("pick", ["hits"], ["choice"], 2.0),
/// ])?;
/// let problem = graph.problem(&["query"], &["choice"])?;
///
/// let scenario = Scenario::new(graph, problem)?;
/// let mut episode = Episode::new(&scenario);
/// for name in ["ask", "pick"] {
///     episode.call(name)?;
/// }
/// let scores = episode.finish(true).scores(&scenario.optimal_run())?;
/// assert_eq!((scores.cost_gap, scores.cost_gap_without_redundant), (Some(3.0), Some(3.0)));
/// assert_eq!((scores.cost_gap_undefined, scores.regret_to_replanned), (None, Some(3.0)));
/// assert_eq!((scores.edit_distance, scores.normalized_edit_distance), (Some(1), Some(0.5)));
/// assert_eq!((scores.exact_match, scores.completed), (Some(false), true));
/// assert_eq!((scores.invalid_tool_use_ratio, scores.failures.invalid()), (Some(0.0), 0));
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RunScores {
    /// The cost of the run minus the cost of the reference run; lower is better. `None` unless both runs reached the
    /// goal. Also `None` if an event occurred in either run, because plans are optimal only for the world in which
    /// they were made (CostBench, appendix B.3.1).
    pub cost_gap: Option<f64>,
    /// The reason why `cost_gap` is `None`.
    pub cost_gap_undefined: Option<&'static str>,
    /// The cost of the run minus the cost of the reference run, with and without events. If the reference is
    /// [`Scenario::optimal_run`](crate::Scenario::optimal_run), it is the regret against an agent that plans again
    /// after each event; lower is better. It can be negative after an event, because that agent does not
    /// know future events. `None` unless both runs reached the goal and as many events occurred in one as in the
    /// other. Not a score of CostBench.
    pub regret_to_replanned: Option<f64>,
    /// The cost gap if the run has no redundant calls; `None` for other runs.
    pub cost_gap_without_redundant: Option<f64>,
    /// The number of calls that must be inserted, deleted or replaced to turn the path into the path of the reference
    /// run; lower is better. `None` if the run did not reach the goal, unless
    /// [`EnvironmentRules::unfinished_runs`](crate::EnvironmentRules::unfinished_runs) gives it a score.
    pub edit_distance: Option<usize>,
    /// The edit distance divided by the length of the longer path, in [0, 1]; lower is better.
    pub normalized_edit_distance: Option<f64>,
    /// Whether the path equals the path of the reference. `None` if `edit_distance` is `None`.
    pub exact_match: Option<bool>,
    /// Whether the run reached the goal and its answer is right.
    pub completed: bool,
    /// The share of calls that failed through the agent's fault, in [0, 1]; lower is better. `None`
    /// for a run without calls.
    pub invalid_tool_use_ratio: Option<f64>,
    /// The number of calls in each failure class.
    pub failures: FailureCounts,
    /// Whether the path was compared with the nearest optimal plan, which may differ from the reference path in the
    /// order of independent calls. Otherwise it was compared only with the reference path, although another optimal
    /// plan may be nearer; [`Transcript::scores`](crate::Transcript::scores) lists the cases.
    pub nearest_plan: bool,
}
