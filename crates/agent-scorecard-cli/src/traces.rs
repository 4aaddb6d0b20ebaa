//! Confidence traces: reading them and logs, scoring them, and the subcommand `traces`.

pub(crate) mod command;
pub(crate) mod log_file;
pub(crate) mod options;
pub mod trace_file;
