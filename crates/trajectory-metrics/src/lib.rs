#![doc = include_str!("../README.md")]

mod bootstrap;
mod calibration_error;
mod calibrator;
mod cross_fit;
mod error;
mod isotonic;
mod online_tps;
mod platt;
mod ranking;
mod ridge_logistic;
mod summary;
mod tied_blocks;
mod tps;
mod traces;
mod weight_schedule;

pub use bootstrap::{Bootstrap, PercentileInterval};
pub use calibration_error::{Binning, brier_loss, expected_calibration_error};
pub use calibrator::{CalibrationMap, Calibrator};
pub use cross_fit::{CrossFit, cross_fit};
pub use error::Error;
pub use isotonic::{Isotonic, IsotonicMap};
pub use online_tps::OnlineTps;
pub use platt::{Platt, PlattMap};
pub use ranking::{aurc, auroc, average_precision};
pub use scoring_rules::{
    BetaScore, BrierScore, ExactMean, LogScore, Probability, ScoringRule, StepWeights,
};
pub use summary::Summary;
pub use tied_blocks::{Block, Ranking, TiedBlocks};
pub use tps::Tps;
pub use traces::{Trace, Traces};
pub use weight_schedule::{CustomWeights, WeightSchedule};
