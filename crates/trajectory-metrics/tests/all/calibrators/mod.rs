//! Calibrators, their maps and what is stored of them.
mod beta_calibration;
mod calibrator;
mod cross_fit;
mod folds;
mod isotonic;
mod platt;
mod reliability_curve;
mod stored_map;
mod temperature;
mod venn_abers;
