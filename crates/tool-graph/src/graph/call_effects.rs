use crate::{
    error::Error,
    graph::{problem::Problem, state::State, tool_graph::ToolGraph},
};

/// States and the effects of calls on them.
impl ToolGraph {
    /// Returns the state in which exactly these data types are present.
    ///
    /// # Errors
    ///
    /// [`Error::Name`] for a data type that no tool needs or yields.
    pub fn state<S: AsRef<str>>(&self, names: &[S]) -> Result<State, Error> {
        let mut state = State::empty(self.types());
        for name in names {
            let name = name.as_ref();
            let number = self.type_index(name);
            let number = number.ok_or_else(|| Error::unknown_type(name))?;
            state.insert(number as u32);
        }
        Ok(state)
    }

    /// Returns whether the tool is available and all its inputs are present. False for a state of a graph
    /// with other data types.
    ///
    /// ```
    /// use tool_graph::{Tool, ToolGraph};
    ///
    /// let graph = ToolGraph::new(vec![
    ///     Tool::new("search", ["query"], ["hits"], 4.0),
    ///     Tool::new("ask", ["query"], ["hits"], 7.0),
    ///     Tool::new("pick", ["hits"], ["choice"], 2.0),
    /// ])?;
    ///
    /// let mut state = graph.state(&["query"])?;
    /// let pick = 2;
    /// assert!(graph.can_call(0, &state) && !graph.can_call(pick, &state));
    /// assert!(graph.apply(0, &mut state)?, "hits were missing");
    /// assert!(graph.can_call(pick, &state));
    /// assert!(!graph.apply(1, &mut state)?, "hits were present already");
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    #[must_use]
    pub fn can_call(&self, tool: usize, state: &State) -> bool {
        self.is_available(tool)
            && state.types() == self.types()
            && self.needs(tool).iter().all(|&number| state.contains(number as usize))
    }

    /// Adds the outputs of the tool to the state, and returns whether any of them was missing. It does not check
    /// whether the tool can be called.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchTool`] for a position outside the library, and [`Error::OtherGraph`] if the
    /// state belongs to a graph with other data types.
    pub fn apply(&self, tool: usize, state: &mut State) -> Result<bool, Error> {
        self.check(tool)?;
        self.check_state(state)?;
        Ok(self.add_outputs(tool, state))
    }

    /// Like [`Self::apply`], for a tool and a state that are known to belong to the graph.
    pub(crate) fn add_outputs(&self, tool: usize, state: &mut State) -> bool {
        let mut new = false;
        for &number in self.yields(tool) {
            new |= !state.contains(number as usize);
            state.insert(number);
        }
        new
    }

    pub(crate) fn check_problem(&self, problem: &Problem) -> Result<(), Error> {
        self.check_state(&problem.initial)?;
        self.check_state(&problem.goal)
    }

    pub(crate) fn check_state(&self, state: &State) -> Result<(), Error> {
        if state.types() == self.types() { Ok(()) } else { Err(Error::OtherGraph) }
    }
}
