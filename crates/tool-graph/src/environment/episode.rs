use crate::{
    environment::{
        call_status::CallStatus,
        optimal_plans::AllPlans,
        transcript::{CallRecord, Transcript},
    },
    error::Error,
    events::{environment_rules::RuleVersion, event::Event, scenario::Scenario},
    graph::{state::State, tool::Tool, tool_graph::ToolGraph},
    searches::{effort::Effort, reduced_problem::ReducedProblem},
};

/// A run in progress. An agent's framework steps through it one call at a time.
///
/// The agent sees [`Self::visible_tools`] and makes calls until it is satisfied or [`Self::calls_left`] is 0;
/// then [`Self::finish`] returns the record. A call that cannot be carried out is not an error: its
/// [`CallRecord`] contains the problem, and stays in the record. Calls made after the goal was reached are
/// recorded too, but no events occur then.
///
/// A run can be stopped and continued. Its state follows from the scenario and the calls, to the last bit: store
/// the scenario, and the name and the parameters of each call. Later, start a new episode in the stored scenario and
/// make the same calls, one [`Self::call`] each if all were made without parameters. A scenario in a file loses
/// its limit on searches ([`Scenario::with_search_steps`](crate::Scenario::with_search_steps)), which must be set
/// again by the same number. For JSON, take the feature `json`, which switches on exact numbers of `serde_json`
/// (`float_roundtrip`); with the feature `serde` only, a cost may be read with another last bit.
///
/// ```
/// use tool_graph::{Episode, Scenario, Tool, ToolGraph};
///
/// let graph = ToolGraph::new(vec![
///     Tool::new("search", ["query"], ["hits"], 4.0),
///     Tool::new("pick", ["hits"], ["choice"], 2.0),
/// ])?;
/// let problem = graph.problem(&["query"], &["choice"])?;
/// let scenario = Scenario::new(graph, problem)?;
/// let mut episode = Episode::new(&scenario);
/// let calls = vec![episode.call("pick")?.name, episode.call("search")?.name];
///
/// let mut continued = Episode::new(&scenario);
/// for call in &calls {
///     continued.call(call)?;
/// }
/// assert_eq!(continued, episode);
/// # Ok::<(), tool_graph::Error>(())
/// ```
///
/// ```
/// use tool_graph::{CallStatus, Episode, Scenario, Tool, ToolGraph};
///
/// let graph = ToolGraph::new(vec![
///     Tool::new("search", ["query"], ["hits"], 22.22),
///     Tool::new("pick", ["hits"], ["choice"], 18.51),
/// ])?;
/// let problem = graph.problem(&["query"], &["choice"])?;
/// let scenario = Scenario::new(graph, problem)?;
///
/// let mut episode = Episode::new(&scenario);
/// let reply = episode.call("pick")?;
/// assert_eq!(reply.status, CallStatus::MissingInput("hits".into()));
/// assert_eq!(episode.call_with("search", &["query"])?.cost, 22.22);
/// episode.call("pick")?;
/// assert!(episode.goal_reached());
///
/// let scores = episode.finish(true).scores(&scenario.optimal_run())?;
/// assert_eq!((scores.cost_gap, scores.exact_match), (Some(0.0), Some(true)));
/// assert_eq!(scores.invalid_tool_use_ratio, Some(1.0 / 3.0));
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Episode<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) graph: ToolGraph,
    pub(super) state: State,
    /// The number of events that occurred or were skipped.
    pub(super) events_over: usize,
    /// The number of steps to the next event. The event occurs at the step that sets this to 0.
    pub(super) steps_to_event: Option<usize>,
    /// The steps of the run so far.
    pub(super) steps: usize,
    /// For each event, the steps to it in the optimal run, if the optimal run determines when the event is
    /// due.
    pub(super) reference_schedule: Option<Vec<Option<usize>>>,
    records: Vec<CallRecord>,
    pub(super) events_fired: usize,
    /// The tools banned and the tools removed by events.
    pub(super) banned: Vec<usize>,
    pub(super) removed: Vec<usize>,
    /// The names outside the library on which bans fell.
    banned_names: Vec<String>,
    /// For each tool, whether the agent can see the tool while the tool is available; `None` for all tools.
    seen: Option<Vec<bool>>,
    /// The work that the searches for plans of this run may still do.
    pub(super) effort: Effort,
    /// Whether all plans so far were the best ones.
    pub(super) has_exact_plans: bool,
}

