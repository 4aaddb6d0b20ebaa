use crate::costbench::cost_model::CostModel;
use crate::costbench::event_kind::EventKind;
use crate::costbench::library::Library;
use crate::costbench::seeds::{query_seed, removed_lengths};
use crate::costbench::task::Task;
use crate::error::Error;
use crate::events::event::Event;
use crate::events::scenario::Scenario;
use crate::graph::tool_graph::ToolGraph;
use crate::plans::tie_rule::TieRule;

impl CostModel {
    /// A query of the benchmark as a world to plan and run in: its tools and costs, its task, the
    /// events of these kinds in this order, and the [`TieRule`] that the published figures need.
    ///
    /// The costs of a cost change follow from its place among all events, the lengths that tools
    /// are removed by from the query and the number of removals.
    ///
    /// Reference: CostBench, appendices B.2 and B.6.2.
    ///
    /// # Errors
    ///
    /// None for costs and libraries as this module makes them.
    ///
    /// ```
    /// use tool_graph::costbench::{CostModel, EventKind, Library, Task};
    ///
    /// let library = Library::new(2)?;
    /// let model = CostModel::default();
    /// let events = [EventKind::BanTool];
    /// let scenario = model.scenario(&library, 42, "<Query00001>", Task::Location, &events)?;
    /// let plan = scenario.optimal_plan()?.expect("every task can be solved");
    /// assert_eq!(
    ///     scenario.graph().tool_names(plan.tools()),
    ///     ["Location_Full_Planning_to_Step1", "Location_Finalize_from_Step2"]
    /// );
    /// // The first call fails, and then another plan is best.
    /// let run = scenario.optimal_run()?;
    /// assert_eq!(run.path()[0], plan.tools()[0]);
    /// assert_ne!(run.path()[1], plan.tools()[1]);
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    pub fn scenario(
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
            removed_lengths(library, query_seed(global_seed, query_id), removals).into_iter();
        let event = |(place, kind): (usize, &EventKind)| match kind {
            EventKind::BanTool => Event::BanTool,
            EventKind::PreferenceChange => Event::PreferenceChange,
            EventKind::CostChange => {
                Event::CostChange(self.changed_costs(library, global_seed, query_id, place as u32))
            }
            EventKind::RemoveTools => {
                let length = lengths.next().map_or(0, |range| *range.start());
                Event::remove_composites(&graph, length)
            }
        };
        let events = events.iter().enumerate().map(event).collect();
        Ok(Scenario::new(graph, problem)?.with_events(events)?.with_tie_rule(TieRule::Released))
    }
}
