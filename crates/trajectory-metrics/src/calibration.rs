//! Measures of calibration, and maps that calibrate a confidence.

pub(crate) mod beta_calibration;
pub(crate) mod calibration_error;
pub(crate) mod calibration_test;
pub(crate) mod calibrator;
pub(crate) mod clip;
pub(crate) mod cross_fit;
pub(crate) mod folds;
pub(crate) mod isotonic;
pub(crate) mod platt;
pub(crate) mod reliability_curve;
pub(crate) mod reliability_diagram;
pub(crate) mod standard;
#[cfg(feature = "serde")]
mod stored_map;
pub(crate) mod temperature;
pub(crate) mod venn_abers;

pub use beta_calibration::{BetaCalibration, BetaCalibrationMap};
pub use calibration_error::{
    brier_loss, expected_calibration_error, maximum_calibration_error,
    root_mean_square_calibration_error,
};
pub use calibration_test::CalibrationTest;
pub use calibrator::{CalibrationMap, Calibrator, calibration_map_from_fn};
pub use cross_fit::CrossFit;
pub use folds::Folds;
pub use isotonic::{Isotonic, IsotonicMap};
pub use platt::{Platt, PlattMap};
pub use reliability_curve::{
    ConsistencyInterval, ReliabilityPoint, consistency_band, reliability_curve,
};
pub use reliability_diagram::{ReliabilityBin, reliability_diagram};
pub use temperature::{TemperatureMap, TemperatureScaling};
pub use venn_abers::{VennAbers, VennAbersMap};
