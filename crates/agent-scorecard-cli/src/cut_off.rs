//! Runs that a budget cut off: the subcommand `cut-off`.

mod chance_files;
pub(crate) mod command;
pub(crate) mod options;
