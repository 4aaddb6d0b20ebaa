#![doc = include_str!("../README.md")]

mod error;
mod estimates;
mod metrics;
mod replay;
mod rollouts;

pub use error::Error;
pub use estimates::{
    AnswerError, AnswerMode, Estimate, Estimator, LinearEstimator, parse_answer, parse_answers,
};
pub use metrics::{
    ClassScores, DetectionDelay, DetectionSummary, Evaluation, EvaluationSummary,
    FeasibilityCounts, FeasibilitySummary, IntervalScores, IntervalSummary, LinearComparison,
    LinearSummary, Metrics, MetricsSummary, Miss, bootstrap_metrics, clustered_mean,
    interval_reward, joint_hits,
};
pub use replay::{
    Context, LiveRun, Prefix, Replay, ResourceContext, Sample, probe, replay, score_probe,
    score_rollout, score_rollouts,
};
pub use rollouts::{Resource, Rollout, Rollouts, Usage};
pub use scoring_rules::{Interval, Level};
pub use trajectory_metrics::{ClusterEstimate, Replicates};