impl<'a> Episode<'a> {
    /// Starts a run.
    ///
    /// # Complexity
    ///
    /// The moment of an event follows from an optimal plan. If the scenario has events, this
    /// function and each call at which an event is due therefore search for a plan once or twice. All
    /// searches of a run together stop at the limit of the scenario
    /// ([`Scenario::with_search_steps`](crate::Scenario::with_search_steps)); the best known plans are
    /// used then, and [`Transcript::has_exact_plans`](crate::Transcript::has_exact_plans) is false.
    /// Other calls do not plan. If the events follow the schedule of the
    /// optimal run ([`EnvironmentRules::event_schedule`](crate::EnvironmentRules::event_schedule)),
    /// this function makes the optimal run first.
    #[must_use]
    pub fn new(scenario: &'a Scenario) -> Self {
        let mut episode = Self::unscheduled(scenario);
        if !scenario.events().is_empty() {
            if scenario.rules.event_schedule == RuleVersion::Released {
                let mut optimal = Self::for_optimal_run(scenario);
                episode.reference_schedule = Some(optimal.follow_best_plans());
                episode.effort = optimal.effort;
                episode.has_exact_plans = optimal.has_exact_plans;
            }
            episode.plan_next_event();
        }
        episode
    }

    /// Starts a run in which the state of the run determines when events are due.
    pub(super) fn for_optimal_run(scenario: &'a Scenario) -> Self {
        let mut episode = Self::unscheduled(scenario);
        if !scenario.events().is_empty() {
            episode.plan_next_event();
        }
        episode
    }

    fn unscheduled(scenario: &'a Scenario) -> Self {
        let seen = match scenario.rules.visible_tools {
            RuleVersion::PaperText => None,
            RuleVersion::Released => {
                let mut seen = vec![false; scenario.graph().tool_count()];
                let reduced = ReducedProblem::of_checked(scenario.graph(), scenario.problem());
                let tools = reduced.iter().flat_map(|reduced| &reduced.tools);
                tools.for_each(|&tool| seen[tool as usize] = true);
                Some(seen)
            }
        };
        Self {
            scenario,
            graph: scenario.graph().clone(),
            state: scenario.problem().initial.clone(),
            events_over: 0,
            steps_to_event: None,
            steps: 0,
            reference_schedule: None,
            records: Vec::new(),
            events_fired: 0,
            banned: Vec::new(),
            removed: Vec::new(),
            banned_names: Vec::new(),
            seen,
            effort: scenario.effort(),
            has_exact_plans: true,
        }
    }

    /// Returns the tools that the agent sees now, with their current costs, in library order.
    ///
    /// By the rules of the paper these are the available tools; see
    /// [`EnvironmentRules`](crate::EnvironmentRules).
    ///
    /// ```
    /// use tool_graph::{Episode, Scenario, Tool, ToolGraph};
    ///
    /// let graph = ToolGraph::new(vec![
    ///     Tool::new("search", ["query"], ["hits"], 4.0),
    ///     Tool::new("ask", ["query"], ["hits"], 7.0),
    ///     Tool::new("pick", ["hits"], ["choice"], 2.0),
    /// ])?;
    /// let problem = graph.problem(&["query"], &["choice"])?;
    ///
    /// let scenario = Scenario::new(graph, problem)?;
    /// let mut episode = Episode::new(&scenario);
    /// episode.call("ask")?;
    /// assert_eq!(episode.visible_tools(), episode.graph().tools(), "no tool is banned");
    /// assert_eq!(episode.state(), &episode.graph().state(&["query", "hits"])?);
    /// assert_eq!((episode.goal_reached(), episode.calls_left()), (false, 19));
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    #[must_use]
    pub fn visible_tools(&self) -> Vec<Tool> {
        let tools = self.graph.tools().into_iter().enumerate();
        tools.filter_map(|(tool, it)| self.is_visible(tool).then_some(it)).collect()
    }

