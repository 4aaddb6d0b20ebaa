use crate::{
    error::Error,
    events::{environment_rules::EnvironmentRules, event::Event, trigger_rule::TriggerRule},
    graph::{plan::Plan, problem::Problem, tool_graph::ToolGraph},
    plans::tie_rule::TieRule,
    searches::{effort::Effort, reach::out_of_reach},
};

/// A task in a changing world: tools, a problem, and the events that occur during a run.
///
/// Events occur in the given order. The number of steps before each event follows from the optimal plan at the start
/// and after the previous event ([`TriggerRule`]). A step is a call that was carried out, or a call at which its
/// tool was banned. Failed calls do not bring an event nearer. These are the rules of CostBench's paper;
/// [`EnvironmentRules`] offers the rules of its released code.
///
/// The goal of a scenario can always be reached: [`Self::new`] checks the start, and an event that
/// would make the goal unreachable is skipped. This is decided when the event is due, because it
/// depends on the data types that the run has by then. CostBench skips no event in tasks of `n` steps
/// with up to `n - 2` bans.
///
/// With the feature `serde`, a scenario can be written and read with the names of its tools and data types. With the
/// feature `json`, `Scenario::from_json` reads it from the bytes of a file:
///
/// ```json
/// {
///   "tools": [
///     {"name": "search", "inputs": ["query"], "outputs": ["hits"], "cost": 4.0},
///     {"name": "ask", "inputs": ["query"], "outputs": ["hits"], "cost": 7.0},
///     {"name": "pick", "inputs": ["hits"], "outputs": ["choice"], "cost": 2.0}
///   ],
///   "task": {"initial": ["query"], "goal": ["choice"]},
///   "events": ["ban_tool", {"cost_change": {"ask": 9.5}}, {"remove_tools": ["search"]}],
///   "trigger_rule": "released",
///   "tie_rule": "fewest_calls",
///   "rules": {"failed_calls": "released"},
///   "call_limit": 20
/// }
/// ```
///
/// Only `tools` and `task` are required. Composite tools have `components`, and `banned` lists tools that are
/// unavailable from the start. The other kinds of events are `"preference_change"` and `{"ban_named": "pick"}`, and
/// events at chosen steps have `"trigger_rule": {"at_steps": [1, 2, 4]}`. A cost change keeps the costs of tools
/// that it does not name. Unknown and repeated keys, unknown tool names, goals without a tool that yields them, and
/// unreachable goals are errors.
///
/// ```
/// use tool_graph::{Event, GreedyRule, Scenario, TieRule, Tool, ToolGraph, TriggerRule};
///
/// let graph = ToolGraph::new(vec![
///     Tool::new("search", ["query"], ["hits"], 4.0),
///     Tool::new("ask", ["query"], ["hits"], 7.0),
///     Tool::new("pick", ["hits"], ["choice"], 2.0),
/// ])?;
/// let problem = graph.problem(&["query"], &["choice"])?;
///
/// let scenario = Scenario::new(graph, problem)?
///     .with_events(vec![Event::BanTool])?
///     .with_trigger_rule(TriggerRule::PaperText)?
///     .with_tie_rule(TieRule::FewestCalls)
///     .with_call_limit(10);
/// let names = |path: &[usize]| scenario.graph().tool_names(path).join(" ");
/// let plan = scenario.optimal_plan();
/// assert_eq!(names(&plan.tools[..]), "search pick");
/// // By this rule the ban is due at the last call. It is skipped because no other tool can pick.
/// let run = scenario.optimal_run();
/// assert_eq!((names(&run.path()).as_str(), run.events_fired), ("search pick", 0));
/// // By the released rule it is due at the first call.
/// let scenario = scenario.clone().with_trigger_rule(TriggerRule::Released)?;
/// let run = scenario.optimal_run();
/// assert_eq!((names(&run.path()).as_str(), run.events_fired), ("search ask pick", 1));
/// assert_eq!(scenario.greedy_run(GreedyRule::Chain).calls, run.calls);
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    graph: ToolGraph,
    problem: Problem,
    events: Vec<Event>,
    pub(crate) trigger_rule: TriggerRule,
    pub(crate) tie_rule: TieRule,
    pub(crate) rules: EnvironmentRules,
    pub(crate) call_limit: usize,
    /// The steps that the searches for plans of one run may take together.
    search_steps: u64,
    /// The plan of [`TieRule::FewestCalls`] at the start.
    start: Plan,
}

