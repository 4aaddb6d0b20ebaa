//! The compiled half of the Python package `agent_scores`.
//!
//! Functions here take arrays, release the interpreter lock in long loops and return numbers, arrays or
//! tuples. The Python half (`agent_scores/*.py`) gives them names, keyword arguments and documentation.

#![forbid(unsafe_code)]

mod arrays;
mod calibrators;
mod calls;
mod errors;
mod intervals;
mod logs;
mod ranks;
mod resampling;
mod rules;
mod streams;

#[pyo3::pymodule]
mod _native {
    use std::ffi::OsString;

    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::{
        calibrators::{CalibrationMap, fit_calibrator},
        calls::match_calls,
        calls::path_distances,
        errors::UndefinedError,
        intervals::{
            crps_ensemble, crps_quantiles, interval_loss, pinball_loss, weighted_interval_loss,
        },
        logs::read_logs,
        ranks::{auroc_delong, corp, curve, dominance, murphy, rank_metric, reliability},
        resampling::{bootstrap_auroc, bootstrap_mean, cluster_mean},
        rules::ScoringRule,
        streams::{OnlineTPS, TPS, Traces},
    };

    /// Runs the command `agent-scores` with its arguments and returns its exit code.
    #[pyfunction]
    fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
        let success = py.detach(|| agent_scores::run(arguments)) == std::process::ExitCode::SUCCESS;
        if success { 0 } else { 2 }
    }
}
