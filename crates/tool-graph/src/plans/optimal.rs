use crate::error::Error;
use crate::graph::plan::Plan;
use crate::graph::problem::Problem;
use crate::graph::tool_graph::ToolGraph;
use crate::searches::a_star::a_star;
use crate::searches::best_calls::best_calls;
use crate::searches::branch_and_cut::branch_and_cut;
use crate::searches::chain::chain;
use crate::searches::dijkstra::dijkstra;
use crate::searches::reduced_problem::ReducedProblem;

/// A way to search for the best plan. All find the same one.
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
/// for search in [Search::Dijkstra, Search::AStar, Search::Chain] {
///     assert_eq!(graph.optimal_plan_by(&problem, search)?, best);
/// }
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Search {
    /// In the order of cost through the states that can be reached: for small graphs. All that cost
    /// less than the plan are kept, which for t data types can be 2^t.
    Dijkstra,
    /// Led through the states by a lower bound of what is still to pay, landmark cuts: for larger
    /// graphs. At worst as many are kept.
    AStar,
    /// Through sets of tools that are called or not, led by a linear program of landmarks: for
    /// large graphs, and what [`ToolGraph::optimal_plan`] uses where there is no chain. Exponential
    /// time in the number of tools at worst.
    BranchAndCut,
    /// Along a chain, where each tool that leads to the goal needs and yields one data type of it
    /// at most. Linear time.
    Chain,
}

impl ToolGraph {
    /// The best plan, or `None` where no calls lead to the goal.
    ///
    /// Best is the lowest cost, then the fewest calls, then the tools that stand first in the
    /// library, from the first call on. Costs are compared as the decimals that they are written
    /// as, without rounding. Where the goal is there at the start, the plan is empty.
    ///
    /// # Errors
    ///
    /// [`Error::OtherGraph`] where the problem is that of a graph of other data types.
    ///
    /// # Complexity
    ///
    /// Linear along a chain ([`Search::Chain`]). Otherwise the problem is NP-hard, and the time
    /// exponential at worst in the number of tools that some way from the start to the goal could
    /// use. No limit ends the search; to keep it short, leave out tools or ban them.
    /// `docs/performance.md` has what random graphs of 200 tools take.
    ///
    /// Reference: Bylander (1994), The computational complexity of propositional STRIPS planning,
    /// doi:10.1016/0004-3702(94)90081-7, of plans in which nothing is ever lost.
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
    /// let plan = graph.optimal_plan(&problem)?.expect("there is a way");
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

    /// The same plan by a search of the caller's choice. [`Search`] says what each takes; all but
    /// that along a chain are exponential at worst, and no limit ends them.
    ///
    /// # Errors
    ///
    /// [`Error::OtherGraph`] as above, and [`Error::NotAChain`] for [`Search::Chain`] where it
    /// cannot be used.
    pub fn optimal_plan_by(
        &self,
        problem: &Problem,
        search: Search,
    ) -> Result<Option<Plan>, Error> {
        let Some(reduced) = ReducedProblem::new(self, problem)? else { return Ok(None) };
        let tools = match search {
            Search::Dijkstra => dijkstra(&reduced),
            Search::AStar => a_star(&reduced),
            Search::BranchAndCut => branch_and_cut(&reduced),
            Search::Chain => Some(chain(&reduced).ok_or(Error::NotAChain)?),
        };
        Ok(tools.map(|tools| reduced.plan(self, &tools)))
    }
}
