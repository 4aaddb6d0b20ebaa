#![doc = include_str!("../README.md")]

pub mod categorical;
mod checked;
pub mod checks;
mod decompositions;
mod error;
mod from_fn;
#[cfg(feature = "serde")]
pub mod infinite;
mod intervals;
mod loops;
pub mod propriety;
mod rows;
mod rule;
mod rules;
pub mod runs;
mod sums;
mod ties;
mod values;

pub use categorical::Categorical;
pub use decompositions::{
    Binning, Corp, Decomposition, Dominance, MurphyCurve, MurphyPiece, PooledBlocks, skill_score,
};
pub use error::Error;
pub use from_fn::{FromFn, from_fn};
pub use intervals::{
    Ensemble, Quantiles, empirical_coverage, interval_loss, mean_width, pinball_loss,
};
pub use rows::{mean_score, score_slice};
#[cfg(feature = "ndarray")]
pub use rows::{mean_score_array, score_array};
#[cfg(feature = "rayon")]
pub use rows::{par_mean_score, par_score_slice};
pub use rule::ScoringRule;
pub use rules::{
    AnyRule, BetaScore, BoostingScore, BrierScore, ElementaryScore, LogScore, LossDerivatives,
    PowerScore, PseudosphericalScore, SmoothRule, SphericalScore, ThresholdMixture,
};
pub use sums::decimals;
pub use sums::{CompensatedSum, DecimalSum, ExactMean, ExactSum};
pub use ties::{Block, TiedBlocks};
pub use values::{Interval, Level, Observed, OrderedScore, Probability, Seed, Weight};
