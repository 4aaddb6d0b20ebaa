//! What a planner commits to before anything is attempted.

mod allocation;
mod entry;
mod json_string;
mod lenient_json;
pub(crate) mod plan;
pub(crate) mod repair;

pub use plan::{Plan, Step};
pub use repair::{PlanReading, Repair, repair_plan};
