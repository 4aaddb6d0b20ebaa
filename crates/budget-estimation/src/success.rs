//! Predicts the probability that a run succeeds within its caps, and decides when a run may be predicted
//! impossible.

pub(crate) mod abort_limit;
mod chance_calibration;
mod success_fit;
pub(crate) mod success_forecaster;
mod success_rows;
