use super::a_star::a_star;
use super::bits::Bits;
use super::branch_and_cut::branch_and_cut;
use super::chain::chain;
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
    /// Over sets of tools.
    BranchAndCut,
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
        let Some(task) = Task::new(self, problem)? else { return Ok(None) };
        let tools = best_calls(&task);
        Ok(tools.map(|tools| task.plan(self, &tools)))
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
        let tools = match search {
            Search::Dijkstra => dijkstra(&task),
            Search::AStar => a_star_in_small(&task, true),
            Search::BranchAndCut => a_star_in_small(&task, false),
            Search::Chain => Some(chain(&task).ok_or(Error::NotAChain)?),
        };
        Ok(tools.map(|tools| task.plan(self, &tools)))
    }
}

pub(crate) fn best_calls(task: &Task) -> Option<Vec<u32>> {
    chain(task).or_else(|| a_star_in_small(task, false))
}

/// The search with sets and weights as narrow as the task allows.
fn a_star_in_small(task: &Task, a: bool) -> Option<Vec<u32>> {
    match task.types {
        0..=64 => a_star_in::<[u64; 1]>(task, a),
        65..=128 => a_star_in::<[u64; 2]>(task, a),
        129..=256 => a_star_in::<[u64; 4]>(task, a),
        _ => a_star_in::<Box<[u64]>>(task, a),
    }
}

fn a_star_in<B: Bits>(task: &Task, a: bool) -> Option<Vec<u32>> {
    // Sums of two bounds must fit as well, below a number that stands for never.
    let narrow = task.weights.iter().sum::<u128>() < 1 << 60;
    if !a { return if narrow { branch_and_cut::<B, u64>(task) } else { branch_and_cut::<B, u128>(task) }; }
    if narrow { a_star::<B, u64>(task) } else { a_star::<B, u128>(task) }
}
