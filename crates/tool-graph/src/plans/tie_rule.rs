use crate::{
    error::Error,
    graph::{plan::Plan, problem::Problem, tool_graph::ToolGraph},
    searches::{
        effort::Effort,
        reduced_problem::ReducedProblem,
        released_search::{LimitReached, released_search},
    },
};

/// A rule that decides which of several plans with the lowest cost is the best plan.
///
/// Ties are common when costs are in cents: 22 of the 381 queries of CostBench at refinement level 2
/// have several cheapest plans.
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
/// assert_eq!(graph.tool_names(&few.tools), ["search_and_sort"]);
/// // 0.1 + 0.7 is 0.7999999999999999 as a sum of f64 numbers.
/// assert_eq!(graph.tool_names(&released.tools), ["search", "sort"]);
/// assert_eq!(few.cost, released.cost);
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum TieRule {
    /// The rule of [`ToolGraph::optimal_plan`]: costs are compared exactly as decimal numbers, then the numbers of
    /// calls. If two plans are still equal, the first call at which they differ decides: the tool that comes first in
    /// the library wins.
    #[default]
    FewestCalls,
    /// The rule of CostBench's released solver, which made all published references. The best plan has the lowest sum
    /// of costs, as f64 numbers that are added from the first call to the last with rounding at each addition; then
    /// the fewest calls; then the first place in the order in which CPython's `heapq` returns the remaining plans.
    ///
    /// The order of the heap depends on all of its entries, even on entries for tools that no plan needs. The graph must
    /// therefore have the tools of the released solver in the same order: all tools of the level, or only the callable tools
    /// (`costbench::Library::callable_tools`), because other tools never enter the heap. With only the tools of the task,
    /// the plan is the same unless several plans have equal sums and numbers of calls.
    ///
    /// If some tools cost nothing, or less than the rounding errors of the sums, the plan can contain
    /// needless calls.
    Released,
}

impl TieRule {
    /// Returns the best plan under this rule, or `None` if the goal cannot be reached.
    ///
    /// # Errors
    ///
    /// [`Error::OtherGraph`] if the problem belongs to a graph with other data types,
    /// [`Error::PlanLimit`] as in [`ToolGraph::optimal_plan`], and [`Error::SearchLimit`] if [`Self::Released`] needs more than 2^22 sequences of calls.
    ///
    /// # Complexity
    ///
    /// [`Self::FewestCalls`] takes as long as [`ToolGraph::optimal_plan`]. [`Self::Released`] takes linear time for a
    /// [chain](ToolGraph::optimal_plan) with a single plan of the lowest f64 sum and the fewest calls. Otherwise it keeps a
    /// sequence of calls for each way to extend the reachable states that cost less than the plan. For t data types, there
    /// can be 2^t such states. It stops with an error at 2^22 sequences, which take a few hundred megabytes. Level 5 of
    /// CostBench needs less than 40,000.
    ///
    /// [`Self::FewestCalls`] stops with an error after 10^9 steps.
    pub fn optimal_plan(self, graph: &ToolGraph, problem: &Problem) -> Result<Option<Plan>, Error> {
        if self == Self::FewestCalls {
            return graph.optimal_plan(problem);
        }
        graph.check_problem(problem)?;
        let Effort { mut sequences, .. } = Effort::DEFAULT;
        released_plan(graph, problem, &mut sequences)
            .map_err(|LimitReached| Error::SearchLimit { sequences: Effort::DEFAULT.sequences })
    }

    /// Returns the best known plan for a problem that is known to belong to the graph, and whether it is the plan of
    /// [`Self::optimal_plan`].
    pub(crate) fn best_known(
        self,
        graph: &ToolGraph,
        problem: &Problem,
        effort: &mut Effort,
    ) -> Option<(Plan, bool)> {
        if self == Self::Released {
            match released_plan(graph, problem, &mut effort.sequences) {
                Ok(plan) => return plan.map(|plan| (plan, true)),
                Err(LimitReached) => effort.sequences = 0,
            }
        }
        let found = graph.best_known_plan(problem, effort)?;
        Some((found.plan, found.is_best && self == Self::FewestCalls))
    }
}

fn released_plan(
    graph: &ToolGraph,
    problem: &Problem,
    left: &mut usize,
) -> Result<Option<Plan>, LimitReached> {
    let Some(reduced) = ReducedProblem::of_checked(graph, problem) else { return Ok(None) };
    let tools = released_search(graph, problem, &reduced, left)?;
    Ok(tools.map(|tools| Plan::new(graph, tools)))
}
