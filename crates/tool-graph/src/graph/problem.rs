use crate::{
    error::Error,
    graph::{state::State, tool_graph::ToolGraph},
};

/// A planning problem: the data types that are present at the start, and the goal.
///
/// Made by [`ToolGraph::problem`]. If one of the fields is replaced by a state of a graph with other data types, all
/// functions that take the problem return [`Error::OtherGraph`].
///
/// ```
/// use tool_graph::{Problem, Tool, ToolGraph};
///
/// let graph = ToolGraph::new(vec![
///     Tool::new("search", ["query"], ["hits"], 4.0),
///     Tool::new("ask", ["query"], ["hits"], 7.0),
///     Tool::new("pick", ["hits"], ["choice"], 2.0),
/// ])?;
/// let problem = graph.problem(&["query"], &["choice"])?;
///
/// assert_eq!(problem.initial, graph.state(&["query"])?);
/// assert_eq!(problem.goal, graph.state(&["choice"])?);
/// // After a search, only one call remains.
/// let later = Problem { initial: graph.state(&["query", "hits"])?, ..problem };
/// assert_eq!(graph.optimal_plan(&later)?.map(|plan| plan.cost), Some(2.0));
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Problem {
    /// The data types that are present at the start.
    pub initial: State,
    /// The data types that must be present at the end.
    pub goal: State,
}

impl ToolGraph {
    /// Creates the problem of reaching the data types `goal` from the data types `initial`.
    ///
    /// Initial data types that no tool of the library needs or yields are allowed.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Empty`] if `goal` is empty, and [`Error::Name`] for a goal that is
    /// neither present at the start nor yielded by any tool of the library, banned or not. An unreachable goal
    /// is not an error if some tool yields it: the problem has no plan.
    ///
    /// ```
    /// use tool_graph::{Error, Tool, ToolGraph};
    ///
    /// let graph = ToolGraph::new(vec![
    ///     Tool::new("search", ["query"], ["hits"], 4.0),
    ///     Tool::new("ask", ["query"], ["hits"], 7.0),
    ///     Tool::new("pick", ["hits"], ["choice"], 2.0),
    /// ])?;
    /// let reachable = graph.problem(&["query"], &["choice"])?;
    /// assert!(graph.optimal_plan(&reachable)?.is_some());
    /// let goal = graph.problem(&["query"], &["refund"]);
    /// assert!(matches!(goal, Err(Error::Name { name, .. }) if name == "refund"));
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    pub fn problem<I: AsRef<str>, G: AsRef<str>>(
        &self,
        initial: &[I],
        goal: &[G],
    ) -> Result<Problem, Error> {
        if goal.is_empty() {
            return Err(scoring_rules::Error::Empty.into());
        }
        let types = self.types();
        let mut problem = Problem { initial: State::empty(types), goal: State::empty(types) };
        for name in initial {
            if let Some(number) = self.type_index(name.as_ref()) {
                problem.initial.insert(number as u32);
            }
        }
        for name in goal {
            let name = name.as_ref();
            let present = initial.iter().any(|initial| initial.as_ref() == name);
            match self.type_index(name) {
                Some(number) if present || self.is_yielded(number) => {
                    problem.goal.insert(number as u32);
                }
                // No tool needs or yields this data type, so it stays present.
                None if present => {}
                _ => {
                    let problem = format!(
                        "the goal {name:?} is missing at the start and no tool of the library yields it; use a data \
                         type that some tool yields"
                    );
                    return Err(Error::name(name, problem));
                }
            }
        }
        Ok(problem)
    }
}
