use trajectory_metrics::tool_calls::FailureCounts;

/// The scores of one run against a reference. A score is `None` if it is undefined for the run.
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
/// assert_eq!((scores.edit_distance, scores.normalized_edit_distance), (Some(1), Some(0.5)));
/// assert_eq!((scores.exact_match, scores.completed), (Some(false), true));
/// assert_eq!((scores.invalid_tool_use_ratio, scores.failures.invalid()), (Some(0.0), 0));
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RunScores {
    /// The cost of the run minus that of the reference; lower is better. `None` unless the run reached
    /// the goal, and `None` if an event occurred in it or in the reference: plans are optimal only for
    /// the world in which they were made (CostBench, appendix B.3.1).
    pub cost_gap: Option<f64>,
    /// The cost gap of a run without redundant calls, `None` for other runs.
    pub cost_gap_without_redundant: Option<f64>,
    /// The number of calls to insert, delete or replace to get the path of the reference; lower is
    /// better. `None` unless the run reached the goal or
    /// [`EnvironmentRules::unfinished_runs`](crate::EnvironmentRules::unfinished_runs) says otherwise.
    pub edit_distance: Option<usize>,
    /// The edit distance divided by the length of the longer path, in [0, 1]; lower is better.
    pub normalized_edit_distance: Option<f64>,
    /// Whether the path equals that of the reference. `None` if `edit_distance` is.
    pub exact_match: Option<bool>,
    /// Whether the run reached the goal and its answer is right.
    pub completed: bool,
    /// The share of calls that failed through the agent's fault, in [0, 1]; lower is better. `None`
    /// for a run without calls.
    pub invalid_tool_use_ratio: Option<f64>,
    /// The number of calls in each failure class.
    pub failures: FailureCounts,
    /// Whether the path was compared with the nearest of all optimal plans, orders of independent calls
    /// included. Otherwise it was compared with the path of the reference only, and another optimal plan
    /// may be nearer; [`Transcript::scores`](crate::Transcript::scores) lists the cases.
    pub nearest_plan: bool,
}

#[cfg(feature = "serde")]
scoring_rules::checked_when_read!(
    RunScores {
        cost_gap: Option<f64>,
        cost_gap_without_redundant: Option<f64>,
        edit_distance: Option<usize>,
        normalized_edit_distance: Option<f64>,
        exact_match: Option<bool>,
        completed: bool,
        invalid_tool_use_ratio: Option<f64>,
        failures: FailureCounts,
        #[serde(default)]
        nearest_plan: bool,
    },
    RunScores::check
);

#[cfg(feature = "serde")]
impl RunScores {
    fn check(&self) -> Result<(), &'static str> {
        use crate::stored::rule;

        let gaps = [self.cost_gap, self.cost_gap_without_redundant];
        rule(gaps.iter().flatten().all(|gap| gap.is_finite()), "a cost gap must be finite")?;
        let shares = [self.normalized_edit_distance, self.invalid_tool_use_ratio];
        let in_range = shares.iter().flatten().all(|share| (0.0..=1.0).contains(share));
        rule(in_range, "normalized_edit_distance and invalid_tool_use_ratio must be from 0 to 1")?;
        let has_paths = self.edit_distance.is_some();
        let together = self.normalized_edit_distance.is_some() == has_paths
            && self.exact_match.is_some() == has_paths;
        rule(
            together && (has_paths || self.cost_gap.is_none()),
            "edit_distance, normalized_edit_distance and exact_match must all be null or all have \
             values, and have values if cost_gap has one",
        )?;
        let lean = self.cost_gap_without_redundant.is_none_or(|lean| self.cost_gap == Some(lean));
        rule(lean, "cost_gap_without_redundant must be cost_gap or null")?;
        rule(has_paths || !self.completed, "a completed run must have an edit distance")?;
        let has_calls = self.invalid_tool_use_ratio.is_some() == (self.failures.calls > 0);
        rule(
            has_calls,
            "invalid_tool_use_ratio must have a value if there are calls, and be null otherwise",
        )
    }
}
