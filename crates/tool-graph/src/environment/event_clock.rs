use crate::environment::episode::Episode;
use crate::error::Error;
use crate::events::event::Event;
use crate::graph::plan::Plan;

/// When events come into a run, and what they do to it.
impl Episode<'_> {
    /// One step nearer to the next event; the event, if it is due at this step.
    pub(super) fn step(&mut self) -> Option<usize> {
        let left = self.steps_to_event?.checked_sub(1)?;
        self.steps_to_event = Some(left);
        (left == 0).then_some(self.over)
    }

    /// Lets the event that is due happen, and gives it back if it did: not where it would leave no
    /// way to the goal. `called` is the tool of the call that it falls on.
    pub(super) fn happens(
        &mut self,
        due: Option<usize>,
        called: usize,
    ) -> Result<Option<usize>, Error> {
        let Some(event) = due else { return Ok(None) };
        let before = (self.graph.clone(), self.state.clone());
        match &self.scenario.events()[event] {
            Event::BanTool => self.graph.ban(called)?,
            Event::PreferenceChange => self.state = self.scenario.problem().initial().clone(),
            Event::CostChange(costs) => self.graph = self.graph.with_costs(costs)?,
            Event::RemoveTools(tools) => {
                tools.iter().try_for_each(|&tool| self.graph.ban(tool))?;
            }
        }
        self.over += 1;
        if self.plan_next_event()? {
            self.events_fired += 1;
            return Ok(due);
        }
        (self.graph, self.state) = before;
        Ok(None)
    }

    /// Says whether there is a way to the goal from here.
    pub(super) fn plan_next_event(&mut self) -> Result<bool, Error> {
        let problem = self.scenario.problem().with_initial(self.state.clone())?;
        let plan = self.scenario.tie_rule().optimal_plan(&self.graph, &problem)?;
        let (rule, events) = (self.scenario.trigger_rule(), self.scenario.events().len());
        let steps = |plan: &Plan| rule.steps(plan.tools().len(), events, self.over);
        self.steps_to_event = plan.as_ref().and_then(steps);
        Ok(plan.is_some())
    }
}
