#![doc = include_str!("../README.md")]

mod budget;
mod calibration;
mod command;
mod convert;
mod costbench;
mod cut_off;
mod demo;
mod files;
mod logs;
mod output;
mod paths;
mod plain;
mod progress;
mod report;
mod run;
mod traces;
mod triage;
mod values;

pub use command::run;

/// Readers of files for fuzzing; no part of the interface.
#[doc(hidden)]
pub mod readers {
    pub use crate::{
        budget::{estimate_file, rollout_file, runs as budget_runs},
        costbench::query_file,
        files::json_lines::InputError,
        paths::path_file,
        traces::trace_file,
        triage::{knapsack_file, plan_file, pool_file},
    };
}
