//! Cheapest plans and all that is asked about plans.

mod a_star;
mod best_plans;
mod branch_and_cut;
mod calls;
mod chain;
mod counts;
mod dijkstra;
mod landmark_cut;
mod optimal;
mod packing;
mod plan;
mod relaxed_plan;
mod task;
mod tool_sets;
mod type_set;
mod weight;

pub use counts::PathCoverage;
pub use optimal::Search;
pub use plan::Plan;
pub(crate) use task::{Reach, Task};
