//! Plans under a budget: the subcommand `triage`.

pub(crate) mod command;
pub(crate) mod options;
pub mod plan_file;
