//! The greedy policy against the cheapest plan: the subcommand `costbench`.

pub(crate) mod command;
pub(crate) mod options;
pub mod query_file;
