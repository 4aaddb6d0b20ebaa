//! What a planner commits to before anything is attempted.

mod allocation;
mod entry;
mod json_string;
mod lenient_json;
pub(crate) mod plan;
pub(crate) mod repair;
mod unreadable;

pub use plan::{Plan, Step};
pub use repair::{DropReason, PlanReading, Repair, repair_plan};
pub use unreadable::UnreadableReason;
