use crate::{
    error::Error,
    graph::{problem::Problem, tool_graph::ToolGraph},
    searches::{chain::Chain, reduced_problem::ReducedProblem, shortest_count::count_shortest},
};

impl ToolGraph {
    /// Returns whether these calls, in this order, are a plan: each call is possible when it is made, the goal is
    /// reached at the end, and no call can be left out.
    ///
    /// # Errors
    ///
    /// [`Error::OtherGraph`] if the problem belongs to a graph with other data types, and
    /// [`Error::NoSuchTool`] for a position outside the library.
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
    /// assert!(graph.is_plan(&problem, &[1, 2])?);
    /// assert!(!graph.is_plan(&problem, &[2, 1])?, "the first call lacks its input");
    /// assert!(!graph.is_plan(&problem, &[0, 1, 2])?, "one of the first two calls is needless");
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    pub fn is_plan(&self, problem: &Problem, calls: &[usize]) -> Result<bool, Error> {
        self.check_problem(problem)?;
        let reaches = |skip: usize| {
            let mut state = problem.initial.clone();
            for (place, &tool) in calls.iter().enumerate() {
                if place == skip {
                    continue;
                }
                let possible = self.can_call(tool, &state);
                self.apply(tool, &mut state)?;
                if !possible {
                    return Ok::<_, Error>(false);
                }
            }
            Ok(state.is_superset(&problem.goal))
        };
        if !reaches(calls.len())? {
            return Ok(false);
        }
        for skip in 0..calls.len() {
            if reaches(skip)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the number of plans with the fewest calls, regardless of cost; 0 if the goal cannot be
    /// reached.
    ///
    /// # Errors
    ///
    /// [`Error::OtherGraph`] if the problem belongs to a graph with other data types, and
    /// [`Error::TooManyPlans`] if the number exceeds 128 bits.
    ///
    /// # Complexity
    ///
    /// Linear time for a [chain](Self::optimal_plan). Otherwise the time of
    /// [`Self::optimal_plan`] plus a visit of every state that occurs in one of these plans:
    /// exponential time and memory in the number of data types in the worst case, without a limit.
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
    /// assert_eq!(graph.count_shortest_plans(&problem)?, 2);
    /// assert_eq!(graph.count_chain_plans(&problem)?, 2);
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    pub fn count_shortest_plans(&self, problem: &Problem) -> Result<u128, Error> {
        let Some(reduced) = ReducedProblem::new(self, problem)? else { return Ok(0) };
        count_shortest(reduced).ok_or(Error::TooManyPlans)
    }

    /// Returns the number of all plans of a [chain](Self::optimal_plan), of any length; 0 if the goal cannot be
    /// reached. Takes linear time.
    ///
    /// # Errors
    ///
    /// [`Error::OtherGraph`] if the problem belongs to a graph with other data types,
    /// [`Error::NotAChain`] if it is not a [chain](Self::optimal_plan), and
    /// [`Error::TooManyPlans`] if the number exceeds 128 bits.
    pub fn count_chain_plans(&self, problem: &Problem) -> Result<u128, Error> {
        let Some(reduced) = ReducedProblem::new(self, problem)? else { return Ok(0) };
        if reduced.goal.is_empty() {
            return Ok(1);
        }
        Chain::new(&reduced).ok_or(Error::NotAChain)?.count().ok_or(Error::TooManyPlans)
    }
}
