//! Reports on samples in which some runs were cut off.

pub(crate) mod analysis;
pub(crate) mod assumption;
pub(crate) mod continuation_audit;
pub(crate) mod hidden_outcomes;
pub(crate) mod rank_changes;
pub(crate) mod resampler;
pub(crate) mod sample;
pub(crate) mod score_comparison;
pub(crate) mod weighted_means;
