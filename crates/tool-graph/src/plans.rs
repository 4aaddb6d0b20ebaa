//! Cheapest plans and all that is asked about plans.

mod dijkstra;
mod optimal;
mod plan;
mod task;

pub use optimal::Search;
pub use plan::Plan;
pub(crate) use task::Task;
