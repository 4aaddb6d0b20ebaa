//! What the caller of `traces` may choose.

use serde::Serialize;
use trajectory_metrics::{Summary, WeightSchedule};

use crate::values::ClusterBy;

/// How forecasts are calibrated before they are scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Calibration {
    /// As given.
    None,
    /// Cross-fitted Platt scaling.
    Platt,
    /// Cross-fitted isotonic regression.
    Isotonic,
}

/// The way of calibrating of this name.
pub(crate) fn calibration(name: &str) -> Result<Calibration, &'static str> {
    match name {
        "none" => Ok(Calibration::None),
        "platt" => Ok(Calibration::Platt),
        "isotonic" => Ok(Calibration::Isotonic),
        _ => Err("give none, platt or isotonic"),
    }
}

/// What the caller may choose.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Weights of the steps.
    pub schedule: WeightSchedule,
    /// The summary of a run that the diagnostics are computed from; `None` for the weighted mean.
    pub summary: Option<Summary>,
    /// Calibration before scoring.
    pub calibration: Calibration,
    /// Bootstrap replicates; 0 for no intervals.
    pub resamples: usize,
    /// Seed of the bootstrap.
    pub seed: u64,
    /// What is resampled as a whole.
    pub cluster_by: ClusterBy,
    /// Whether curves and bins are wanted too.
    pub with_curves: bool,
}
