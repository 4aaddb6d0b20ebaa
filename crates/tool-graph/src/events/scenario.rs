use crate::error::Error;
use crate::events::event::Event;
use crate::events::trigger_rule::TriggerRule;
use crate::graph::plan::Plan;
use crate::graph::problem::Problem;
use crate::graph::tool_graph::ToolGraph;
use crate::plans::tie_rule::TieRule;
use crate::searches::reach::out_of_reach;

/// A task in a world that changes: tools, a start and a goal, and the events to come.
///
/// Events come in the order given. How many steps lie before each follows from the optimal plan at
/// the start and after each event ([`TriggerRule`]). A step is a call that could be carried out, so
/// failed calls do not bring an event nearer.
///
/// An event that would leave no way to the goal does not happen, so the goal of a scenario can
/// always be reached: [`Self::new`] checks the start, and each event is checked at the moment when
/// it falls due. Whether an event will leave a way cannot be told before, because it depends on what
/// the run has by then. In CostBench no event of up to `n - 2` bans in a task of `n` steps is passed
/// over.
///
/// With the feature `serde` a scenario is read from a file that names tools and data types:
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
///   "call_limit": 20
/// }
/// ```
///
/// Only tools and task are required; composite tools have `components`, and `banned` names tools
/// that are out from the start. The fourth event is `"preference_change"`. A tool that a cost change
/// does not name keeps the cost it has by then. Unknown and repeated keys, names that no tool has, and
/// goals that no tool yields or that cannot be reached are refused.
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
/// use tool_graph::{TieRule, TriggerRule};
///
/// let scenario = Scenario::new(graph, problem)?
///     .with_events(vec![Event::BanTool])?
///     .with_trigger_rule(TriggerRule::PaperText)
///     .with_tie_rule(TieRule::FewestCalls)
///     .with_call_limit(10);
/// let names = |path: &[usize]| scenario.graph().tool_names(path).join(" ");
/// let plan = scenario.optimal_plan()?.expect("there is a way");
/// assert_eq!(names(plan.tools()), "search pick");
/// // By this rule the ban falls on the last call. Without another tool to pick with, it does not
/// // happen.
/// let run = scenario.optimal_run()?;
/// assert_eq!((names(&run.path()).as_str(), run.events_fired()), ("search pick", 0));
/// // By the released one it falls on the first.
/// let scenario = scenario.clone().with_trigger_rule(TriggerRule::Released);
/// let run = scenario.optimal_run()?;
/// assert_eq!((names(&run.path()).as_str(), run.events_fired()), ("search ask pick", 1));
/// assert_eq!(scenario.greedy_run(GreedyRule::Chain)?, run);
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    graph: ToolGraph,
    problem: Problem,
    events: Vec<Event>,
    trigger_rule: TriggerRule,
    tie_rule: TieRule,
    call_limit: usize,
}

impl Scenario {
    /// A world without events, in which 20 calls can be made.
    ///
    /// # Errors
    ///
    /// [`Error::OtherGraph`] where the problem is that of a graph of other data types, and
    /// [`Error::GoalOutOfReach`] where no calls of available tools lead to the goal.
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
            call_limit: 20,
        })
    }

    /// The same with these events.
    ///
    /// # Errors
    ///
    /// [`Error::Length`], [`Error::Cost`] or [`Error::CostRange`] for costs that the graph cannot
    /// have; [`Error::NoSuchTool`] for the removal of a tool that is not there.
    pub fn with_events(self, events: Vec<Event>) -> Result<Self, Error> {
        events.iter().try_for_each(|event| event.check(&self.graph))?;
        Ok(Self { events, ..self })
    }

    /// The same with another rule for when events come.
    #[must_use]
    pub fn with_trigger_rule(self, trigger_rule: TriggerRule) -> Self {
        Self { trigger_rule, ..self }
    }

    /// The same with another rule for plans of the same cost.
    #[must_use]
    pub fn with_tie_rule(self, tie_rule: TieRule) -> Self {
        Self { tie_rule, ..self }
    }

    /// The same with another number of calls, failed ones included, after which a run is over.
    #[must_use]
    pub fn with_call_limit(self, call_limit: usize) -> Self {
        Self { call_limit, ..self }
    }

    /// The tools at the start.
    #[must_use]
    pub const fn graph(&self) -> &ToolGraph {
        &self.graph
    }

    /// The start and the goal.
    #[must_use]
    pub const fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The events to come.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The rule for when events come.
    #[must_use]
    pub const fn trigger_rule(&self) -> TriggerRule {
        self.trigger_rule
    }

    /// The rule for plans of the same cost.
    #[must_use]
    pub const fn tie_rule(&self) -> TieRule {
        self.tie_rule
    }

    /// The number of calls after which a run is over.
    #[must_use]
    pub const fn call_limit(&self) -> usize {
        self.call_limit
    }

    /// The optimal plan at the start, which knows of no event; `None` where there is no plan. As
    /// long as [`TieRule::optimal_plan`] takes: exponential at worst.
    ///
    /// # Errors
    ///
    /// None for a scenario that was made; those of [`TieRule::optimal_plan`] are ruled out.
    pub fn optimal_plan(&self) -> Result<Option<Plan>, Error> {
        self.tie_rule.optimal_plan(&self.graph, &self.problem)
    }
}
