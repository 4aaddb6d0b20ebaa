//! Intervals that keep the coverage that they claim, learnt run by run.

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
