use crate::environment::reply::{CallStatus, Reply};
use crate::environment::transcript::{CallRecord, Transcript};
use crate::error::Error;
use crate::events::event::Event;
use crate::events::scenario::Scenario;
use crate::graph::state::State;
use crate::graph::tool::Tool;
use crate::graph::tool_graph::ToolGraph;

/// A run on its way: what the agent's framework steps through, one call at a time.
///
/// The agent sees [`Self::visible_tools`], makes calls until it has what it wants or
/// [`Self::calls_left`] is 0, and [`Self::finish`] hands over the record. Calls that could not be
/// carried out are no errors but replies, and stay in the record. After the goal was reached, calls
/// are still taken: that the agent did not stop is for the record to tell. Events come before that
/// only.
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
/// let scores = episode.finish(true).scores(&scenario.optimal_run()?)?;
/// assert_eq!((scores.cost_gap, scores.exact_match), (Some(0.0), Some(true)));
/// assert_eq!(scores.invalid_tool_use_ratio, Some(1.0 / 3.0));
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Episode<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) graph: ToolGraph,
    pub(super) state: State,
    /// Events that came or were passed over.
    pub(super) over: usize,
    /// Steps to the next event: it comes with the step that makes this 0.
    pub(super) steps_to_event: Option<usize>,
    records: Vec<CallRecord>,
    pub(super) events_fired: usize,
}

