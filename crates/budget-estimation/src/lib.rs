#![doc = include_str!("../README.md")]

mod acting;
mod answer_error;
pub mod bagen;
mod calibration;
mod checks;
mod error;
mod estimates;
mod estimators;
mod metrics;
mod rank;
mod replay;
mod resource;
mod rollouts;
mod training;

pub use acting::{
    Advice, AdviceReason, BudgetMonitor, EarlyStops, StopRule, StoppingPoint, early_stopping,
    stopping_curve,
};
pub use answer_error::AnswerError;
pub use calibration::{
    AdaptiveConformal, Calibrated, ConformalPid, MarginUnit, OnlineCalibrator, SplitConformal,
};
pub use censoring::StopReason;
pub use error::Error;
pub use estimates::{AnswerMode, Estimate, parse_answer, parse_answers};
pub use estimators::{
    Estimator, LinearEstimator, PastQuantiles, score_probe, score_rollout, score_rollouts,
};
pub use metrics::{
    ClassScores, DetectionDelay, DetectionSummary, FeasibilityCounts, FeasibilitySummary,
    IntervalScores, IntervalSummary, LinearComparison, LinearSummary, Metrics, MetricsSummary,
    Miss, ProgressMetrics, ProgressSummary, bootstrap_metrics, interval_reward, joint_hits,
};
pub use replay::{Context, LiveRun, Prefix, Replay, ResourceContext, Sample, probe, replay};
pub use resource::Resource;
pub use rollouts::{Rollout, Rollouts, Usage};
pub use scoring_rules::{Interval, Level, Probability, Weight};
pub use training::{
    FeasibilityProbe, FinishedRun, TargetWidth, balance_samples, half_reachable, rule_reward,
    split_rollouts, subsample_prefixes, training_target,
};
pub use trajectory_metrics::{ClusterEstimate, Replicates, cluster_mean};
