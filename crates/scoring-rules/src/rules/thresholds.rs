//! Scores of decisions at one threshold or at several.

pub(crate) mod elementary_score;
pub(crate) mod threshold_mixture;
