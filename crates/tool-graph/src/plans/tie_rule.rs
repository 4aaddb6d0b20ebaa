use crate::error::Error;
use crate::graph::plan::Plan;
use crate::graph::problem::Problem;
use crate::graph::tool_graph::ToolGraph;
use crate::searches::best_calls::best_calls;
use crate::searches::reduced_problem::ReducedProblem;
use crate::searches::rounded_order::released;

/// Which of the cheapest plans is the best one, where several cost the same.
///
/// Costs are compared as the decimals that they are written as, without rounding. Prices in cents
/// make plans of the same cost common: 22 of 381 queries of CostBench have some.
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
/// let few = TieRule::FewestCalls.optimal_plan(&graph, &problem)?.expect("there is a way");
/// let released = TieRule::Released.optimal_plan(&graph, &problem)?.expect("there is a way");
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
    /// The fewest calls, then the tools that stand first in the library, from the first call on:
    /// that of [`ToolGraph::optimal_plan`].
    #[default]
    FewestCalls,
    /// That of CostBench's published tables: the lowest sum of the costs as f64 numbers, added from
    /// the first call on and rounded at each, then the fewest calls, then the plan whose tools
    /// stand first in the library, the last of them compared first.
    ///
    /// The rounding errors, some 1e-14, decide most ties, in favour of neither few calls nor many.
    /// The published figures need it; the last part is one of the orders that they leave open.
    Released,
}

impl TieRule {
    /// The best plan by this rule, or `None` where no calls lead to the goal.
    ///
    /// # Errors
    ///
    /// [`Error::OtherGraph`] where the problem is that of a graph of other data types.
    ///
    /// # Complexity
    ///
    /// Of [`Self::FewestCalls`] that of [`ToolGraph::optimal_plan`]. Of [`Self::Released`] linear
    /// in the tools where each needs and yields one data type that is not there at the start;
    /// otherwise it goes through all states that can be reached, for t data types 2^t at worst, and
    /// nothing limits it.
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
