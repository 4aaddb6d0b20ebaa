//! Scores of cut-off runs.

pub(crate) mod censored_loss;
pub(crate) mod censoring_shift;
pub(crate) mod exact_score;
pub(crate) mod run_score;
pub(crate) mod score_bounds;
pub(crate) mod simple_score;
pub(crate) mod stream_difference;
pub(crate) mod weighted_runs;
