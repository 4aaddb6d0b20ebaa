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

#[cfg(feature = "serde")]
crate::stored::checked!(struct StoredRunScores for RunScores = "RunScores", RunScores::check, {
    cost_gap: Option<f64>,
    cost_gap_without_redundant: Option<f64>,
    edit_distance: Option<usize>,
    normalized_edit_distance: Option<f64>,
    exact_match: Option<bool>,
    completed: bool,
    invalid_tool_use_ratio: Option<f64>,
    failures: FailureCounts,
});

#[cfg(feature = "serde")]
impl RunScores {
    fn check(&self) -> Result<(), &'static str> {
        use crate::stored::rule;

        let gaps = [self.cost_gap, self.cost_gap_without_redundant];
        rule(gaps.iter().flatten().all(|gap| gap.is_finite()), "a cost gap must be finite")?;
        let shares = [self.normalized_edit_distance, self.invalid_tool_use_ratio];
        let in_range = shares.iter().flatten().all(|share| (0.0..=1.0).contains(share));
        rule(in_range, "normalized_edit_distance and invalid_tool_use_ratio must be from 0 to 1")?;
        let reached = self.cost_gap.is_some();
        let together = self.edit_distance.is_some() == reached
            && self.normalized_edit_distance.is_some() == reached
            && self.exact_match.is_some() == reached;
        rule(
            together,
            "cost_gap, edit_distance, normalized_edit_distance and exact_match must be there \
             together",
        )?;
        let lean = self.cost_gap_without_redundant.is_none_or(|lean| self.cost_gap == Some(lean));
        rule(lean, "cost_gap_without_redundant must be cost_gap or null")?;
        rule(reached || !self.completed, "a completed run must have a cost gap")?;
        let has_calls = self.invalid_tool_use_ratio.is_some() == (self.failures.calls > 0);
        rule(has_calls, "invalid_tool_use_ratio must be there if there are calls, and null if not")
    }
}
