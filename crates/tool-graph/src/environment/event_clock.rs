use crate::{
    environment::episode::Episode,
    events::{environment_rules::RuleVersion, event::Event, trigger_rule::TriggerRule},
    graph::{plan::Plan, problem::Problem},
};

/// The times of events in a run, and their effects on it.
impl Episode<'_> {
    /// Counts one step down to the next event, and returns the event if it is due. An event that
    /// has not occurred by then stays due.
    pub(super) fn step(&mut self) -> Option<usize> {
        self.steps += 1;
        let left = self.steps_to_event?.saturating_sub(1);
        self.steps_to_event = Some(left);
        (left == 0).then_some(self.events_over)
    }

    /// Applies an event that is due at a call of this tool, and schedules the next one. Returns the
    /// event unless it was skipped because the goal would become unreachable.
    pub(super) fn apply_event(&mut self, event: usize, called: Option<usize>) -> Option<usize> {
        let before = (self.graph.clone(), self.state.clone());
        let (banned, removed) = (self.banned.len(), self.removed.clone());
        match &self.scenario.events()[event] {
            Event::BanTool => {
                called.iter().for_each(|&tool| self.graph.remove(tool));
                self.banned.extend(called);
            }
            Event::BanNamed(name) => {
                let tool = self.graph.tool_index(name);
                tool.iter().for_each(|&tool| self.graph.remove(tool));
                self.banned.extend(tool);
            }
            Event::PreferenceChange => self.state = self.scenario.problem().initial.clone(),
            Event::CostChange(costs) => match self.graph.with_costs(costs) {
                Ok(graph) => self.graph = graph,
                Err(error) => unreachable!("Scenario::with_events checks the costs: {error}"),
            },
            Event::RemoveTools(tools) => self.remove_tools(tools),
        }
        self.events_over += 1;
        if self.plan_next_event() {
            self.events_fired += 1;
            return Some(event);
        }
        (self.graph, self.state) = before;
        self.banned.truncate(banned);
        self.removed = removed;
        None
    }

    fn remove_tools(&mut self, tools: &[usize]) {
        if self.scenario.rules.removals == RuleVersion::Released {
            for tool in std::mem::take(&mut self.removed) {
                if self.scenario.graph().is_available(tool) && !self.banned.contains(&tool) {
                    self.graph.restore(tool);
                }
            }
        }
        tools.iter().for_each(|&tool| self.graph.remove(tool));
        self.removed.extend_from_slice(tools);
    }

    /// Sets the number of steps to the next event, and returns whether the goal can be reached.
    pub(super) fn plan_next_event(&mut self) -> bool {
        let plan = self.best_plan();
        let (rule, events) = (&self.scenario.trigger_rule, self.scenario.events().len());
        self.steps_to_event = match (rule, &self.reference_schedule) {
            // Counted from the start of the run, whatever came before and whatever the best run does.
            (TriggerRule::AtSteps(steps), _) => {
                let step = steps.get(self.events_over).filter(|_| self.events_over < events);
                step.map(|step| step.saturating_sub(self.steps).max(1))
            }
            (_, Some(schedule)) => schedule[self.events_over],
            (_, None) => plan
                .as_ref()
                .and_then(|plan| rule.steps(plan.tools.len(), events, self.events_over)),
        };
        plan.is_some()
    }

    /// Follows the optimal plan to the goal, and plans again after each event. Returns the number of
    /// steps to each event, counted from the event before it, and `None` for events that never
    /// became due.
    pub(super) fn follow_best_plans(&mut self) -> Vec<Option<usize>> {
        let mut schedule = vec![None; self.scenario.events().len() + 1];
        schedule[self.events_over] = self.steps_to_event;
        while let Some(plan) = self.best_plan().filter(|plan| !plan.tools.is_empty()) {
            for &tool in &plan.tools {
                let over = self.events_over;
                let record = self.carry_out(tool);
                if self.events_over != over {
                    schedule[self.events_over] = self.steps_to_event;
                }
                if record.event.is_some() {
                    break;
                }
            }
        }
        schedule
    }

    /// Returns the best plan from the current state with the current tools.
    pub(super) fn best_plan(&mut self) -> Option<Plan> {
        let goal = self.scenario.problem().goal.clone();
        let problem = Problem { initial: self.state.clone(), goal };
        let found = self.scenario.plan_if_any(&self.graph, &problem, &mut self.effort);
        let (plan, is_best) = found?;
        self.has_exact_plans &= is_best;
        Some(plan)
    }
}
