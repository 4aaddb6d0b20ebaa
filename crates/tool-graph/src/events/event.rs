use crate::{Error, ToolGraph};

/// Something that changes the world while a run is on its way.
///
/// Reference: CostBench, section 3.2 and appendix B.5.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Event {
    /// The call that it falls on fails, and the tool is out from then on. The call is a step of the run
    /// and stays in its path; it costs nothing and yields nothing.
    BanTool,
    /// After the step it falls on, all data types but those of the start are gone.
    PreferenceChange,
    /// After the step it falls on, each tool of the library has another cost, in library order.
    CostChange(Vec<f64>),
    /// After the step it falls on, these tools are out, by position in the library.
    RemoveTools(Vec<usize>),
}

impl Event {
    /// Whether the agent is told: of a ban by the failing call, of a preference change by its user. The
    /// other two it must notice by itself.
    #[must_use]
    pub const fn is_explicit(&self) -> bool {
        matches!(self, Self::BanTool | Self::PreferenceChange)
    }

    /// The removal of the composite tools that consist of exactly this many others.
    #[must_use]
    pub fn remove_composites(graph: &ToolGraph, components: usize) -> Self {
        let tools = (0..graph.len()).filter(|&tool| {
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
