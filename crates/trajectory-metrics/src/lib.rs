#![doc = include_str!("../README.md")]

mod calibration;
mod checks;
#[cfg(feature = "serde")]
pub mod distinct_keys;
mod error;
pub mod estimates;
mod figures;
mod forecast_fault;
pub mod logistic;
mod no_interval;
mod numerics;
pub mod random;
mod ranks;
mod reports;
mod resampling;
mod streams;
pub mod tool_calls;

pub use calibration::{
    BetaCalibration, BetaCalibrationMap, CalibrationMap, CalibrationTest, Calibrator,
    ConsistencyInterval, CrossFit, Folds, Isotonic, IsotonicMap, Platt, PlattMap, ReliabilityBin,
    ReliabilityPoint, TemperatureMap, TemperatureScaling, VennAbers, VennAbersMap, brier_loss,
    calibration_map_from_fn, consistency_band, expected_calibration_error,
    maximum_calibration_error, reliability_curve, reliability_diagram,
    root_mean_square_calibration_error,
};
pub use error::Error;
pub use figures::{Better, Clustered, Figure, Intervals, Measure, Metric, Undefined};
pub use forecast_fault::ForecastFault;
pub use no_interval::NoInterval;
pub use ranks::{
    PositiveClass, PrecisionRecallPoint, Ranking, RiskCoveragePoint, RocPoint, augrc, aurc, auroc,
    average_precision, excess_aurc, precision_recall_curve, risk_coverage_curve, roc_curve,
};
pub use reports::{
    Diagnostics, Evaluation, EvaluationOptions, FixedRankSensitivity, MetricChange, Resampling,
    STREAM_MEASURES, ScoredStream, StreamFigure, StreamMetrics, raw_against_calibrated,
};
pub use resampling::{
    Arm, Bootstrap, ClusterEstimate, Replicates, SignFlipTest, benjamini_hochberg, boschloo_test,
};
pub use scoring_rules;
pub use scoring_rules::{
    BetaScore, Binning, Block, BrierScore, ExactMean, FromFn, Interval, Level, LogScore,
    LossDerivatives, OrderedScore, Probability, ScoringRule, Seed, SmoothRule, TiedBlocks, Weight,
    from_fn,
};
pub use streams::{
    CheckedRun, CustomWeights, ForecastCounts, ForecastPolicy, OnlineTps, OnlineTpsState, Summary,
    Tps, TpsFamily, Trace, Traces, WeightSchedule,
};
