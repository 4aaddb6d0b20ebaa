use crate::{
    error::Error,
    graph::{plan::Plan, problem::Problem, tool_graph::ToolGraph},
    searches::{
        best_calls::best_calls, effort::Effort, plans_in_order::plans_in_order,
        reduced_problem::ReducedProblem,
    },
};

impl ToolGraph {
    /// Returns the best plans, at most `most`, in the order of [`Self::optimal_plan`]: by cost, then by number of
    /// calls, then by library order.
    ///
    /// Plans with the same calls in another order are different plans. No plan has needless calls;
    /// see [`Plan`].
    ///
    /// # Errors
    ///
    /// [`Error::OtherGraph`] if the problem belongs to a graph with other data types.
    ///
    /// # Complexity
    ///
    /// One plan takes as long as [`Self::optimal_plan`], but without its limit. For a [chain](Self::optimal_plan) the time
    /// is linear in the number of tools, plus at most linear time in the number of calls for each further plan. Otherwise
    /// all prefixes of possible results are kept. Their number can be far above the number of plans. In the worst case, time
    /// and memory are exponential in the number of tools that can be part of a plan. Only `most` limits the search.
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
    /// let plans = graph.best_plans(&problem, 5)?;
    /// let costs: Vec<f64> = plans.iter().map(|plan| plan.cost).collect();
    /// assert_eq!(costs, [6.0, 9.0], "there are no more");
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    pub fn best_plans(&self, problem: &Problem, most: usize) -> Result<Vec<Plan>, Error> {
        let Some(reduced) = ReducedProblem::new(self, problem)? else { return Ok(Vec::new()) };
        if most == 1 {
            let best = best_calls(&reduced, &mut Effort::unlimited());
            return Ok(best.iter().map(|best| reduced.plan(self, &best.calls)).collect());
        }
        let plans = plans_in_order(&reduced).take(most);
        Ok(plans.map(|(_, calls)| reduced.plan(self, &calls)).collect())
    }
}
