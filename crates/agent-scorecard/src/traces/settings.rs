use censoring::CalibrationRuns;
use serde::Serialize;
use trajectory_metrics::{Summary, WeightSchedule};

use crate::clusters::ClusterBy;

/// How forecasts are calibrated before they are scored: fitted to one half of the runs and applied to the
/// other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Calibration {
    /// As given.
    #[default]
    None,
    /// Cross-fitted Platt scaling.
    Platt,
    /// Cross-fitted isotonic regression.
    Isotonic,
}

/// How traces are scored.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceOptions {
    /// Weights of the steps.
    pub schedule: WeightSchedule,
    /// The summary of a run that the diagnostics are computed from; `None` for the weighted mean.
    pub summary: Option<Summary>,
    /// Calibration before scoring.
    pub calibration: Calibration,
    /// The runs that calibration is fitted on.
    pub calibrate_on: CalibrationRuns,
    /// Bootstrap replicates behind each interval; 0 for no intervals.
    pub resamples: usize,
    /// Seed of the bootstrap.
    pub seed: u64,
    /// What is resampled as a whole.
    pub cluster_by: ClusterBy,
    /// Whether pictures and bins are wanted too.
    pub with_pictures: bool,
}

impl Default for TraceOptions {
    /// Linear-front weights, no calibration (if it is set, on complete runs), and intervals from 1000 resamples of tasks with seed 1.
    fn default() -> Self {
        Self {
            schedule: WeightSchedule::default(),
            summary: None,
            calibration: Calibration::default(),
            calibrate_on: CalibrationRuns::default(),
            resamples: 1000,
            seed: 1,
            cluster_by: ClusterBy::default(),
            with_pictures: false,
        }
    }
}
