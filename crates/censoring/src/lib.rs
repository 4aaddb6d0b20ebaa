#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod checks;
mod error;
mod reasons;
mod report;
mod scores;
mod sensitivity;
mod stops;
mod success;
mod weighting;

pub use error::Error;
pub use reasons::{exclusion::Exclusion, stop_class::StopClass, stop_reason::StopReason};
pub use report::{
    analysis::{CensoringAnalysis, CensoringReport},
    assumption::CensoringAssumption,
    continuation_audit::{ContinuationAudit, ContinuationComparison},
    hidden_outcomes::{HiddenOutcomeShift, MeanShift},
    rank_changes::RankChange,
    score_comparison::ScoreComparison,
};
pub use scores::{
    censored_loss::censored_loss_in_logits,
    censoring_shift::CensoringShift,
    exact_score::{exact_mean_score, exact_score},
    run_score::RunScore,
    score_bounds::mean_score_bounds,
    simple_score::{simple_mean_score, simple_score},
    stream_difference::StreamDifference,
};
pub use scoring_rules::{self, Level};
pub use sensitivity::{flip::FlippingOdds, tilted_mean::TiltedMean};
pub use stops::{
    artificial_stops::artificial_stops,
    audit::{RunGroup, TerminationAudit},
    calibrated_runs::{CalibratedRuns, CalibrationRuns},
    stopped::{Observation, Stopped},
};
pub use success::{
    continuations::{Continuations, SuccessEstimate, hybrid_success_probabilities},
    cross_fit_success::CrossFitSuccess,
    logistic_success::{LogisticSuccess, LogisticSuccessModel},
    plug_in_bias::{AuditedEstimate, plug_in_bias, plug_in_regret_bound},
    prefix_features::prefix_features,
    success_model::{SuccessLearner, SuccessModel},
};
pub use trajectory_metrics::{
    self, CalibrationMap, Calibrator, Figure, Folds, Interval, Intervals, LossDerivatives,
    NoInterval, Probability, ScoringRule, Seed, SmoothRule, Tps, Trace, Weight, WeightSchedule,
    from_fn,
};
pub use weighting::{
    censoring_curves::CensoringCurves, ipcw::IpcwWeights, kaplan_meier::KaplanMeier,
    stop_times::StopTimes,
};