    fn is_visible(&self, tool: usize) -> bool {
        let is_banned = || self.banned.contains(&tool) && !self.removed.contains(&tool);
        let keeps_banned = self.scenario.rules.banned_tools == RuleVersion::Released;
        self.can_see(tool) && (self.graph.is_available(tool) || keeps_banned && is_banned())
    }

    fn can_see(&self, tool: usize) -> bool {
        self.seen.as_ref().is_none_or(|seen| seen[tool])
    }

    /// Returns the tools with their current costs and bans.
    #[must_use]
    pub const fn graph(&self) -> &ToolGraph {
        &self.graph
    }

    /// Returns the data types that are present now.
    #[must_use]
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// Returns whether all data types of the goal are present.
    #[must_use]
    pub fn goal_reached(&self) -> bool {
        self.state.is_superset(&self.scenario.problem().goal)
    }

    /// Returns the number of calls that can still be made.
    #[must_use]
    pub fn calls_left(&self) -> usize {
        self.scenario.call_limit.saturating_sub(self.records.len())
    }

    /// Calls the tool of this name with all the inputs it needs.
    ///
    /// # Errors
    ///
    /// [`Error::NoCallsLeft`] once the call limit of the scenario is reached.
    pub fn call(&mut self, tool: &str) -> Result<CallRecord, Error> {
        self.check_calls_left()?;
        Ok(self.request::<&str>(tool, None))
    }

    /// Calls the tool of this name with the given parameters, which are named after data types.
    ///
    /// The status of an invalid call names its first fault in this order: the tool, an unexpected
    /// parameter, a missing parameter, an input whose value does not exist yet.
    ///
    /// # Errors
    ///
    /// [`Error::NoCallsLeft`] once the call limit of the scenario is reached.
    ///
    /// ```
    /// use tool_graph::{CallStatus, Episode, Scenario, Tool, ToolGraph};
    ///
    /// let graph = ToolGraph::new(vec![
    ///     Tool::new("search", ["query"], ["hits"], 4.0),
    ///     Tool::new("ask", ["query"], ["hits"], 7.0),
    ///     Tool::new("pick", ["hits"], ["choice"], 2.0),
    /// ])?;
    /// let problem = graph.problem(&["query"], &["choice"])?;
    ///
    /// let scenario = Scenario::new(graph, problem)?;
    /// let mut episode = Episode::new(&scenario);
    /// let status = episode.call_with("search", &["query", "page"])?.status;
    /// assert_eq!(status, CallStatus::UnexpectedParameter("page".into()));
    /// let status = episode.call_with("search", &[""; 0])?.status;
    /// assert_eq!(status, CallStatus::MissingParameter("query".into()));
    /// assert!(episode.call_with("search", &["query"])?.status.is_done());
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    pub fn call_with<S: AsRef<str>>(
        &mut self,
        tool: &str,
        given: &[S],
    ) -> Result<CallRecord, Error> {
        self.check_calls_left()?;
        Ok(self.request(tool, Some(given)))
    }

    /// Makes a call, regardless of the call limit. Without given parameters, the call has all inputs.
    pub(super) fn request<S: AsRef<str>>(&mut self, name: &str, given: Option<&[S]>) -> CallRecord {
        let tool = self.graph.tool_index(name);
        let fault = match (tool, given) {
            (None, _) => Some(CallStatus::UnknownTool),
            (Some(tool), Some(given)) if self.graph.is_available(tool) && self.can_see(tool) => {
                self.wrong_parameter(tool, given)
            }
            _ => None,
        };
        self.make_call(name, tool, fault)
    }

    /// Returns the names of the inputs of a tool; none for an unknown tool.
    pub(super) fn inputs_of(&self, name: &str) -> Vec<String> {
        let tool = self.graph.tool_index(name);
        let needs = tool.map_or(&[][..], |tool| self.graph.needs(tool));
        needs.iter().map(|&need| self.graph.type_names()[need as usize].clone()).collect()
    }

