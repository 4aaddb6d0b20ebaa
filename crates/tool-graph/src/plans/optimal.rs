use crate::{
    error::Error,
    graph::{plan::Plan, problem::Problem, tool_graph::ToolGraph},
    searches::{
        best_calls::best_calls, branch_and_cut::branch_and_cut, chain::chain, dijkstra::dijkstra,
        reduced_problem::ReducedProblem,
    },
};

/// A search method for the best plan. All methods find the same plan.
///
/// ```
/// use tool_graph::{Search, Tool, ToolGraph};
///
/// let graph = ToolGraph::new(vec![
///     Tool::new("search", ["query"], ["hits"], 4.0),
///     Tool::new("ask", ["query"], ["hits"], 7.0),
///     Tool::new("pick", ["hits"], ["choice"], 2.0),
/// ])?;
/// let problem = graph.problem(&["query"], &["choice"])?;
///
/// let best = graph.optimal_plan(&problem)?;
/// for search in [Search::Dijkstra, Search::BranchAndCut, Search::Chain] {
///     assert_eq!(graph.optimal_plan_by(&problem, search)?, best);
/// }
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Search {
    /// Visits the reachable states in the order of their cost; for small graphs. Keeps all states
    /// that cost less than the plan, up to 2^t for t data types.
    Dijkstra,
    /// Branches on whether a tool is called, with bounds from a linear program over landmarks; for
    /// large graphs. [`ToolGraph::optimal_plan`] uses it for problems that are not chains.
    /// Exponential time in the number of tools in the worst case.
    BranchAndCut,
    /// Linear time, for chains only: problems in which each tool that leads to the goal needs at most
    /// one and yields one of the missing data types, without cycles.
    Chain,
}

impl ToolGraph {
    /// Returns the best plan, or `None` if the goal cannot be reached.
    ///
    /// The best plan has the lowest cost; ties go to the plan with the fewest calls, then to the plan
    /// whose first call that differs stands first in the library. Costs are compared exactly as
    /// decimal numbers. If the goal is present at the start, the plan is empty.
    ///
    /// # Errors
    ///
    /// [`Error::OtherGraph`] if the problem belongs to a graph with other data types.
    ///
    /// # Complexity
    ///
    /// Linear time for a chain ([`Search::Chain`]). Otherwise the problem is NP-hard, and the search
    /// takes exponential time in the worst case in the number of tools that can be part of a plan.
    /// The search has no limit; fewer tools make it shorter. `docs/performance.md` reports the times
    /// for random graphs of 200 tools.
    ///
    /// Reference: Bylander (1994), The computational complexity of propositional STRIPS planning,
    /// doi:10.1016/0004-3702(94)90081-7, on plans without delete effects.
    ///
    /// ```
    /// use tool_graph::{Tool, ToolGraph};
    ///
    /// let graph = ToolGraph::new(vec![
    ///     Tool::new("search", ["query"], ["hits"], 4.0),
    ///     Tool::new("ask", ["query"], ["hits"], 7.0),
    ///     Tool::new("pick", ["hits"], ["choice"], 2.0),
    /// ])?;
    /// let problem = graph.problem(&["query"], &["choice"])?;
    ///
    /// let plan = graph.optimal_plan(&problem)?.expect("the goal can be reached");
    /// assert_eq!((graph.tool_names(plan.tools()), plan.cost()), (vec!["search", "pick"], 6.0));
    /// let nowhere = graph.problem(&["time"], &["choice"])?;
    /// assert_eq!(graph.optimal_plan(&nowhere)?, None);
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    pub fn optimal_plan(&self, problem: &Problem) -> Result<Option<Plan>, Error> {
        let Some(reduced) = ReducedProblem::new(self, problem)? else { return Ok(None) };
        let tools = best_calls(&reduced);
        Ok(tools.map(|tools| reduced.plan(self, &tools)))
    }

    /// Returns the same plan as [`Self::optimal_plan`], found by the given search method.
    ///
    /// # Errors
    ///
    /// [`Error::OtherGraph`] if the problem belongs to a graph with other data types, and
    /// [`Error::NotAChain`] for [`Search::Chain`] if the problem is not a chain.
    ///
    /// # Complexity
    ///
    /// See [`Search`]. Every method except [`Search::Chain`] takes exponential time in the worst case
    /// and has no limit.
    pub fn optimal_plan_by(
        &self,
        problem: &Problem,
        search: Search,
    ) -> Result<Option<Plan>, Error> {
        let Some(reduced) = ReducedProblem::new(self, problem)? else { return Ok(None) };
        let tools = match search {
            Search::Dijkstra => dijkstra(&reduced),
            Search::BranchAndCut => branch_and_cut(&reduced),
            Search::Chain => Some(chain(&reduced).ok_or(Error::NotAChain)?),
        };
        Ok(tools.map(|tools| reduced.plan(self, &tools)))
    }
}
