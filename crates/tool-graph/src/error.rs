/// What was wrong with the input, or why a number is not defined for it.
///
/// ```
/// use tool_graph::{Error, ToolGraph};
///
/// let error = ToolGraph::new(vec![]).unwrap_err();
/// assert_eq!(error, Error::Empty);
/// assert_eq!(error.to_string(), "nothing to compute from; give at least one item");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is nothing to compute from.
    #[error("nothing to compute from; give at least one item")]
    Empty,
    /// A tool has a cost that no plan can be compared by.
    #[error("tool {tool:?} costs {value}; give a finite cost of at least 0")]
    Cost {
        /// The name of the tool.
        tool: String,
        /// Its cost as given.
        value: f64,
    },
    /// The costs of one library lie too far apart to be added up exactly.
    #[error(
        "the cost of tool {tool:?} and those of the others cannot be added up exactly; \
         give costs whose decimals span at most some 30 places together"
    )]
    CostRange {
        /// The name of the first tool whose cost does not go with those before it.
        tool: String,
    },
    /// A list with one entry for each tool has another length.
    #[error("{what}: expected {expected}, found {found}")]
    Length {
        /// What is in the list.
        what: &'static str,
        /// The length it should have.
        expected: usize,
        /// The length it has.
        found: usize,
    },
    /// Two tools have the same name.
    #[error("tool {tool:?} is there twice; give each tool a name of its own")]
    DuplicateTool {
        /// The name.
        tool: String,
    },
    /// A composite tool names a component that is not in the library.
    #[error(
        "tool {tool:?} has the component {component:?}, which is not in the library; add it or leave it \
         out"
    )]
    UnknownComponent {
        /// The name of the composite tool.
        tool: String,
        /// The component that is not there.
        component: String,
    },
    /// A composite tool is, by way of its components, a component of itself.
    #[error("tool {tool:?} is a component of itself; leave it out of what it is made of")]
    ComponentCycle {
        /// The name of a tool on the cycle.
        tool: String,
    },
    /// A component would lack an input when a composite tool runs it.
    #[error(
        "when tool {tool:?} runs its component {component:?}, the input {input:?} is missing; \
         make it an input of the tool or an output of an earlier component"
    )]
    ComponentInput {
        /// The name of the composite tool.
        tool: String,
        /// The component that lacks an input.
        component: String,
        /// The data type that is missing.
        input: String,
    },
    /// A composite tool declares an output that none of its components yields.
    #[error(
        "tool {tool:?} declares the output {output:?}, which none of its components yields; leave it out \
         or add the component that does"
    )]
    ComponentOutput {
        /// The name of the composite tool.
        tool: String,
        /// The data type.
        output: String,
    },
    /// A data type was asked for that no tool needs or yields.
    #[error("no tool needs or yields the data type {name:?}; take one of the graph's type names")]
    UnknownType {
        /// The data type.
        name: String,
    },
    /// A goal is not there at the start, and no tool of the library yields it.
    #[error(
        "the goal {goal:?} is not there at the start and no tool of the library yields it; ask for a data \
         type that one does"
    )]
    GoalNeverProduced {
        /// The data type.
        goal: String,
    },
    /// The goal cannot be reached from the start with the tools that are there.
    #[error(
        "the goal {goal:?} cannot be reached: {missing:?} is not there at the start, and no tool \
         that can be called yields it; add it to the start, or add a tool that yields it"
    )]
    GoalOutOfReach {
        /// The data type of the goal.
        goal: String,
        /// What is missing on the way to it; the goal itself where no available tool yields it.
        missing: String,
    },
    /// A tool was named that the library does not have.
    #[error("no tool of the library is called {name:?}; use the name of one of its tools")]
    UnknownTool {
        /// The name as given.
        name: String,
    },
    /// A tool was named by a position that the library does not have.
    #[error("there is no tool {tool} in a library of {tools}; positions begin at 0")]
    NoSuchTool {
        /// The position, from 0.
        tool: usize,
        /// The number of tools.
        tools: usize,
    },
    /// A state or a problem was made by a graph of other data types.
    #[error("a state of a graph of other data types was given; use states that this graph made")]
    OtherGraph,
    /// The tools that lead to the goal do not form a chain.
    #[error(
        "the tools that lead to the goal are no chain: each must need and yield one data type \
         of it at most, without a circle; use another search"
    )]
    NotAChain,
    /// There are more plans than a 128-bit number can say.
    #[error("there are more than 2^128 plans; ask for the best of them instead")]
    TooManyPlans,
    /// A setting is outside its range.
    #[error("{name} is {value}; it must be {range}")]
    Setting {
        /// Which setting.
        name: &'static str,
        /// The number as given.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// No task of CostBench has this name.
    #[error(
        "no task is called {name:?}; there are location, transportation, accommodation, attraction, \
         dining and shopping"
    )]
    TaskName {
        /// The name as given.
        name: String,
    },
    /// No kind of events of CostBench has this name.
    #[error(
        "no kind of events is called {name:?}; there are ban_tool, preference_change, cost_change and \
         remove_tools"
    )]
    EventName {
        /// The name as given.
        name: String,
    },
    /// A call was made in a run that has no calls left.
    #[error("all {limit} calls of this run were made; finish it or give it a higher limit")]
    NoCallsLeft {
        /// The number of calls that a run can make.
        limit: usize,
    },
    /// A measure of trajectory-metrics is not defined for the runs given.
    #[error(transparent)]
    TrajectoryMetrics(#[from] trajectory_metrics::Error),
}
