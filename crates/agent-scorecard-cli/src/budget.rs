//! Estimates of what a run still spends: the subcommand `budget`.

pub(crate) mod command;
pub mod estimate_file;
pub(crate) mod options;
pub mod rollout_file;
