use super::{CallRecord, CallStatus, Reply, Transcript};
use crate::{Error, Event, Scenario, State, Tool, ToolGraph};

/// A run on its way: what the agent's framework steps through, one call at a time.
///
/// The agent sees [`Self::visible_tools`], makes calls until it has what it wants or
/// [`Self::calls_left`] is 0, and [`Self::finish`] hands over the record. Calls that could not be carried
/// out are no errors but replies, and stay in the record. After the goal was reached, calls are still
/// taken: that the agent did not stop is for the record to tell. Events come before that only.
///
/// ```
/// use tool_graph::{CallStatus, Episode, Scenario, Tool, ToolGraph};
/// let tool = |name: &str, input: &str, output: &str, cost| Tool {
///     name: name.into(),
///     inputs: vec![input.into()],
///     outputs: vec![output.into()],
///     cost,
///     components: vec![],
/// };
/// let graph = ToolGraph::new(vec![
///     tool("search", "query", "hits", 22.22),
///     tool("pick", "hits", "choice", 18.51),
/// ])?;
/// let problem = graph.problem(&["query"], &["choice"])?;
/// let scenario = Scenario::new(graph, problem)?;
///
/// let mut episode = Episode::new(&scenario)?;
/// let reply = episode.call("pick")?;
/// assert_eq!(reply.status, CallStatus::MissingInput("hits".into()));
/// assert_eq!(episode.call_with("search", &["query"])?.cost, 22.22);
/// episode.call("pick")?;
/// assert!(episode.goal_reached());
///
/// let scores = episode.finish(true).scores(&[0, 1], 40.73)?;
/// assert_eq!((scores.cost_gap, scores.exact_match), (Some(0.0), Some(true)));
/// assert_eq!(scores.invalid_tool_use_ratio, Some(1.0 / 3.0));
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Episode<'a> {
    scenario: &'a Scenario,
    graph: ToolGraph,
    state: State,
    /// Events that came or were passed over.
    over: usize,
    /// Steps to the next event: it comes with the step that makes this 0.
    steps_to_event: Option<usize>,
    records: Vec<CallRecord>,
    events_fired: usize,
}

impl<'a> Episode<'a> {
    /// A run before its first call.
    ///
    /// # Errors
    ///
    /// None for a scenario that was made; those of [`TieRule::optimal_plan`](crate::TieRule::optimal_plan)
    /// are ruled out.
    pub fn new(scenario: &'a Scenario) -> Result<Self, Error> {
        let mut episode = Self {
            scenario,
            graph: scenario.graph().clone(),
            state: scenario.problem().initial().clone(),
            over: 0,
            steps_to_event: None,
            records: Vec::new(),
            events_fired: 0,
        };
        episode.plan_next_event()?;
        Ok(episode)
    }

    /// The tools that can be named in a call now, with the costs of now, in library order.
    #[must_use]
    pub fn visible_tools(&self) -> Vec<Tool> {
        let tools = self.graph.tools().into_iter().enumerate();
        tools.filter_map(|(tool, it)| self.graph.is_available(tool).then_some(it)).collect()
    }

    /// The tools as they are now.
    #[must_use]
    pub const fn graph(&self) -> &ToolGraph {
        &self.graph
    }

    /// The data types that are there now.
    #[must_use]
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// Whether all of the goal is there.
    #[must_use]
    pub fn goal_reached(&self) -> bool {
        self.state.is_superset(self.scenario.problem().goal())
    }

    /// How many more calls can be made.
    #[must_use]
    pub fn calls_left(&self) -> usize {
        self.scenario.call_limit().saturating_sub(self.records.len())
    }

    /// A call that gives the tool all it needs, as far as it is there.
    ///
    /// # Errors
    ///
    /// [`Error::NoCallsLeft`].
    pub fn call(&mut self, tool: &str) -> Result<Reply, Error> {
        self.check_calls_left()?;
        match self.graph.tool_number(tool) {
            Some(number) => self.call_tool(number),
            None => Ok(self.record(tool.to_owned(), None, CallStatus::UnknownTool, 0.0, None)),
        }
    }

    /// A call that gives the tool values of these data types. What is wrong with it is told in the order:
    /// the tool, a parameter too many, one that is missing, one whose value cannot be known yet.
    ///
    /// # Errors
    ///
    /// [`Error::NoCallsLeft`].
    pub fn call_with<S: AsRef<str>>(&mut self, tool: &str, given: &[S]) -> Result<Reply, Error> {
        self.check_calls_left()?;
        let Some(number) = self.graph.tool_number(tool) else { return self.call(tool) };
        match self.wrong_parameter(number, given) {
            Some(status) if self.graph.is_available(number) => {
                Ok(self.record(tool.to_owned(), Some(number), status, 0.0, None))
            }
            _ => self.call_tool(number),
        }
    }

