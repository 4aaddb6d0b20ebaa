#![doc = include_str!("../README.md")]

#[cfg(feature = "costbench")]
pub mod costbench;
mod environment;
mod error;
mod events;
mod graph;
mod greedy;
mod plans;
#[cfg(feature = "serde")]
mod stored;
mod tie_rule;
mod tool;

pub use environment::{CallRecord, CallStatus, Episode, Reply, RunMeans, RunScores, Transcript};
pub use error::Error;
pub use events::{Event, Scenario, TriggerRule};
#[cfg(feature = "petgraph")]
pub use graph::Vertex;
pub use graph::{Problem, State, ToolGraph};
pub use greedy::GreedyRule;
pub use plans::{PathCoverage, Plan, Search};
pub use tie_rule::TieRule;
pub use tool::Tool;
pub use trajectory_metrics::tool_calls::{FailureClass, FailureCounts, PathDistances};
