//! The built command, run as its users run it, whatever the subcommand.
#![allow(clippy::panic, clippy::unwrap_used)]

#[path = "../program/mod.rs"]
mod program;

mod agents;
mod calibration;
mod calls;
mod columns;
mod conditions;
mod convert;
mod every_program;
mod figures;
mod formats;
mod input_files;
mod log_streams;
mod logs;
mod names;
mod one_metric;
mod outcomes;
mod pages;
mod paths;
#[cfg(feature = "pictures")]
mod report;
#[cfg(all(unix, feature = "pictures"))]
mod safe_outputs;
mod tables;
mod threads;
#[cfg(feature = "pictures")]
mod wrong_input;
