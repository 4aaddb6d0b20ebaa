//! Benchmarks with a live model: the subcommand `run`.

pub(crate) mod benchmarks;
pub(crate) mod command;
pub(crate) mod expected;
pub(crate) mod options;
