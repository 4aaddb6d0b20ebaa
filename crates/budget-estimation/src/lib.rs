#![doc = include_str!("../README.md")]

mod error;
mod estimates;
mod replay;
mod rollouts;

pub use error::Error;
pub use estimates::{
    AnswerError, AnswerMode, Estimate, Estimator, LinearEstimator, parse_answer, parse_answers,
};
pub use replay::{
    Prefix, Replay, Sample, probe, replay, score_probe, score_rollout, score_rollouts,
};
pub use rollouts::{Resource, Rollout, Rollouts, Usage};
pub use scoring_rules::{Interval, Level};
