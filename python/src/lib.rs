//! The compiled half of the Python package `agent_scorecard`.
//!
//! Functions here take arrays, release the interpreter lock in long loops and return numbers, arrays or
//! tuples. The Python half (`agent_scorecard/*.py`) gives them names, keyword arguments and documentation.

#![forbid(unsafe_code)]

mod arrays;
mod benchmark;
mod budgets;
mod calibrators;
mod calls;
mod censored;
mod columns;
mod conversations;
mod errors;
mod graphs;
mod intervals;
mod logs;
mod paths;
mod ranks;
mod resampling;
mod results;
mod rules;
mod stopping;
mod streams;
mod triage;

#[pyo3::pymodule]
mod _native {
    use std::ffi::OsString;

    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::{
        arrays::{float_array, plain_array},
        benchmark::{
            CostBench, CostBenchQuery, CostBenchRun, costbench_figures, costbench_queries,
        },
        budgets::{
            BudgetEstimator, BudgetMonitor, BudgetSamples, LiveRun, Rollouts, estimate_rollouts,
        },
        calibrators::{CalibrationMap, fit_calibrator},
        calls::match_calls,
        censored::{StoppedRuns, ipcw_weights, kaplan_meier, stop_class},
        columns::refuse_missing,
        conversations::{BenchmarkRun, benchmark_figures, run_budget, run_confidence, run_triage},
        errors::UndefinedError,
        graphs::ToolGraph,
        intervals::{
            crps_ensemble, crps_quantiles, interval_loss, pinball_loss, weighted_interval_loss,
        },
        logs::read_logs,
        paths::path_distances,
        ranks::{auroc_delong, corp, curve, dominance, murphy, rank_metric, reliability},
        resampling::{bootstrap_auroc, bootstrap_mean, cluster_mean},
        rules::ScoringRule,
        stopping::{early_stopping, stop_curve},
        streams::{OnlineTPS, Traces, TrajectoryScore},
        triage::{Pool, UnsolvableCounts, knapsack, triage_efficiency},
    };

    /// Runs the command `agent-scorecard` with its arguments and returns its exit code.
    #[pyfunction]
    fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
        let success =
            py.detach(|| agent_scorecard_cli::run(arguments)) == std::process::ExitCode::SUCCESS;
        if success { 0 } else { 2 }
    }
}
