//! Calibrators, their maps and what is stored of them.
#![allow(clippy::panic, clippy::unwrap_used)]

mod beta_calibration;
mod calibrator;
mod cross_fit;
mod folds;
mod isotonic;
mod platt;
mod reliability_curve;
#[cfg(feature = "serde")]
mod stored_map;
mod temperature;
mod venn_abers;
