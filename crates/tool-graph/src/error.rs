/// The reason why an input is invalid, or why a result is undefined.
///
/// ```
/// use tool_graph::{Error, ToolGraph};
///
/// let error = ToolGraph::new(vec![]).unwrap_err();
/// assert_eq!(error, Error::ScoringRules(tool_graph::scoring_rules::Error::Empty));
/// assert_eq!(error.to_string(), "the input is empty; give at least one row of positive weight");
/// ```
///
/// With the feature `serde`, an error is written as its text. Variants may get more fields. A pattern ends with `..`,
/// and without it does not compile:
///
/// ```compile_fail,E0638
/// use tool_graph::Error;
///
/// fn limit(error: &Error) -> Option<usize> {
///     match error {
///         Error::NoCallsLeft { limit } => Some(*limit),
///         _ => None,
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting or a length is invalid, or the input is empty.
    #[error(transparent)]
    ScoringRules(#[from] scoring_rules::Error),
    /// A tool cannot be part of its library: its name is empty or not unique, a data type is repeated, its cost is
    /// invalid or cannot be added exactly to the others, or it cannot run its components.
    #[error("{problem}")]
    #[non_exhaustive]
    Tool {
        /// The name of the tool.
        tool: String,
        /// The problem, with the name.
        problem: String,
    },
    /// A name is unknown to the library or is not one of the known names, or no tool yields the data type.
    #[error("{problem}")]
    #[non_exhaustive]
    Name {
        /// The name as given.
        name: String,
        /// The problem, with the name.
        problem: String,
    },
    /// The available tools cannot reach the goal from the start.
    #[error(
        "the goal {goal:?} cannot be reached: {missing:?} is missing at the start, and no tool that can \
         be called yields it; add it to the start or add a tool that yields it"
    )]
    #[non_exhaustive]
    GoalOutOfReach {
        /// The name of the goal's data type.
        goal: String,
        /// The missing data type, which is the goal itself if no available tool yields the goal.
        missing: String,
    },
    /// The position of a tool is outside the library.
    #[error("tool {tool} does not exist; the library has {tools} tools, numbered from 0")]
    #[non_exhaustive]
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
        "the tools that lead to the goal do not form a chain; in a chain, each tool needs and \
         yields at most one data type, and there is no cycle"
    )]
    NotAChain,
    /// The number of plans exceeds 128 bits.
    #[error("there are more than 2^128 plans; list the best plans instead of counting them")]
    TooManyPlans,
    /// A search under [`TieRule::Released`](crate::TieRule::Released) reached its limit.
    #[error(
        "no plan was found within {sequences} sequences of calls; use TieRule::FewestCalls or fewer \
         tools"
    )]
    #[non_exhaustive]
    SearchLimit {
        /// The largest number of sequences of calls.
        sequences: usize,
    },
    /// The search for the best plan reached its limit.
    #[error(
        "the search ended after {steps} steps without a proof of the best plan; its cost is at least {lowest} and at \
         most {highest}; use ToolGraph::optimal_plan_within with more steps, or fewer tools"
    )]
    #[non_exhaustive]
    PlanLimit {
        /// The limit on the steps of the search.
        steps: u64,
        /// A lower bound on the cost of every plan.
        lowest: f64,
        /// The cost of the best known plan.
        highest: f64,
    },
    /// A call was made after the call limit was reached.
    #[error("all {limit} calls of this run were made; finish the run or raise its call limit")]
    #[non_exhaustive]
    NoCallsLeft {
        /// The call limit of the run.
        limit: usize,
    },
    /// A file does not hold a scenario.
    #[cfg(feature = "json")]
    #[error("this is not a valid scenario file: {problem}")]
    #[non_exhaustive]
    ScenarioFile {
        /// The problem and its position.
        problem: String,
    },
    /// A measure of trajectory-metrics is undefined for the given runs. A shared error inside it is
    /// [`Self::ScoringRules`].
    #[error(transparent)]
    TrajectoryMetrics(trajectory_metrics::Error),
}

scoring_rules::flat_error!(trajectory_metrics: TrajectoryMetrics, ScoringRules);
scoring_rules::serialize_as_text!(Error);

impl Error {
    pub(crate) fn tool(tool: &str, problem: String) -> Self {
        Self::Tool { tool: tool.to_owned(), problem }
    }

    pub(crate) fn name(name: &str, problem: String) -> Self {
        Self::Name { name: name.to_owned(), problem }
    }

    pub(crate) fn unknown_type(name: &str) -> Self {
        let use_one = "use one of ToolGraph::type_names";
        Self::name(name, format!("no tool needs or yields the data type {name:?}; {use_one}"))
    }
}
