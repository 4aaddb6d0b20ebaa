//! What logs hold: the subcommand `logs`.

pub(crate) mod command;
pub(crate) mod options;
