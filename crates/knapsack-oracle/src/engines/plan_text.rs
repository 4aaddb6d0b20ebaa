//! The reader of plans that models write.

pub(crate) mod allocation;
pub(crate) mod entry;
pub(crate) mod find_plan;
mod json_string;
