#![doc = include_str!("../README.md")]

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
pub use reasons::{Exclusion, StopClass, StopReason};
pub use report::{
    CensoringAnalysis, CensoringAssumption, CensoringReport, ContinuationAudit,
    ContinuationComparison, HiddenOutcomeShift, MeanShift, RankChange, ScoreComparison,
};
pub use scores::{
    CensoringShift, RunScore, StreamDifference, censored_loss_in_logits, complete_mean_score,
    exact_mean_score, exact_score, mean_score_bounds, score_bounds, simple_mean_score,
    simple_score,
};
pub use scoring_rules;
pub use scoring_rules::{FromFn, Level};
pub use sensitivity::{FlippingOdds, TiltedMean, tilt};
pub use stops::{
    CalibratedRuns, CalibrationRuns, HiddenOutcome, Observation, RunGroup, Stopped,
    TerminationAudit, artificial_stops,
};
pub use success::{
    Continuations, CrossFitSuccess, LogisticSuccess, LogisticSuccessModel, SuccessEstimate,
    SuccessLearner, SuccessModel, hybrid_success_probabilities, plug_in_bias, plug_in_regret_bound,
    prefix_features, success_model_from_fn,
};
pub use trajectory_metrics;
pub use trajectory_metrics::{
    CalibrationMap, Calibrator, Figure, Folds, Interval, LossDerivatives, NoInterval, Probability,
    ScoringRule, Seed, SmoothRule, Tps, Trace, Weight, WeightSchedule, from_fn,
};
pub use weighting::{
    CensoringCurves, IpcwWeights, KaplanMeier, RunEnd, StopTimes, doubly_robust_mean_score,
    ipcw_brier_loss,
};