impl Scenario {
    /// Creates a scenario without events and with a limit of 20 calls.
    ///
    /// # Errors
    ///
    /// [`Error::OtherGraph`] if the problem belongs to a graph with other data types,
    /// [`Error::GoalOutOfReach`] if the available tools cannot reach the goal, and [`Error::PlanLimit`]
    /// if the limit of [`ToolGraph::optimal_plan`] does not suffice to find the best plan at the start.
    ///
    /// ```
    /// use tool_graph::{Error, Scenario, Tool, ToolGraph};
    ///
    /// let graph = ToolGraph::new(vec![
    ///     Tool::new("search", ["query"], ["hits"], 4.0),
    ///     Tool::new("pick", ["hits", "taste"], ["choice"], 2.0),
    /// ])?;
    /// let problem = graph.problem(&["query"], &["choice"])?;
    /// let error = Scenario::new(graph, problem).unwrap_err();
    /// assert!(matches!(error, Error::GoalOutOfReach { missing, .. } if missing == "taste"));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(graph: ToolGraph, problem: Problem) -> Result<Self, Error> {
        Self::with_search_steps(graph, problem, Effort::DEFAULT.steps)
    }

    /// Creates a scenario like [`Self::new`], but with this limit on the number of steps in searches for plans.
    ///
    /// The best plan at the start must be found within this number of steps. All later searches of one run, after
    /// events, share one limit of this number of steps. If these do not suffice, the run continues with the best
    /// known plans, and [`Transcript::has_exact_plans`](crate::Transcript::has_exact_plans) is false. A scenario
    /// that is written to a file loses its limit.
    ///
    /// # Errors
    ///
    /// As for [`Self::new`].
    pub fn with_search_steps(
        graph: ToolGraph,
        problem: Problem,
        search_steps: u64,
    ) -> Result<Self, Error> {
        graph.check_problem(&problem)?;
        if let Some((goal, missing)) = out_of_reach(&graph, &problem) {
            let name = |number: usize| graph.type_names()[number].clone();
            return Err(Error::GoalOutOfReach { goal: name(goal), missing: name(missing) });
        }
        let start = graph.best_plan_within(&problem, search_steps)?;
        let Some(start) = start else {
            unreachable!("the goal can be reached");
        };
        Ok(Self {
            graph,
            problem,
            events: Vec::new(),
            trigger_rule: TriggerRule::default(),
            tie_rule: TieRule::default(),
            rules: EnvironmentRules::default(),
            call_limit: 20,
            search_steps,
            start,
        })
    }

    /// Sets the events, which replace any earlier ones.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] or [`Error::Tool`] for a cost change that does not fit
    /// the graph, as in [`ToolGraph::with_costs`]; [`Error::NoSuchTool`] for the removal of a tool
    /// that is not in the library; and the errors of [`Self::with_trigger_rule`] if that was called before.
    pub fn with_events(self, events: Vec<Event>) -> Result<Self, Error> {
        self.trigger_rule.check(events.len())?;
        events.iter().try_for_each(|event| event.check(&self.graph))?;
        Ok(Self { events, ..self })
    }

    /// Sets the rule that determines when events occur.
    ///
    /// # Errors
    ///
    /// For [`TriggerRule::AtSteps`]: [`scoring_rules::Error::Entry`] for a step that is 0 or not above the step before
    /// it, and [`scoring_rules::Error::Setting`] for fewer steps than events.
    ///
    /// ```
    /// use tool_graph::{Error, Event, Scenario, Tool, ToolGraph, TriggerRule, scoring_rules};
    ///
    /// let graph = ToolGraph::new(vec![
    ///     Tool::new("search", ["query"], ["hits"], 4.0),
    ///     Tool::new("ask", ["query"], ["hits"], 7.0),
    /// ])?;
    /// let problem = graph.problem(&["query"], &["hits"])?;
    /// let events = vec![Event::PreferenceChange; 2];
    /// let scenario = Scenario::new(graph, problem)?.with_events(events)?;
    /// let at = |steps: &[usize]| {
    ///     scenario.clone().with_trigger_rule(TriggerRule::AtSteps(steps.to_vec())).map(|_| ())
    /// };
    /// assert_eq!(at(&[1, 4]), Ok(()));
    /// assert!(matches!(at(&[4]), Err(Error::ScoringRules(scoring_rules::Error::Setting { .. }))));
    /// let error = at(&[4, 1]).unwrap_err();
    /// assert!(matches!(&error, Error::ScoringRules(scoring_rules::Error::Entry { index: 1, .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn with_trigger_rule(self, trigger_rule: TriggerRule) -> Result<Self, Error> {
        trigger_rule.check(self.events.len())?;
        Ok(Self { trigger_rule, ..self })
    }

    /// Sets the rule that chooses between plans of equal cost.
    #[must_use]
    pub fn with_tie_rule(self, tie_rule: TieRule) -> Self {
        Self { tie_rule, ..self }
    }

    /// Sets the rules in which CostBench's paper and its released code differ.
    #[must_use]
    pub fn with_rules(self, rules: EnvironmentRules) -> Self {
        Self { rules, ..self }
    }

    /// Sets the number of calls that a run can make, including failed calls.
    #[must_use]
    pub fn with_call_limit(self, call_limit: usize) -> Self {
        Self { call_limit, ..self }
    }

    /// Returns the tools at the start.
    #[must_use]
    pub const fn graph(&self) -> &ToolGraph {
        &self.graph
    }

    /// Returns the problem: the data types at the start, and the goal.
    #[must_use]
    pub const fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Returns the events, in the order in which they occur.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Returns the plan that is optimal at the start, made without knowledge of the events.
    ///
    /// With [`TieRule::Released`], this is the plan of [`TieRule::FewestCalls`] if the released search
    /// reaches its limit ([`TieRule::optimal_plan`]).
    ///
    /// # Complexity
    ///
    /// Constant time with [`TieRule::FewestCalls`]; otherwise the time of [`TieRule::optimal_plan`].
    #[must_use]
    pub fn optimal_plan(&self) -> Plan {
        let found = self.plan_if_any(&self.graph, &self.problem, &mut self.effort());
        found.map_or_else(|| self.start.clone(), |(plan, _)| plan)
    }

    /// Returns the work that the searches for plans of one run may do.
    pub(crate) fn effort(&self) -> Effort {
        Effort { steps: self.search_steps, ..Effort::DEFAULT }
    }

    /// Returns the best known plan of a state of this scenario, and whether it is the best one by the rule for ties;
    /// `None` if the goal cannot be reached.
    pub(crate) fn plan_if_any(
        &self,
        graph: &ToolGraph,
        problem: &Problem,
        effort: &mut Effort,
    ) -> Option<(Plan, bool)> {
        let is_start = graph == &self.graph && problem == &self.problem;
        if is_start && self.tie_rule == TieRule::FewestCalls {
            return Some((self.start.clone(), true));
        }
        self.tie_rule.best_known(graph, problem, effort)
    }
}
