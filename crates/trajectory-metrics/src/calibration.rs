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
