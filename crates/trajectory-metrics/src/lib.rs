#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

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
#[cfg(feature = "json")]
mod repeated_key;
mod reports;
mod resampling;
mod streams;
pub mod tool_calls;

pub use calibration::{
    beta_calibration::{BetaCalibration, BetaCalibrationMap},
    calibration_error::{
        T_ECE_BINS, brier_loss, expected_calibration_error, maximum_calibration_error,
        root_mean_square_calibration_error,
    },
    calibration_test::CalibrationTest,
    calibrator::{CalibrationMap, Calibrator},
    cross_fit::CrossFit,
    folds::Folds,
    isotonic::{Isotonic, IsotonicMap},
    platt::{Platt, PlattMap},
    reliability_curve::{ReliabilityPoint, consistency_band, reliability_curve},
    reliability_diagram::{ReliabilityBin, reliability_diagram},
    temperature::{TemperatureMap, TemperatureScaling},
    venn_abers::{VennAbers, VennAbersMap},
};
pub use error::Error;
pub use figures::{
    clustered::{Clustered, Intervals},
    figure::Figure,
    metric::{Better, Measure, Metric, Undefined},
};
pub use forecast_fault::ForecastFault;
pub use no_interval::NoInterval;
pub use ranks::{
    areas::{auroc, average_precision},
    curves::{
        PrecisionRecallPoint, RiskCoveragePoint, RocPoint, precision_recall_curve,
        risk_coverage_curve, roc_curve,
    },
    positive_class::PositiveClass,
    ranking::Ranking,
    selective_risk::{augrc, aurc, excess_aurc},
};
pub use reports::{
    diagnostics::Diagnostics,
    fixed_rank::FixedRankSensitivity,
    raw_against_calibrated::MetricChange,
    scored_stream::{Resampling, STREAM_MEASURES, ScoredStream},
    stream_figure::StreamFigure,
};
pub use resampling::{
    arm::Arm, bootstrap::Bootstrap, boschloo::boschloo_test, cluster_estimate::ClusterEstimate,
    false_discovery::benjamini_hochberg, replicates::Replicates, sign_flip::SignFlipTest,
};
pub use scoring_rules::{
    self, BetaScore, Binning, Block, BrierScore, ExactMean, FromFn, Interval, Level, LogScore,
    LossDerivatives, OrderedScore, Probability, ScoringRule, Seed, SmoothRule, TiedBlocks, Weight,
    from_fn,
};
pub use streams::{
    forecast_policy::{CheckedRun, ForecastCounts, ForecastPolicy},
    online_tps::{OnlineTps, OnlineTpsState},
    summary::Summary,
    tps::Tps,
    tps_family::TpsFamily,
    traces::{Trace, Traces},
    weight_schedule::{CustomWeights, WeightSchedule},
};
