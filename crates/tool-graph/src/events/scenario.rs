use crate::{
    error::Error,
    events::{environment_rules::EnvironmentRules, event::Event, trigger_rule::TriggerRule},
    graph::{plan::Plan, problem::Problem, tool_graph::ToolGraph},
    plans::tie_rule::TieRule,
    searches::reach::out_of_reach,
};

/// A task in a changing world: tools, a problem, and the events that occur during a run.
///
/// Events occur in the given order. The number of steps before each event follows from the optimal
/// plan at the start and after the previous event ([`TriggerRule`]). A step is a call that was
/// carried out or banned at that call; failed calls do not bring an event nearer. These are the rules
/// of CostBench's paper; [`EnvironmentRules`] offers those of its released code.
///
/// The goal of a scenario can always be reached: [`Self::new`] checks the start, and an event that
/// would make the goal unreachable is skipped. This is decided when the event is due, because it
/// depends on the data types that the run has by then. CostBench skips no event in tasks of `n` steps
/// with up to `n - 2` bans.
///
/// With the feature `serde`, a scenario can be read from a file that names tools and data types:
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
/// Only `tools` and `task` are required. Composite tools have `components`, and `banned` lists tools
/// that are unavailable from the start. The fourth kind of event is `"preference_change"`. A cost
/// change leaves the costs of tools that it does not name unchanged. Unknown and repeated keys,
/// unknown tool names, and goals that no tool yields or that cannot be reached are errors.
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
///     .with_trigger_rule(TriggerRule::PaperText)
///     .with_tie_rule(TieRule::FewestCalls)
///     .with_call_limit(10);
/// let names = |path: &[usize]| scenario.graph().tool_names(path).join(" ");
/// let plan = scenario.optimal_plan();
/// assert_eq!(names(plan.tools()), "search pick");
/// // By this rule the ban is due at the last call. It is skipped because no other tool can pick.
/// let run = scenario.optimal_run();
/// assert_eq!((names(&run.path()).as_str(), run.events_fired()), ("search pick", 0));
/// // By the released rule it is due at the first call.
/// let scenario = scenario.clone().with_trigger_rule(TriggerRule::Released);
/// let run = scenario.optimal_run();
/// assert_eq!((names(&run.path()).as_str(), run.events_fired()), ("search ask pick", 1));
/// assert_eq!(scenario.greedy_run(GreedyRule::Chain), run);
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    graph: ToolGraph,
    problem: Problem,
    events: Vec<Event>,
    trigger_rule: TriggerRule,
    tie_rule: TieRule,
    rules: EnvironmentRules,
    call_limit: usize,
}

impl Scenario {
    /// A scenario without events and with a limit of 20 calls.
    ///
    /// # Errors
    ///
    /// [`Error::OtherGraph`] if the problem belongs to a graph with other data types, and
    /// [`Error::GoalOutOfReach`] if the available tools cannot reach the goal.
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
    /// assert_eq!(error, Error::GoalOutOfReach { goal: "choice".into(), missing: "taste".into() });
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(graph: ToolGraph, problem: Problem) -> Result<Self, Error> {
        graph.check_problem(&problem)?;
        if let Some((goal, missing)) = out_of_reach(&graph, &problem) {
            let name = |number: usize| graph.type_names()[number].clone();
            return Err(Error::GoalOutOfReach { goal: name(goal), missing: name(missing) });
        }
        Ok(Self {
            graph,
            problem,
            events: Vec::new(),
            trigger_rule: TriggerRule::default(),
            tie_rule: TieRule::default(),
            rules: EnvironmentRules::default(),
            call_limit: 20,
        })
    }

    /// Replaces the events.
    ///
    /// # Errors
    ///
    /// [`Error::Length`], [`Error::Cost`] or [`Error::CostRange`] for a cost change that does not fit
    /// the graph, as in [`ToolGraph::with_costs`]; [`Error::NoSuchTool`] for the removal of a tool
    /// that is not in the library.
    pub fn with_events(self, events: Vec<Event>) -> Result<Self, Error> {
        events.iter().try_for_each(|event| event.check(&self.graph))?;
        Ok(Self { events, ..self })
    }

    /// Replaces the rule for when events occur.
    #[must_use]
    pub fn with_trigger_rule(self, trigger_rule: TriggerRule) -> Self {
        Self { trigger_rule, ..self }
    }

    /// Replaces the rule that chooses between plans of equal cost.
    #[must_use]
    pub fn with_tie_rule(self, tie_rule: TieRule) -> Self {
        Self { tie_rule, ..self }
    }

    /// Replaces the rules on which CostBench's paper and its released code differ.
    #[must_use]
    pub fn with_rules(self, rules: EnvironmentRules) -> Self {
        Self { rules, ..self }
    }

    /// Replaces the number of calls that a run can make, including failed calls.
    #[must_use]
    pub fn with_call_limit(self, call_limit: usize) -> Self {
        Self { call_limit, ..self }
    }

    /// The tools at the start.
    #[must_use]
    pub const fn graph(&self) -> &ToolGraph {
        &self.graph
    }

    /// The data types at the start and the goal.
    #[must_use]
    pub const fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The events, in the order in which they occur.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The rule for when events occur.
    #[must_use]
    pub const fn trigger_rule(&self) -> TriggerRule {
        self.trigger_rule
    }

    /// The rule that chooses between plans of equal cost.
    #[must_use]
    pub const fn tie_rule(&self) -> TieRule {
        self.tie_rule
    }

    /// The rules on which CostBench's paper and its released code differ.
    #[must_use]
    pub const fn rules(&self) -> EnvironmentRules {
        self.rules
    }

    /// The number of calls that a run can make, including failed calls.
    #[must_use]
    pub const fn call_limit(&self) -> usize {
        self.call_limit
    }

    /// The optimal plan at the start, made without knowledge of the events.
    ///
    /// # Complexity
    ///
    /// The cost of [`TieRule::optimal_plan`]: exponential time in the worst case.
    #[must_use]
    pub fn optimal_plan(&self) -> Plan {
        match self.tie_rule.best(&self.graph, &self.problem) {
            Some(plan) => plan,
            None => unreachable!("Scenario::new checks that the goal can be reached"),
        }
    }
}
