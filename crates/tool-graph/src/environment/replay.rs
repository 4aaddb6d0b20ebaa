use crate::{
    environment::{call_status::CallStatus, episode::Episode, transcript::Transcript},
    events::scenario::Scenario,
};

impl Transcript {
    /// Repeats the calls of this run in the given scenario, and returns the transcript of the new run.
    ///
    /// In the scenario in which the run was made, the new run equals it; in another scenario, for example
    /// with other events or [`EnvironmentRules`](crate::EnvironmentRules), it is the run of an agent that
    /// makes the same calls regardless of their results. Missing and unexpected parameters are repeated too.
    /// The call limit does not apply.
    ///
    /// ```
    /// use tool_graph::{Episode, Event, Scenario, Tool, ToolGraph};
    ///
    /// let graph = ToolGraph::new(vec![
    ///     Tool::new("search", ["query"], ["hits"], 4.0),
    ///     Tool::new("ask", ["query"], ["hits"], 7.0),
    ///     Tool::new("pick", ["hits"], ["choice"], 2.0),
    /// ])?;
    /// let problem = graph.problem(&["query"], &["choice"])?;
    /// let scenario = Scenario::new(graph, problem)?;
    /// let run = scenario.optimal_run();
    /// assert_eq!(run.replay(&scenario), run);
    ///
    /// let banned = scenario.with_events(vec![Event::BanTool])?;
    /// assert!(!run.replay(&banned).goal_reached, "the search failed, and was not replaced");
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// As for [`Episode::new`], plus one call of the environment for each recorded call.
    #[must_use]
    pub fn replay(&self, scenario: &Scenario) -> Self {
        let mut episode = Episode::new(scenario);
        for call in &self.calls {
            let given = match &call.status {
                CallStatus::UnexpectedParameter(name) => {
                    let mut given = episode.inputs_of(&call.name);
                    given.push(name.clone());
                    Some(given)
                }
                CallStatus::MissingParameter(name) => {
                    let mut given = episode.inputs_of(&call.name);
                    given.retain(|input| input != name);
                    Some(given)
                }
                _ => None,
            };
            episode.request(&call.name, given.as_deref());
        }
        episode.finish(self.answer_is_right)
    }
}
