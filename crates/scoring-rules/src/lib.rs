#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod checked;
#[doc(hidden)]
pub mod checks;
mod decompositions;
mod error;
mod flat_error;
mod from_fn;
#[cfg(doc)]
pub mod guide;
#[cfg(feature = "serde")]
#[doc(hidden)]
pub mod infinite;
mod intervals;
mod loops;
pub mod propriety;
mod rows;
mod rule;
mod rules;
mod serialize_as_text;
mod sums;
mod ties;
mod values;
mod wide;

pub use decompositions::{
    binning::Binning, corp::Corp, decomposition::Decomposition, dominance::Dominance,
    murphy::MurphyCurve, pool::PooledBlocks, skill_score::skill_score,
};
pub use error::Error;
pub use from_fn::{FromFn, from_fn};
pub use intervals::{
    ensemble::Ensemble, interval_loss::interval_loss, pinball_loss::pinball_loss,
    quantiles::Quantiles,
};
#[doc(hidden)]
pub use loops::{runs::Runs, step_weights::StepWeights};
#[cfg(feature = "ndarray")]
pub use rows::arrays::{mean_score_array, score_array};
pub use rows::{mean_score, score_slice};
pub use rule::ScoringRule;
pub use rules::{
    any_rule::AnyRule,
    beta::beta_score::BetaScore,
    boosting::BoostingScore,
    brier::BrierScore,
    log::log_score::LogScore,
    power::{power_score::PowerScore, pseudospherical_score::PseudosphericalScore},
    smooth::{LossDerivatives, SmoothRule},
    spherical::SphericalScore,
    thresholds::{elementary_score::ElementaryScore, threshold_mixture::ThresholdMixture},
};
pub use sums::{
    compensated_sum::CompensatedSum, decimal_sum::DecimalSum, decimals, exact_mean::ExactMean,
    exact_sum::ExactSum,
};
pub use ties::{block::Block, tied_blocks::TiedBlocks};
pub use values::{
    interval::Interval, level::Level, observed::Observed, ordered_score::OrderedScore,
    probability::Probability, seed::Seed, weight::Weight,
};
