//! Rules for yes/no events.

pub(crate) mod beta;
pub(crate) mod boosting;
pub(crate) mod brier;
pub(crate) mod log;
pub(crate) mod power;
pub(crate) mod quadrature;
pub(crate) mod sides;
pub(crate) mod smooth;
pub(crate) mod spherical;
pub(crate) mod thresholds;

pub use beta::beta_score::BetaScore;
pub use boosting::BoostingScore;
pub use brier::BrierScore;
pub use log::log_score::LogScore;
pub use power::{power_score::PowerScore, pseudospherical_score::PseudosphericalScore};
pub use smooth::{LossDerivatives, SmoothRule};
pub use spherical::SphericalScore;
pub use thresholds::{elementary_score::ElementaryScore, threshold_mixture::ThresholdMixture};
