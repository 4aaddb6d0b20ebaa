//! Estimates of what a run still spends: the subcommand `budget`.

pub(crate) mod bagen_report;
pub(crate) mod command;
pub mod estimate_file;
pub(crate) mod figures;
pub(crate) mod options;
pub(crate) mod references;
pub(crate) mod report;
pub mod rollout_file;
pub mod runs;
pub(crate) mod spread;
