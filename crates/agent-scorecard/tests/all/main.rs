//! All tests of the crate, in one program.
#![allow(missing_docs, clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

mod bagen;
mod budget;
mod caps;
mod changed_tasks;
mod common;
mod compare;
mod conclusions;
mod confidence;
mod costbench;
mod cut_off;
#[cfg(feature = "pictures")]
mod drawn;
mod false_alarms;
mod impossible_recorded;
#[cfg(feature = "clap")]
mod options;
mod paths;
mod pictures;
mod recorded_intervals;
mod recorded_rollouts;
mod steps;
mod traces;
mod triage;
