//! Decompositions of a mean score, and comparisons of forecasters, from blocks of equal forecasts.

pub(crate) mod binning;
pub(crate) mod corp;
pub(crate) mod decomposition;
pub(crate) mod dominance;
pub(crate) mod murphy;
pub(crate) mod pool;
pub(crate) mod skill_score;
pub(crate) mod success_rate;
