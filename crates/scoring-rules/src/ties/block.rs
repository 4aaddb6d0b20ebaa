use crate::values::probability::Probability;

/// All rows that have the same confidence.
///
/// The confidence is a [`Probability`], or an [`OrderedScore`](crate::OrderedScore) in blocks made
/// by [`TiedBlocks::from_scores`](crate::TiedBlocks::from_scores).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Block<S = Probability> {
    /// The confidence in success.
    pub confidence: S,
    /// The weight of the rows that failed.
    pub failures: f64,
    /// The weight of the rows that succeeded.
    pub successes: f64,
}

impl<S> Block<S> {
    /// Returns the total weight of the rows.
    #[must_use]
    pub fn weight(&self) -> f64 {
        self.failures + self.successes
    }
}