    /// [`Self::call`] of a tool by its position in the library.
    ///
    /// # Errors
    ///
    /// [`Error::NoCallsLeft`] and [`Error::NoSuchTool`].
    pub fn call_tool(&mut self, tool: usize) -> Result<Reply, Error> {
        self.check_calls_left()?;
        let cost = self.graph.cost(tool)?;
        let name = self.graph.tool_names(&[tool]).concat();
        let needs = self.graph.needs(tool);
        let missing = needs.iter().find(|&&need| !self.state.contains(need as usize));
        let failure = if self.graph.is_available(tool) {
            missing.map(|&need| {
                CallStatus::MissingInput(self.graph.type_names()[need as usize].clone())
            })
        } else {
            Some(CallStatus::Unavailable)
        };
        if let Some(status) = failure {
            return Ok(self.record(name, Some(tool), status, 0.0, None));
        }
        // What the call meets is what was there before it: the goal, and the event that is due.
        let due = if self.goal_reached() { None } else { self.step() };
        let ban = due.filter(|&event| self.scenario.events().get(event) == Some(&Event::BanTool));
        if let Some(event) = ban
            && self.happens(event, Some(tool))?
        {
            return Ok(self.record(name, Some(tool), CallStatus::Banned, 0.0, Some(event)));
        }
        let after_goal = self.goal_reached();
        let advanced = self.graph.apply(tool, &mut self.state)?;
        let mut came = None;
        match (due, ban) {
            // A ban that was passed over: the next event is planned from here.
            (_, Some(_)) => self.plan_next_event()?,
            (Some(event), None) if self.happens(event, None)? => came = Some(event),
            _ => {}
        }
        let status = CallStatus::Done { advanced };
        let reply = self.record(name, Some(tool), status, cost, came);
        if let Some(record) = self.records.last_mut() {
            record.after_goal = after_goal;
        }
        Ok(reply)
    }

    /// Ends the run. `answer_is_right` says whether the agent's answer is the one that was asked for, of
    /// which an environment of data types knows nothing.
    #[must_use]
    pub fn finish(self, answer_is_right: bool) -> Transcript {
        let goal_reached = self.goal_reached();
        Transcript {
            calls: self.records,
            goal_reached,
            answer_is_right,
            events_planned: self.scenario.events().len(),
            events_fired: self.events_fired,
        }
    }

    fn check_calls_left(&self) -> Result<(), Error> {
        match self.calls_left() {
            0 => Err(Error::NoCallsLeft { limit: self.scenario.call_limit() }),
            _ => Ok(()),
        }
    }

    fn wrong_parameter<S: AsRef<str>>(&self, tool: usize, given: &[S]) -> Option<CallStatus> {
        let names = self.graph.type_names();
        let needs = || self.graph.needs(tool).iter().map(|&need| names[need as usize].as_str());
        let unexpected = given.iter().find(|given| needs().all(|need| need != given.as_ref()));
        if let Some(name) = unexpected {
            return Some(CallStatus::UnexpectedParameter(name.as_ref().to_owned()));
        }
        let missing = needs().find(|&need| given.iter().all(|given| given.as_ref() != need));
        missing.map(|name| CallStatus::MissingParameter(name.to_owned()))
    }

    /// One step nearer to the next event; the event, if it comes with this step.
    fn step(&mut self) -> Option<usize> {
        let left = self.steps_to_event?.checked_sub(1)?;
        self.steps_to_event = Some(left);
        (left == 0).then_some(self.over)
    }

    /// Lets an event happen unless it would leave no way to the goal, and says whether it did.
    fn happens(&mut self, event: usize, called: Option<usize>) -> Result<bool, Error> {
        let (mut graph, mut state) = (self.graph.clone(), self.state.clone());
        match (self.scenario.events().get(event), called) {
            (Some(Event::BanTool), Some(tool)) => graph.ban(tool)?,
            (Some(Event::PreferenceChange), _) => state = self.scenario.problem().initial().clone(),
            (Some(Event::CostChange(costs)), _) => graph = graph.with_costs(costs)?,
            (Some(Event::RemoveTools(tools)), _) => {
                tools.iter().try_for_each(|&tool| graph.ban(tool))?
            }
            _ => {}
        }
        let problem = self.scenario.problem().from_state(state.clone())?;
        let solvable = self.scenario.tie_rule().optimal_plan(&graph, &problem)?.is_some();
        if solvable {
            (self.graph, self.state) = (graph, state);
            self.events_fired += 1;
        }
        self.over += 1;
        self.plan_next_event()?;
        Ok(solvable)
    }

    fn plan_next_event(&mut self) -> Result<(), Error> {
        let events = self.scenario.events().len();
        self.steps_to_event = None;
        if self.over < events {
            let problem = self.scenario.problem().from_state(self.state.clone())?;
            let plan = self.scenario.tie_rule().optimal_plan(&self.graph, &problem)?;
            let rule = self.scenario.trigger_rule();
            self.steps_to_event =
                plan.and_then(|plan| rule.steps(plan.tools().len(), events, self.over));
        }
        Ok(())
    }

    fn record(
        &mut self,
        name: String,
        tool: Option<usize>,
        status: CallStatus,
        cost: f64,
        event: Option<usize>,
    ) -> Reply {
        let reply = Reply { status: status.clone(), cost, event };
        let after_goal = self.goal_reached();
        self.records.push(CallRecord { name, tool, status, cost, after_goal, event });
        reply
    }
}
