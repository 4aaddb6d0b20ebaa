use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::plans::Task;
use crate::{Error, Plan, Problem, ToolGraph};

/// Which of the cheapest plans is the best one, where several cost the same.
///
/// Costs are compared as the decimals that they are written as, without rounding. Prices in cents make
/// plans of the same cost common: in CostBench one query in fifteen has some.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum TieRule {
    /// The fewest calls, then the tools that stand first in the library, from the first call on: that of
    /// [`ToolGraph::optimal_plan`].
    #[default]
    FewestCalls,
    /// That of CostBench's published tables: the lowest sum of the costs as f64 numbers, added from the
    /// first call on and rounded at each, then the fewest calls, then the plan whose tools stand first in
    /// the library, the last of them compared first.
    ///
    /// The rounding errors, some 1e-14, decide most ties, in favour of neither few calls nor many. The
    /// published figures need it; the last part is one of the orders that they leave open.
    Released,
}

impl TieRule {
    /// The best plan by this rule, or `None` where no calls lead to the goal.
    ///
    /// Complexity of [`Self::Released`]: linear in the tools where each needs and yields one data type
    /// that is not there at the start; otherwise it goes through all states that can be reached.
    ///
    /// # Errors
    ///
    /// [`Error::OtherGraph`] where the problem is that of a graph of other data types.
    pub fn optimal_plan(self, graph: &ToolGraph, problem: &Problem) -> Result<Option<Plan>, Error> {
        match self {
            Self::FewestCalls => graph.optimal_plan(problem),
            Self::Released => Ok(Task::new(graph, problem)?
                .and_then(|task| released(graph, &task).map(|tools| task.plan(graph, &tools)))),
        }
    }
}
