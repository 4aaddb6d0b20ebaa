//! Rules for yes/no events.

pub(crate) mod beta;
pub(crate) mod beta_divergence;
pub(crate) mod beta_polynomial;
pub(crate) mod beta_table;
pub(crate) mod boosting;
pub(crate) mod brier;
pub(crate) mod elementary;
pub(crate) mod gauss;
pub(crate) mod incomplete_beta;
pub(crate) mod kullback_leibler;
pub(crate) mod log;
pub(crate) mod log_product;
pub(crate) mod log_rows;
pub(crate) mod power;
pub(crate) mod power_function;
pub(crate) mod pseudospherical;
pub(crate) mod sides;
pub(crate) mod smooth;
pub(crate) mod spherical;
pub(crate) mod threshold_density_table;
pub(crate) mod threshold_mixture;

pub use beta::BetaScore;
pub use boosting::BoostingScore;
pub use brier::BrierScore;
pub use elementary::ElementaryScore;
pub use log::LogScore;
pub use power::PowerScore;
pub use pseudospherical::PseudosphericalScore;
pub use smooth::{LossDerivatives, SmoothRule};
pub use spherical::SphericalScore;
pub use threshold_mixture::ThresholdMixture;
