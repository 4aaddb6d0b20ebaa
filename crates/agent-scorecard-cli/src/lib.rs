#![doc = include_str!("../README.md")]

mod budget;
mod calibration;
mod command;
mod convert;
mod costbench;
mod costbench_sweep;
mod cut_off;
mod demo;
mod files;
mod knapsack;
mod logs;
mod output;
mod paths;
mod plain;
mod progress;
mod re_solved;
mod report;
mod run;
mod traces;
mod triage;
mod triage_variants;
mod values;

pub use command::run;

/// Readers of files for fuzzing; no part of the interface.
#[doc(hidden)]
pub mod readers {
    pub use agent_scorecard::{costbench::Query, triage::Answers};

    pub use crate::{
        budget::{estimate_file, rollout_file, runs as budget_runs},
        costbench::query_file,
        files::json_lines::InputError,
        knapsack::knapsack_file,
        paths::path_file,
        traces::trace_file,
        triage::{plan_file, pool_file},
    };
}
