//! The reader of plans that models write.

pub(crate) mod allocation;
pub(crate) mod entry;
mod json_string;
pub(crate) mod lenient_json;
