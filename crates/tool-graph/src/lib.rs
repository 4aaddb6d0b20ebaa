#![doc = include_str!("../README.md")]

mod error;
mod graph;
mod plans;
mod tool;

pub use error::Error;
pub use graph::{Problem, State, ToolGraph};
pub use plans::{PathCoverage, Plan, Search};
pub use tool::Tool;
