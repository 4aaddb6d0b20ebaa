//! The compiled half of the Python package `agent_scorecard`.
//!
//! Functions here take arrays, release the interpreter lock in long loops and return numbers, arrays or
//! tuples. The Python half (`agent_scorecard/*.py`) gives them names, keyword arguments and documentation.

#![forbid(unsafe_code)]

mod budgets;
mod calibrators;
mod censored;
mod choices;
mod conversations;
mod costbench;
mod entries;
mod environments;
mod errors;
mod estimates;
mod graphs;
mod group_columns;
mod interruptible;
mod interval_losses;
mod logs;
mod number_arrays;
mod outcome_columns;
mod paths;
mod played;
mod ranks;
mod reports;
mod resampling;
mod results;
mod rows;
mod rules;
mod shared_budgets;
mod stopping;
mod streams;
mod tool_calls;
mod training;
mod triage;

#[pyo3::pymodule]
mod _native {
    use std::ffi::OsString;

    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::{
        budgets::{
            BudgetEstimator, BudgetMonitor, BudgetSamples, RecordedRun, Rollouts, estimate_rollouts,
        },
        calibrators::{CalibrationMap, fit_calibrator},
        censored::{StoppedRuns, ipcw_weights, kaplan_meier, stop_class},
        conversations::{BenchmarkRun, benchmark_figures, run_budget, run_confidence, run_triage},
        costbench::{
            CostBench, CostBenchQuery, CostBenchRun, costbench_figures, costbench_queries,
        },
        environments::{SokobanGame, WarehouseGame},
        errors::UndefinedError,
        estimates::{cluster_auroc_difference, difference, mean},
        graphs::ToolGraph,
        group_columns::group_numbers,
        interval_losses::{
            crps_ensemble, crps_quantiles, interval_loss, pinball_loss, weighted_interval_loss,
        },
        logs::read_logs,
        number_arrays::{float_array, plain_array},
        outcome_columns::{known_outcomes, outcome, outcome_array, refuse_missing},
        paths::path_distances,
        ranks::{
            auroc_delong, auroc_test, calibration_error, consistency, corp, curve, dominance,
            murphy, rank_metric, reliability,
        },
        reports::{Report, evaluate},
        resampling::{bootstrap_auroc, bootstrap_mean, bootstrap_of, sign_flip_test},
        rules::ScoringRule,
        shared_budgets::{Budget, CallCosts, Reservation},
        stopping::{early_stopping, stop_curve},
        streams::{OnlineTPS, Traces, TrajectoryScore, check_forecasts},
        tool_calls::{match_calls, pass_k},
        training::{parse_answer, proper_reward, rule_reward, training_records},
        triage::{Pool, UnsolvableCounts, knapsack, triage_efficiency},
    };

    /// Runs the command `agent-scorecard` with its arguments and returns its exit code.
    #[pyfunction]
    fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
        let code = py.detach(|| agent_scorecard_cli::run(arguments));
        // A code cannot be read, only compared.
        [0, 1, 130].into_iter().find(|&known| code == known.into()).unwrap_or(2)
    }
}
