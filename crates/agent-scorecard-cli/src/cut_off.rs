//! Runs that a budget cut off: the subcommand `cut-off`.

pub(crate) mod chances;
pub(crate) mod command;
pub(crate) mod options;
pub(crate) mod report;
pub(crate) mod sample;
pub(crate) mod streams;