impl<'a> Episode<'a> {
    /// A run before its first call.
    ///
    /// When an event comes follows from an optimal plan. So where there are events, this and each
    /// call on which one falls take [`TieRule::optimal_plan`](crate::TieRule::optimal_plan) once or
    /// twice, exponential at worst; no other call plans.
    ///
    /// # Errors
    ///
    /// None for a scenario that was made; those of
    /// [`TieRule::optimal_plan`](crate::TieRule::optimal_plan) are ruled out.
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
        if !scenario.events().is_empty() {
            episode.plan_next_event()?;
        }
        Ok(episode)
    }

    /// The tools that can be named in a call now, with the costs of now, in library order.
    ///
    /// ```
    /// # use tool_graph::{Tool, ToolGraph};
    /// # let tool = |name: &str, input: &str, output: &str, cost| Tool {
    /// #     name: name.into(),
    /// #     inputs: vec![input.into()],
    /// #     outputs: vec![output.into()],
    /// #     cost,
    /// #     components: vec![],
    /// # };
    /// # let graph = ToolGraph::new(vec![
    /// #     tool("search", "query", "hits", 4.0),
    /// #     tool("ask", "query", "hits", 7.0),
    /// #     tool("pick", "hits", "choice", 2.0),
    /// # ])?;
    /// # let problem = graph.problem(&["query"], &["choice"])?;
    /// # use tool_graph::{Event, GreedyRule, Scenario};
    /// use tool_graph::Episode;
    ///
    /// let scenario = Scenario::new(graph, problem)?;
    /// let mut episode = Episode::new(&scenario)?;
    /// episode.call("ask")?;
    /// assert_eq!(episode.visible_tools(), episode.graph().tools(), "none is banned");
    /// assert_eq!(episode.state(), &episode.graph().state(&["query", "hits"])?);
    /// assert_eq!((episode.goal_reached(), episode.calls_left()), (false, 19));
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
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
        match self.graph.tool_position(tool) {
            Some(number) => self.call_tool(number),
            None => self.fail(tool, None, CallStatus::UnknownTool),
        }
    }

    /// A call that gives the tool values of these data types. What is wrong with it is told in the
    /// order: the tool, a parameter too many, one that is missing, one whose value cannot be known
    /// yet.
    ///
    /// # Errors
    ///
    /// [`Error::NoCallsLeft`].
    ///
    /// ```
    /// # use tool_graph::{Tool, ToolGraph};
    /// # let tool = |name: &str, input: &str, output: &str, cost| Tool {
    /// #     name: name.into(),
    /// #     inputs: vec![input.into()],
    /// #     outputs: vec![output.into()],
    /// #     cost,
    /// #     components: vec![],
    /// # };
    /// # let graph = ToolGraph::new(vec![
    /// #     tool("search", "query", "hits", 4.0),
    /// #     tool("ask", "query", "hits", 7.0),
    /// #     tool("pick", "hits", "choice", 2.0),
    /// # ])?;
    /// # let problem = graph.problem(&["query"], &["choice"])?;
    /// # use tool_graph::{Event, GreedyRule, Scenario};
    /// use tool_graph::Episode;
    ///
    /// let scenario = Scenario::new(graph, problem)?;
    /// let mut episode = Episode::new(&scenario)?;
    /// # use tool_graph::CallStatus;
    /// let status = episode.call_with("search", &["query", "page"])?.status;
    /// assert_eq!(status, CallStatus::UnexpectedParameter("page".into()));
    /// let status = episode.call_with("search", &[""; 0])?.status;
    /// assert_eq!(status, CallStatus::MissingParameter("query".into()));
    /// assert!(episode.call_with("search", &["query"])?.status.is_done());
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    pub fn call_with<S: AsRef<str>>(&mut self, tool: &str, given: &[S]) -> Result<Reply, Error> {
        let number = self.graph.tool_position(tool).filter(|&tool| self.graph.is_available(tool));
        match number.and_then(|number| self.wrong_parameter(number, given)) {
            Some(status) => self.fail(tool, number, status),
            None => self.call(tool),
        }
    }

    /// [`Self::call`] of a tool by its position in the library.
    ///
    /// # Errors
    ///
    /// [`Error::NoCallsLeft`] and [`Error::NoSuchTool`].
    ///
    /// ```
    /// # use tool_graph::{Tool, ToolGraph};
    /// # let tool = |name: &str, input: &str, output: &str, cost| Tool {
    /// #     name: name.into(),
    /// #     inputs: vec![input.into()],
    /// #     outputs: vec![output.into()],
    /// #     cost,
    /// #     components: vec![],
    /// # };
    /// # let graph = ToolGraph::new(vec![
    /// #     tool("search", "query", "hits", 4.0),
    /// #     tool("ask", "query", "hits", 7.0),
    /// #     tool("pick", "hits", "choice", 2.0),
    /// # ])?;
    /// # let problem = graph.problem(&["query"], &["choice"])?;
    /// # use tool_graph::{Event, GreedyRule, Scenario};
    /// use tool_graph::Episode;
    ///
    /// let scenario = Scenario::new(graph, problem)?;
    /// let mut episode = Episode::new(&scenario)?;
    /// # use tool_graph::Error;
    /// assert_eq!(episode.call_tool(0)?.cost, 4.0);
    /// assert_eq!(episode.call_tool(9).unwrap_err(), Error::NoSuchTool { tool: 9, tools: 3 });
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    pub fn call_tool(&mut self, tool: usize) -> Result<Reply, Error> {
        self.check_calls_left()?;
        let cost = self.graph.cost(tool)?;
        let name = self.graph.tool_names(&[tool]).concat();
        if !self.graph.is_available(tool) {
            return self.fail(&name, Some(tool), CallStatus::Unavailable);
        }
        let mut needs = self.graph.needs(tool).iter().map(|&need| need as usize);
        if let Some(need) = needs.find(|&need| !self.state.contains(need)) {
            let input = self.graph.type_names()[need].clone();
            return self.fail(&name, Some(tool), CallStatus::MissingInput(input));
        }
        let after_goal = self.goal_reached();
        let due = if after_goal { None } else { self.step() };
        let is_ban = due.is_some_and(|event| self.scenario.events()[event] == Event::BanTool);
        let mut event = if is_ban { self.happens(due, tool)? } else { None };
        let (status, cost) = match event {
            Some(_) => (CallStatus::Banned, 0.0),
            None => {
                let advanced = self.graph.apply(tool, &mut self.state)?;
                (CallStatus::Done { advanced }, cost)
            }
        };
        if !is_ban {
            event = self.happens(due, tool)?;
        }
        if due.is_some() && event.is_none() {
            // It was passed over, and the way to the next one starts here.
            self.plan_next_event()?;
        }
        Ok(self.record(CallRecord { name, tool: Some(tool), status, cost, after_goal, event }))
    }

    /// Ends the run. `answer_is_right` says whether the agent's answer is the one that was asked
    /// for, of which an environment of data types knows nothing.
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

    fn fail(
        &mut self,
        name: &str,
        tool: Option<usize>,
        status: CallStatus,
    ) -> Result<Reply, Error> {
        self.check_calls_left()?;
        let after_goal = self.goal_reached();
        let name = name.to_owned();
        Ok(self.record(CallRecord { name, tool, status, cost: 0.0, after_goal, event: None }))
    }

    fn record(&mut self, record: CallRecord) -> Reply {
        let reply = Reply { status: record.status.clone(), cost: record.cost, event: record.event };
        self.records.push(record);
        reply
    }
}
