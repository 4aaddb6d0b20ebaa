#![doc = include_str!("../README.md")]

#[cfg(feature = "costbench")]
pub mod costbench;
mod error;
mod graph;
mod plans;
mod tool;

pub use error::Error;
pub use graph::{Problem, State, ToolGraph};
pub use plans::{Plan, Search};
pub use tool::Tool;
