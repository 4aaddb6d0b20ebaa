//! Forecasts of a number as quantiles, intervals or ensembles, and their losses.

pub(crate) mod coverage;
pub(crate) mod ensemble;
pub(crate) mod ensemble_loss;
pub(crate) mod interval_loss;
pub(crate) mod pinball_loss;
pub(crate) mod quantile_loss;
pub(crate) mod quantiles;

pub use coverage::{empirical_coverage, mean_width};
pub use ensemble::Ensemble;
pub use interval_loss::interval_loss;
pub use pinball_loss::pinball_loss;
pub use quantiles::Quantiles;
