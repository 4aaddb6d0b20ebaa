use crate::{error::Error, graph::tool_graph::ToolGraph};

/// An event that changes the world during a run.
///
/// An event is due at a step of the run, which is a call; see [`TriggerRule`](crate::TriggerRule).
///
/// Reference: CostBench, section 3.2 and appendix B.5.
///
/// ```
/// use tool_graph::{Event, Scenario, Tool, ToolGraph};
///
/// let graph = ToolGraph::new(vec![
///     Tool::new("search", ["query"], ["hits"], 4.0),
///     Tool::new("ask", ["query"], ["hits"], 7.0),
///     Tool::new("pick", ["hits"], ["choice"], 2.0),
/// ])?;
/// let problem = graph.problem(&["query"], &["choice"])?;
///
/// let end = |event: Event| {
///     let scenario = Scenario::new(graph.clone(), problem.clone())?.with_events(vec![event])?;
///     Ok::<_, tool_graph::Error>(graph.tool_names(&scenario.optimal_run().path()).join(" "))
/// };
/// assert_eq!(end(Event::BanTool)?, "search ask pick");
/// assert_eq!(end(Event::BanNamed("search".into()))?, "search ask pick");
/// assert_eq!(end(Event::PreferenceChange)?, "search search pick");
/// assert_eq!(end(Event::CostChange(vec![9.0, 7.0, 3.0]))?, "search pick");
/// assert_eq!(end(Event::RemoveTools(vec![1]))?, "search pick");
/// assert!(Event::BanTool.is_explicit() && !Event::RemoveTools(vec![1]).is_explicit());
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Event {
    /// The current call fails, and its tool is unavailable from then on. The call costs nothing and yields nothing,
    /// but belongs to the path of the run.
    BanTool,
    /// The tool of this name is unavailable from the current call on. If that is a call of the tool, it
    /// fails as with [`Self::BanTool`].
    BanNamed(String),
    /// After the current call, only the data types of the start are present.
    PreferenceChange,
    /// After the current call, the tools of the library have these costs, in library order.
    CostChange(Vec<f64>),
    /// After the current call, the tools at these positions in the library are unavailable.
    RemoveTools(Vec<usize>),
}

impl Event {
    /// Returns whether the agent is informed of the event. A failed call shows a ban, and the user tells the agent of a
    /// preference change. The agent has to notice other events without help, including the ban of a tool that it is not
    /// calling at the moment.
    #[must_use]
    pub const fn is_explicit(&self) -> bool {
        matches!(self, Self::BanTool | Self::PreferenceChange)
    }

    /// Checks that the event fits the graph.
    pub(super) fn check(&self, graph: &ToolGraph) -> Result<(), Error> {
        match self {
            Self::BanTool | Self::PreferenceChange => Ok(()),
            Self::BanNamed(name) => graph.index_of(name).map(|_| ()),
            Self::CostChange(costs) => graph.with_costs(costs).map(|_| ()),
            Self::RemoveTools(tools) => graph.total_cost(tools).map(|_| ()),
        }
    }
}
