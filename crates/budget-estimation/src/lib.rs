#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod answer_error;
pub mod bagen;
mod budgets;
mod calibration;
mod cap_reason;
mod checks;
mod error;
mod estimates;
mod estimators;
#[cfg(feature = "serde")]
mod fingerprint;
mod forest;
mod key_effects;
mod learning;
mod metrics;
#[cfg(feature = "serde")]
mod missing;
mod order_statistics;
mod past_costs;
mod product_limit;
mod recorded_run;
mod replay;
mod resource;
mod rollouts;
mod short_number;
mod state;
mod stopping;
mod success;

pub use answer_error::AnswerError;
pub use budgets::{
    budget::{Budget, BudgetResource},
    call_costs::CallCosts,
    reservation::Reservation,
};
pub use calibration::{adaptive_conformal::AdaptiveConformal, calibrated::Calibrated};
pub use censoring::{self, StopReason, Stopped};
pub use error::Error;
pub use estimates::{
    answer::{parse_answer, parse_answers},
    answer_mode::AnswerMode,
    estimate::Estimate,
    reading::Reading,
};
pub use estimators::{
    budget_estimator::BudgetEstimator,
    estimator::{Estimator, estimator_from_fn},
    linear::LinearEstimator,
    past_quantiles::PastQuantiles,
};
pub use metrics::{
    all_measures::{Metrics, MetricsSummary},
    best_interval::best_interval,
    detection::DetectionSummary,
    feasibility::{ClassScores, FeasibilitySummary},
    interval_reward::Miss,
    interval_scores::{DiagnosticSummary, IntervalSummary, LinearSummary},
    one_resource::joint_hits,
    progress_metrics::{ProgressAxis, ProgressMetrics, ProgressSummary},
};
pub use recorded_run::RecordedRun;
pub use replay::{
    context::{Context, ResourceContext},
    prefix::Prefix,
    sample::Sample,
};
pub use resource::Resource;
pub use rollouts::{rollout::Rollout, storage::Rollouts, usage::Usage};
pub use scoring_rules::{self, FromFn, Interval, Level, Probability, Seed, Weight};
pub use stopping::{
    advice::{Advice, AdviceReason},
    early_stopping::{early_stopping, joint_early_stopping},
    early_stops::EarlyStops,
    monitor::BudgetMonitor,
    stop_rule::StopRule,
    stopping_curve::{StoppingPoint, stopping_curve},
};
pub use success::{
    abort_limit::AbortLimit,
    success_forecaster::{SuccessForecast, SuccessForecaster},
};
pub use trajectory_metrics::{self, ScoringRule, Tps};
