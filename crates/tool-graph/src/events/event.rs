use crate::error::Error;
use crate::graph::tool_graph::ToolGraph;

/// Something that changes the world while a run is on its way.
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
    /// The call that it falls on fails, and the tool is out from then on. The call is a step of the
    /// run and stays in its path; it costs nothing and yields nothing.
    BanTool,
    /// After the step it falls on, all data types but those of the start are gone.
    PreferenceChange,
    /// After the step it falls on, each tool of the library has another cost, in library order.
    CostChange(Vec<f64>),
    /// After the step it falls on, these tools are out, by position in the library.
    RemoveTools(Vec<usize>),
}

impl Event {
    /// Whether the agent is told: of a ban by the failing call, of a preference change by its user.
    /// The other two it must notice by itself.
    #[must_use]
    pub const fn is_explicit(&self) -> bool {
        matches!(self, Self::BanTool | Self::PreferenceChange)
    }

    /// The removal of the composite tools that consist of exactly this many others.
    ///
    /// ```
    /// use tool_graph::{Event, Tool, ToolGraph};
    ///
    /// let graph = ToolGraph::new(vec![
    ///     Tool::new("search_and_pick", ["query"], ["choice"], 1.0)
    ///         .with_components(["search", "pick"]),
    ///     Tool::new("search", ["query"], ["hits"], 1.0),
    ///     Tool::new("pick", ["hits"], ["choice"], 1.0),
    /// ])?;
    /// assert_eq!(Event::remove_composites(&graph, 2), Event::RemoveTools(vec![0]));
    /// assert_eq!(Event::remove_composites(&graph, 3), Event::RemoveTools(vec![]));
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    #[must_use]
    pub fn remove_composites(graph: &ToolGraph, components: usize) -> Self {
        let tools = (0..graph.tool_count()).filter(|&tool| {
            components > 0 && graph.components(tool).is_ok_and(|found| found.len() == components)
        });
        Self::RemoveTools(tools.collect())
    }

    /// That it fits the graph.
    pub(super) fn check(&self, graph: &ToolGraph) -> Result<(), Error> {
        match self {
            Self::BanTool | Self::PreferenceChange => Ok(()),
            Self::CostChange(costs) => graph.with_costs(costs).map(|_| ()),
            Self::RemoveTools(tools) => {
                tools.iter().try_for_each(|&tool| graph.cost(tool).map(|_| ()))
            }
        }
    }
}
