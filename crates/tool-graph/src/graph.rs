//! The typed graph of a library of tools, and what is asked of it.

mod calls;
mod checks;
mod costs;
#[cfg(feature = "serde")]
mod graph_serde;
mod interner;
mod lists;
mod names;
#[cfg(feature = "petgraph")]
mod petgraph_view;
mod problem;
mod state;
mod tool_graph;
mod types;

pub(crate) use costs::Costs;
pub(crate) use lists::Lists;
#[cfg(feature = "petgraph")]
pub use petgraph_view::Vertex;
pub use problem::Problem;
pub use state::State;
pub use tool_graph::ToolGraph;
pub(crate) use types::Types;
