pub(crate) mod estimator;
mod linear;
mod past_quantiles;
mod score;

pub use estimator::Estimator;
pub use linear::LinearEstimator;
pub use past_quantiles::PastQuantiles;
pub use score::{score_probe, score_rollout, score_rollouts};
