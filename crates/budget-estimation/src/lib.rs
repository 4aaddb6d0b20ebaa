#![doc = include_str!("../README.md")]

mod answer_error;
mod calibration;
mod checks;
mod error;
mod estimates;
mod estimators;
pub mod forest;
mod key_effects;
mod learning;
mod metrics;
#[cfg(feature = "serde")]
mod missing;
mod order_statistics;
mod ranks;
mod recorded_run;
mod replay;
mod resource;
mod rollouts;
mod scratch;
mod short_number;
mod stopping;
mod success;
mod training;

pub use answer_error::AnswerError;
pub use calibration::{
    AdaptiveConformal, Calibrated, MarginUnit, OnlineCalibrator, SplitConformal,
};
pub use censoring;
pub use censoring::{StopReason, Stopped};
pub use error::Error;
pub use estimates::{AnswerMode, Estimate, Reading, parse_answer, parse_answers};
pub use estimators::{
    BudgetEstimator, Estimator, LinearEstimator, PastQuantiles, Screened, estimator_from_fn,
};
pub use metrics::{
    ClassScores, DetectionSummary, DiagnosticSummary, FeasibilitySummary, IntervalSummary,
    LinearSummary, Metrics, MetricsSummary, Miss, ProgressAxis, ProgressMetrics, ProgressSummary,
    best_interval, joint_hits,
};
pub use recorded_run::RecordedRun;
pub use replay::{Context, Prefix, PrefixFeatures, ResourceContext, Sample};
pub use resource::Resource;
pub use rollouts::{Rollout, Rollouts, Usage};
pub use scoring_rules;
pub use scoring_rules::{FromFn, Interval, Level, Probability, Seed, Weight};
pub use stopping::{
    Advice, AdviceReason, BudgetMonitor, EarlyStops, StopRule, StoppingPoint, early_stopping,
    joint_early_stopping, stopping_curve,
};
pub use success::{AbortLimit, AbortUnit, SuccessForecast, SuccessForecaster};
#[cfg(feature = "serde")]
pub use training::{ChatPrompt, TrainingRecords};
pub use training::{
    FeasibilityProbe, FinishedRun, ProbeMethod, TargetRounding, TargetWidth, balance_samples,
    released_split, reward_retention, split_rollouts,
};
pub use trajectory_metrics;
pub use trajectory_metrics::{ForecastPolicy, ScoringRule, Tps};
