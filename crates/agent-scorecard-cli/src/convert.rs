//! Logs as files of the other subcommands: the subcommand `convert`.

pub(crate) mod command;
pub(crate) mod options;
