//! Tests of the crate, in one program.
#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

mod answers;
mod budget_estimator;
mod budgets;
mod calibration;
mod call_costs;
mod common;
mod decimal_caps;
mod default_edges;
mod golden;
mod handles;
mod impossible;
mod long_runs;
mod loops;
mod metrics;
mod published;
mod recorded_run;
mod references;
mod replay;
mod rewards;
mod shared_budgets;
mod stopping;
mod stored_runs;
mod stored_states;
mod training;