    /// Makes a call of a tool of the library, regardless of the call limit.
    pub(super) fn carry_out(&mut self, tool: usize) -> CallRecord {
        let name = self.graph.name(tool).to_owned();
        self.make_call(&name, Some(tool), None)
    }

    /// Makes a call, which fails if a fault is given.
    fn make_call(
        &mut self,
        name: &str,
        tool: Option<usize>,
        fault: Option<CallStatus>,
    ) -> CallRecord {
        let rules = self.scenario.rules;
        let mut status = match fault.or_else(|| tool.and_then(|tool| self.fault(tool))) {
            Some(_) if self.banned_names.iter().any(|banned| banned == name) => CallStatus::Banned,
            Some(status) => status,
            None => CallStatus::Done { advanced: true },
        };
        let mut cost = tool.map_or(0.0, |tool| self.graph.cost_of(tool));
        let after_goal = self.goal_reached();
        let counts = status.is_done() || rules.event_clock == RuleVersion::Released;
        let due = if counts && !after_goal { self.step() } else { None };
        let is_ban = due.is_some_and(|event| match &self.scenario.events()[event] {
            Event::BanTool => true,
            Event::BanNamed(banned) => banned == name,
            _ => false,
        });
        // A ban stays due until a tool of the library is called.
        let can_fall = tool.is_some() || rules.unknown_bans == RuleVersion::Released;
        let due = due.filter(|_| !is_ban || can_fall);
        let mut event = None;
        if is_ban {
            event = due.and_then(|due| self.apply_event(due, tool));
            if event.is_some() {
                status = CallStatus::Banned;
                if tool.is_none() {
                    self.banned_names.push(name.to_owned());
                }
            }
        }
        if let (CallStatus::Done { advanced }, Some(tool)) = (&mut status, tool) {
            *advanced = self.graph.add_outputs(tool, &mut self.state);
        } else if status != CallStatus::Banned || rules.failed_calls == RuleVersion::PaperText {
            cost = 0.0;
        }
        if !is_ban {
            event = due.and_then(|due| self.apply_event(due, tool));
        }
        if due.is_some() && event.is_none() {
            // The event was skipped; the steps to the next one count from here.
            self.plan_next_event();
        }
        let record = CallRecord { name: name.to_owned(), tool, status, cost, after_goal, event };
        self.records.push(record.clone());
        record
    }

    /// Returns the reason why a call of the tool fails before any event occurs at it.
    fn fault(&self, tool: usize) -> Option<CallStatus> {
        if !self.can_see(tool) {
            return Some(CallStatus::Unavailable);
        }
        if !self.graph.is_available(tool) {
            let is_visible = self.banned.contains(&tool) && !self.removed.contains(&tool);
            let released = self.scenario.rules.failed_calls == RuleVersion::Released;
            let is_banned = released && is_visible;
            return Some(if is_banned { CallStatus::Banned } else { CallStatus::Unavailable });
        }
        let mut needs = self.graph.needs(tool).iter().map(|&need| need as usize);
        let missing = needs.find(|&need| !self.state.contains(need))?;
        Some(CallStatus::MissingInput(self.graph.type_names()[missing].clone()))
    }

    /// Ends the run and returns its transcript.
    ///
    /// `answer_is_right` states whether the agent's final answer is correct. The data types do not show this.
    #[must_use]
    pub fn finish(self, answer_is_right: bool) -> Transcript {
        let goal_reached = self.goal_reached();
        let banned_twice = has_twins(self.banned) || has_twins(self.banned_names);
        Transcript {
            calls: self.records,
            goal_reached,
            answer_is_right,
            events_planned: self.scenario.events().len(),
            events_fired: self.events_fired,
            banned_twice,
            rules: self.scenario.rules,
            has_exact_plans: self.has_exact_plans,
            is_greedy: false,
            plans: AllPlans::default(),
        }
    }

    fn check_calls_left(&self) -> Result<(), Error> {
        match self.calls_left() {
            0 => Err(Error::NoCallsLeft { limit: self.scenario.call_limit }),
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
}

fn has_twins<T: Ord>(mut items: Vec<T>) -> bool {
    items.sort_unstable();
    items.windows(2).any(|pair| pair[0] == pair[1])
}
