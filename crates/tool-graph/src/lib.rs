#![doc = include_str!("../README.md")]

mod error;
mod graph;
mod plans;
mod tool;

pub use error::Error;
#[cfg(feature = "petgraph")]
pub use graph::Vertex;
pub use graph::{Problem, State, ToolGraph};
pub use plans::{PathCoverage, Plan, Search};
pub use tool::Tool;
