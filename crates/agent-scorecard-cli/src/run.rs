//! Runs benchmarks with a live model: the subcommand `run`, with a subcommand for each benchmark.

mod asking;
mod checker;
pub(crate) mod command;
mod common;
mod expected;
pub(crate) mod options;
mod published;

mod budget;
mod confidence;
mod costbench;
mod play;
mod triage;
