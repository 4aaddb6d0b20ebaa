use crate::{
    error::Error,
    graph::{plan::Plan, problem::Problem, tool_graph::ToolGraph},
    searches::{best_calls::best_calls, reduced_problem::ReducedProblem, rounded_order::released},
};

/// A rule that chooses the best plan among several with the lowest cost.
///
/// Costs are compared exactly as decimal numbers. Ties are common when costs are in cents: 22 of the
/// 381 queries of CostBench have several cheapest plans.
///
/// ```
/// use tool_graph::{TieRule, Tool, ToolGraph};
///
/// let graph = ToolGraph::new(vec![
///     Tool::new("search", ["query"], ["hits"], 0.1),
///     Tool::new("sort", ["hits"], ["list"], 0.7),
///     Tool::new("search_and_sort", ["query"], ["list"], 0.8),
/// ])?;
/// let problem = graph.problem(&["query"], &["list"])?;
/// let few = TieRule::FewestCalls.optimal_plan(&graph, &problem)?.expect("the goal can be reached");
/// let released = TieRule::Released.optimal_plan(&graph, &problem)?.expect("the goal can be reached");
/// assert_eq!(graph.tool_names(few.tools()), ["search_and_sort"]);
/// // 0.1 + 0.7 is 0.7999999999999999 as a sum of f64 numbers.
/// assert_eq!(graph.tool_names(released.tools()), ["search", "sort"]);
/// assert_eq!(few.cost(), released.cost());
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum TieRule {
    /// The rule of [`ToolGraph::optimal_plan`]: the fewest calls, then the plan whose first call that
    /// differs stands first in the library.
    #[default]
    FewestCalls,
    /// The rule behind CostBench's published tables: the lowest sum of the costs as f64 numbers,
    /// added from the first call to the last with rounding at each addition, then the fewest calls,
    /// then library order, with the plan's last tools in the library compared first.
    ///
    /// Rounding errors of about 1e-14 decide most ties, and favour neither short nor long plans. The
    /// published figures depend on this rule, except for its last part, which they leave open.
    Released,
}

impl TieRule {
    /// Returns the best plan by this rule, or `None` if the goal cannot be reached.
    ///
    /// # Errors
    ///
    /// [`Error::OtherGraph`] if the problem belongs to a graph with other data types.
    ///
    /// # Complexity
    ///
    /// [`Self::FewestCalls`] takes as long as [`ToolGraph::optimal_plan`]. [`Self::Released`] visits
    /// all reachable states, without a limit. If each tool needs and yields one data type that is
    /// missing at the start, their number is linear in the number of tools; in the worst case it is
    /// 2^t for t data types.
    pub fn optimal_plan(self, graph: &ToolGraph, problem: &Problem) -> Result<Option<Plan>, Error> {
        graph.check_problem(problem)?;
        Ok(self.best(graph, problem))
    }

    /// Like [`Self::optimal_plan`], for a problem that is known to belong to the graph.
    pub(crate) fn best(self, graph: &ToolGraph, problem: &Problem) -> Option<Plan> {
        let reduced = ReducedProblem::of_checked(graph, problem)?;
        let tools = match self {
            Self::FewestCalls => best_calls(&reduced),
            Self::Released => released(graph, &reduced),
        };
        tools.map(|tools| reduced.plan(graph, &tools))
    }
}
