//! Calibrates intervals online, run by run, so that they keep their nominal coverage.

mod adaptive_conformal;
mod calibrated;
mod margin_unit;
mod online_calibrator;
mod sorted_scores;
mod split_conformal;

pub use adaptive_conformal::AdaptiveConformal;
pub use calibrated::Calibrated;
pub use margin_unit::MarginUnit;
pub use online_calibrator::OnlineCalibrator;
pub use split_conformal::SplitConformal;
