use crate::{environment::episode::Episode, events::event::Event, graph::plan::Plan};

/// When events occur in a run, and what they do to it.
impl Episode<'_> {
    /// Counts one step down to the next event, and returns the event if it is due at this step.
    pub(super) fn step(&mut self) -> Option<usize> {
        let left = self.steps_to_event?.checked_sub(1)?;
        self.steps_to_event = Some(left);
        (left == 0).then_some(self.events_over)
    }

    /// Applies the event that is due, and returns it unless it was skipped because the goal would
    /// become unreachable. `called` is the tool of the current call.
    pub(super) fn apply_event(&mut self, due: Option<usize>, called: usize) -> Option<usize> {
        let event = due?;
        let before = (self.graph.clone(), self.state.clone());
        match &self.scenario.events()[event] {
            Event::BanTool => self.graph.remove(called),
            Event::PreferenceChange => self.state = self.scenario.problem().initial().clone(),
            Event::CostChange(costs) => match self.graph.with_costs(costs) {
                Ok(graph) => self.graph = graph,
                Err(error) => unreachable!("Scenario::with_events checks the costs: {error}"),
            },
            Event::RemoveTools(tools) => tools.iter().for_each(|&tool| self.graph.remove(tool)),
        }
        self.events_over += 1;
        if self.plan_next_event() {
            self.events_fired += 1;
            return Some(event);
        }
        (self.graph, self.state) = before;
        None
    }

    /// Sets the number of steps to the next event, and returns whether the goal can be reached.
    pub(super) fn plan_next_event(&mut self) -> bool {
        let plan = self.best_plan();
        let (rule, events) = (self.scenario.trigger_rule(), self.scenario.events().len());
        let steps = |plan: &Plan| rule.steps(plan.tools().len(), events, self.events_over);
        self.steps_to_event = plan.as_ref().and_then(steps);
        plan.is_some()
    }

    /// The best plan from the current state with the current tools.
    pub(super) fn best_plan(&self) -> Option<Plan> {
        let problem = self.scenario.problem().continued_from(self.state.clone());
        self.scenario.tie_rule().best(&self.graph, &problem)
    }
}
