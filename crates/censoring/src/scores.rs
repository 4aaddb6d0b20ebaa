//! Scores of cut-off runs.

pub(crate) mod censored_loss;
pub(crate) mod censoring_shift;
pub(crate) mod complete_score;
pub(crate) mod exact_score;
pub(crate) mod run_score;
pub(crate) mod score_bounds;
pub(crate) mod simple_score;
pub(crate) mod stream_difference;
pub(crate) mod weighted_runs;

pub use censored_loss::censored_loss_in_logits;
pub use censoring_shift::CensoringShift;
pub use complete_score::complete_mean_score;
pub use exact_score::{exact_mean_score, exact_score};
pub use run_score::RunScore;
pub use score_bounds::{mean_score_bounds, score_bounds};
pub use simple_score::{simple_mean_score, simple_score};
pub use stream_difference::StreamDifference;
