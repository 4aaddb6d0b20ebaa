/// An invalid input, or a reason why a result is undefined for it.
///
/// ```
/// use tool_graph::{Error, ToolGraph};
///
/// let error = ToolGraph::new(vec![]).unwrap_err();
/// assert_eq!(error, Error::ScoringRules(tool_graph::scoring_rules::Error::Empty));
/// assert_eq!(error.to_string(), "the input is empty; give at least one row of positive weight");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting or a length is invalid, or the input is empty.
    #[error(transparent)]
    ScoringRules(#[from] scoring_rules::Error),
    /// The cost of a tool is negative, infinite or NaN.
    #[error("the cost of tool {tool:?} is {value}; costs must be finite and at least 0")]
    Cost {
        /// The name of the tool.
        tool: String,
        /// The cost.
        value: f64,
    },
    /// The costs of a library differ too much in magnitude to be added exactly.
    #[error(
        "the cost of tool {tool:?} cannot be added exactly to the costs of the other tools; all costs \
         together must span at most about 30 decimal places"
    )]
    CostRange {
        /// The name of the first tool whose cost cannot be added to the costs before it.
        tool: String,
    },
    /// Two tools have the same name.
    #[error("two tools are named {tool:?}; names must be unique")]
    DuplicateTool {
        /// The name.
        tool: String,
    },
    /// A composite tool names a component that is not in the library.
    #[error(
        "the component {component:?} of tool {tool:?} is not in the library; add the component to the \
         library or remove it from the tool"
    )]
    UnknownComponent {
        /// The name of the composite tool.
        tool: String,
        /// The name of the component.
        component: String,
    },
    /// A composite tool contains itself, directly or through its components.
    #[error("tool {tool:?} contains itself; remove the cycle from its components")]
    ComponentCycle {
        /// The name of a tool on the cycle.
        tool: String,
    },
    /// An input of a component is missing when a composite tool runs it.
    #[error(
        "the input {input:?} is missing when tool {tool:?} runs its component {component:?}; the input \
         must be an input of the tool or an output of an earlier component"
    )]
    ComponentInput {
        /// The name of the composite tool.
        tool: String,
        /// The name of the component.
        component: String,
        /// The missing data type.
        input: String,
    },
    /// A composite tool declares an output that none of its components yields.
    #[error(
        "tool {tool:?} declares the output {output:?}, but none of its components yields it; remove the \
         output or add a component that yields it"
    )]
    ComponentOutput {
        /// The name of the composite tool.
        tool: String,
        /// The data type.
        output: String,
    },
    /// No tool of the graph needs or yields this data type.
    #[error("no tool needs or yields the data type {name:?}; use one of ToolGraph::type_names")]
    UnknownType {
        /// The name of the data type.
        name: String,
    },
    /// A data type of the goal is missing at the start, and no tool of the library yields it.
    #[error(
        "the goal {goal:?} is missing at the start and no tool of the library yields it; use a data \
         type that some tool yields"
    )]
    GoalNeverProduced {
        /// The name of the data type.
        goal: String,
    },
    /// The available tools cannot reach the goal from the start.
    #[error(
        "the goal {goal:?} cannot be reached: {missing:?} is missing at the start, and no tool that can \
         be called yields it; add it to the start or add a tool that yields it"
    )]
    GoalOutOfReach {
        /// The name of the goal's data type.
        goal: String,
        /// The missing data type, which is the goal itself if no available tool yields the goal.
        missing: String,
    },
    /// No tool of the library has this name.
    #[error("the library has no tool named {name:?}")]
    UnknownTool {
        /// The name.
        name: String,
    },
    /// The position of a tool is outside the library.
    #[error("tool {tool} does not exist; the library has {tools} tools, numbered from 0")]
    NoSuchTool {
        /// The position, from 0.
        tool: usize,
        /// The number of tools.
        tools: usize,
    },
    /// A state or problem belongs to a graph with other data types.
    #[error("the state belongs to a graph with other data types; use states made by this graph")]
    OtherGraph,
    /// The tools that lead to the goal do not form a chain.
    #[error(
        "the tools that lead to the goal do not form a chain, in which each tool needs and yields at \
         most one data type and there is no cycle"
    )]
    NotAChain,
    /// The number of plans exceeds 128 bits.
    #[error("there are more than 2^128 plans; list the best plans instead of counting them")]
    TooManyPlans,
    /// A search by [`TieRule::Released`](crate::TieRule::Released) reached its limit.
    #[error(
        "no plan was found within {sequences} sequences of calls; use TieRule::FewestCalls or fewer \
         tools"
    )]
    SearchLimit {
        /// The largest number of sequences of calls.
        sequences: usize,
    },
    /// The search for the best plan reached its limit.
    #[error(
        "no plan was shown to be the best within {steps} steps; the lowest cost is at least {lowest} and \
         at most {highest}; use ToolGraph::optimal_plan_within with more steps, or fewer tools"
    )]
    PlanLimit {
        /// The limit.
        steps: u64,
        /// A cost that every plan has at least.
        lowest: f64,
        /// The cost of the best known plan.
        highest: f64,
    },
    /// A name is not one of the known names.
    #[error("no {what} is called {name:?}; the names are {known}")]
    UnknownName {
        /// What should have the name.
        what: &'static str,
        /// The name as given.
        name: String,
        /// The known names.
        known: &'static str,
    },
    /// A call was made after the call limit was reached.
    #[error("all {limit} calls of this run were made; finish the run or raise its call limit")]
    NoCallsLeft {
        /// The call limit of the run.
        limit: usize,
    },
    /// A file does not hold a scenario.
    #[cfg(feature = "serde")]
    #[error("this is not a valid scenario file: {problem}")]
    ScenarioFile {
        /// The problem and its position.
        problem: String,
    },
    /// A measure of trajectory-metrics is undefined for the given runs.
    #[error(transparent)]
    TrajectoryMetrics(#[from] trajectory_metrics::Error),
}
