//! The greedy policy against the cheapest plan: the subcommand `costbench`.

pub(crate) mod command;
pub mod query_file;
pub(crate) mod report;
pub(crate) mod sweep;
