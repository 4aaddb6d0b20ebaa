use crate::{
    error::Error,
    graph::{plan::Plan, problem::Problem, tool_graph::ToolGraph},
    searches::{best_calls::best_calls, effort::Effort, reduced_problem::ReducedProblem},
};

/// The best plan that a limited search found. Made by [`ToolGraph::optimal_plan_within`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BoundedPlan {
    /// The best known plan.
    pub plan: Plan,
    /// A lower bound on the cost of every plan. If it equals the cost of this plan, no plan is cheaper.
    pub lower_bound: f64,
    /// Whether the plan is the plan of [`ToolGraph::optimal_plan`]. If it is not, but its cost equals
    /// [`Self::lower_bound`], then the search found the lowest cost but did not decide between all plans of this cost.
    pub is_best: bool,
}

impl ToolGraph {
    /// Returns the best plan, or `None` if the goal cannot be reached.
    ///
    /// The best plan has the lowest cost. Ties go to the plan with the fewest calls. Remaining ties are decided by the first
    /// call at which two plans differ: the tool that stands first in the library wins. Costs are compared exactly as decimal
    /// numbers. If the goal is present at the start, the plan is empty.
    ///
    /// # Errors
    ///
    /// [`Error::OtherGraph`] if the problem belongs to a graph with other data types, and
    /// [`Error::PlanLimit`] if 10^9 steps of the search do not suffice; [`Self::optimal_plan_within`] takes another limit.
    /// A step is about one addition. A processor needs about a second for 10^9 of them.
    ///
    /// # Complexity
    ///
    /// Linear time for a chain: a problem without cycles, in which each tool that leads to the goal needs at most one of the
    /// missing data types and yields one of them. Otherwise it branches on whether a tool is called, with bounds from a
    /// linear program over landmarks; the problem is NP-hard, and some problems with 200 tools need more steps than the
    /// limit. `docs/performance.md` reports the times for random graphs of 200 tools.
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
    /// assert_eq!((graph.tool_names(&plan.tools), plan.cost), (vec!["search", "pick"], 6.0));
    /// let nowhere = graph.problem(&["time"], &["choice"])?;
    /// assert_eq!(graph.optimal_plan(&nowhere)?, None);
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    pub fn optimal_plan(&self, problem: &Problem) -> Result<Option<Plan>, Error> {
        self.best_plan_within(problem, Effort::DEFAULT.steps)
    }

    /// Returns the plan of [`Self::optimal_plan`], or an error if this number of steps does not suffice.
    pub(crate) fn best_plan_within(
        &self,
        problem: &Problem,
        steps: u64,
    ) -> Result<Option<Plan>, Error> {
        match self.optimal_plan_within(problem, steps)? {
            Some(found) if !found.is_best => {
                Err(Error::PlanLimit { steps, lowest: found.lower_bound, highest: found.plan.cost })
            }
            found => Ok(found.map(|found| found.plan)),
        }
    }

    /// Searches for the plan of [`Self::optimal_plan`] in about `steps` steps. Returns the best plan found, with a
    /// lower bound on the cost of every plan; `None` if the goal cannot be reached.
    ///
    /// A plan is found with any limit, 0 included. The same limit gives the same plan on every machine.
    ///
    /// # Errors
    ///
    /// [`Error::OtherGraph`] if the problem belongs to a graph with other data types.
    ///
    /// # Complexity
    ///
    /// Polynomial time in the number of tools, plus the given number of steps.
    ///
    /// ```
    /// use tool_graph::{Tool, ToolGraph};
    ///
    /// let graph = ToolGraph::new(vec![
    ///     Tool::new("search", ["query"], ["hits"], 4.0),
    ///     Tool::new("rank", ["query"], ["order"], 1.0),
    ///     Tool::new("pick", ["hits", "order"], ["choice"], 2.0),
    /// ])?;
    /// let problem = graph.problem(&["query"], &["choice"])?;
    ///
    /// let found = graph.optimal_plan_within(&problem, 1_000_000)?.expect("the goal can be reached");
    /// assert_eq!((found.plan.cost, found.lower_bound, found.is_best), (7.0, 7.0, true));
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    pub fn optimal_plan_within(
        &self,
        problem: &Problem,
        steps: u64,
    ) -> Result<Option<BoundedPlan>, Error> {
        self.check_problem(problem)?;
        let mut effort = Effort { steps, ..Effort::DEFAULT };
        Ok(self.best_known_plan(problem, &mut effort))
    }

    /// Like [`Self::optimal_plan_within`], for a problem that is known to belong to the graph.
    pub(crate) fn best_known_plan(
        &self,
        problem: &Problem,
        effort: &mut Effort,
    ) -> Option<BoundedPlan> {
        let reduced = ReducedProblem::of_checked(self, problem)?;
        let found = best_calls(&reduced, effort)?;
        Some(BoundedPlan {
            plan: reduced.plan(self, &found.calls),
            lower_bound: self.costs().value(found.lowest_cost),
            is_best: found.is_best,
        })
    }
}
