use crate::{
    costbench::{
        cost_model::CostModel, event_kind::EventKind, library::Library, seeds::QuerySeed,
        task::Task,
    },
    error::Error,
    events::{
        environment_rules::{EnvironmentRules, RuleVersion},
        event::Event,
        scenario::Scenario,
    },
    graph::tool_graph::ToolGraph,
    plans::tie_rule::TieRule,
};

impl CostModel {
    /// Creates the scenario of one query. It has the tools of all tasks with their costs, the query's task, events of
    /// these kinds in this order, and the [`TieRule`] that reproduces the published figures.
    ///
    /// The costs of a cost change depend on its position among all events. The length of the removed tools
    /// depends on the query and on the number of removals. A removal brings back the tools of the previous
    /// removal, and the same runs count as in the released evaluation ([`EnvironmentRules::counted_runs`]).
    /// All other [`EnvironmentRules`] follow the paper's text; [`Scenario::with_rules`] changes them.
    ///
    /// Reference: CostBench, appendices B.2 and B.6.2.
    ///
    /// ```
    /// use tool_graph::costbench::{CostModel, EventKind, Library, Task};
    ///
    /// let library = Library::new(2)?;
    /// let model = CostModel::default();
    /// let events = [EventKind::BanTool];
    /// let scenario = model.scenario(&library, 42, "<Query00001>", Task::Location, &events);
    /// let plan = scenario.optimal_plan();
    /// assert_eq!(
    ///     scenario.graph().tool_names(&plan.tools),
    ///     ["Location_Full_Planning_to_Step1", "Location_Finalize_from_Step2"]
    /// );
    /// // The first call fails, after which another plan is best.
    /// let run = scenario.optimal_run();
    /// assert_eq!(run.path()[0], plan.tools[0]);
    /// assert_ne!(run.path()[1], plan.tools[1]);
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    #[must_use]
    pub fn scenario(
        &self,
        library: &Library,
        global_seed: u64,
        query_id: &str,
        task: Task,
        events: &[EventKind],
    ) -> Scenario {
        match self.build_scenario(library, global_seed, query_id, task, events) {
            Ok(scenario) => scenario,
            Err(error) => unreachable!("CostBench's tools, costs and tasks are valid: {error}"),
        }
    }

    fn build_scenario(
        &self,
        library: &Library,
        global_seed: u64,
        query_id: &str,
        task: Task,
        events: &[EventKind],
    ) -> Result<Scenario, Error> {
        let costs = self.costs(library, global_seed, query_id);
        let graph = ToolGraph::new(library.tools(&costs)?)?;
        let problem = graph.problem(task.initial_types(), &[task.goal()])?;
        let removals = events.iter().filter(|&&kind| kind == EventKind::RemoveTools).count() as u32;
        let mut lengths =
            library.removed_lengths(QuerySeed::new(global_seed, query_id), removals).into_iter();
        let event = |(place, kind): (usize, &EventKind)| match kind {
            EventKind::BanTool => Event::BanTool,
            EventKind::PreferenceChange => Event::PreferenceChange,
            EventKind::CostChange => {
                Event::CostChange(self.changed_costs(library, global_seed, query_id, place as u32))
            }
            EventKind::RemoveTools => {
                let length = lengths.next().map_or(0, |range| *range.start());
                let count = |tool| graph.component_list(tool).len();
                let tools =
                    (0..graph.tool_count()).filter(|&tool| length > 0 && count(tool) == length);
                Event::RemoveTools(tools.collect())
            }
        };
        let events = events.iter().enumerate().map(event).collect();
        let rules = EnvironmentRules {
            removals: RuleVersion::Released,
            counted_runs: RuleVersion::Released,
            ..EnvironmentRules::PAPER_TEXT
        };
        Ok(Scenario::new(graph, problem)?
            .with_events(events)?
            .with_tie_rule(TieRule::Released)
            .with_rules(rules))
    }
}
