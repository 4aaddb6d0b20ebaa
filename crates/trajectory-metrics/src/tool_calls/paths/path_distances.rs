use scoring_rules::ExactMean;

use crate::{
    error::Error,
    tool_calls::paths::edit_distance::{edit_distance, normalized},
};

scoring_rules::checked! {
    /// Accumulates three means over pairs of paths: the edit distance (AED), the normalised edit distance (ANED) and
    /// the exact match rate (EMR).
    ///
    /// Parts can be computed separately and merged in any order, with the same bits.
    ///
    /// CostBench excludes runs that do not reach the goal, and failed calls (appendix B.3.2); here the
    /// caller decides what to include.
    ///
    /// Reference: CostBench, appendix B.3.1, equations 15 to 20.
    ///
    /// ```
    /// use trajectory_metrics::{Error, tool_calls::PathDistances};
    ///
    /// let mut paths = PathDistances::default();
    /// paths.update(&["look", "book"], &["look", "book"]);
    /// paths.update(&["look", "look", "book"], &["book", "pay"]);
    /// let means = paths.finish()?;
    /// assert_eq!((means.edit_distance, means.normalized_edit_distance), (1.5, 0.5));
    /// assert_eq!((means.exact_match_rate, means.weight), (0.5, 2.0));
    ///
    /// let mut more = PathDistances::default();
    /// more.update(&["look"], &["look"]);
    /// paths.merge(&more);
    /// assert_eq!(paths.finish()?.exact_match_rate, 2.0 / 3.0);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// With the feature `serde`, its state is stored, so that more pairs can be added after it is read.
    /// A state that no pairs can produce is refused.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct PathDistances {
        edit: ExactMean,
        normalized: ExactMean,
        exact: ExactMean,
    }
    check: PathDistances::check
}

/// Mean distances over all pairs of paths, returned by [`PathDistances::finish`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MeanPathDistances {
    /// The number of pairs.
    pub weight: f64,
    /// The mean [`edit_distance`](crate::tool_calls::edit_distance()), in calls; lower is better.
    pub edit_distance: f64,
    /// The mean [`normalized_edit_distance`](crate::tool_calls::normalized_edit_distance), in [0, 1];
    /// lower is better.
    pub normalized_edit_distance: f64,
    /// The share of pairs whose paths are equal, in [0, 1]; higher is better.
    pub exact_match_rate: f64,
}

impl PathDistances {
    #[cfg(feature = "serde")]
    fn check(&self) -> Result<(), &'static str> {
        let Self { edit, normalized, exact } = self;
        let weight = edit.weight();
        if normalized.weight() != weight || exact.weight() != weight {
            return Err("`edit`, `normalized` and `exact` must be means over the same weight");
        }
        let within = |mean: &ExactMean, most: f64| {
            mean.finish().is_ok_and(|mean| (0.0..=most).contains(&mean))
        };
        if weight > 0.0 && !within(edit, f64::MAX) {
            return Err("the mean of `edit` must be finite and at least 0");
        }
        if weight > 0.0 && !(within(normalized, 1.0) && within(exact, 1.0)) {
            return Err("the means of `normalized` and `exact` must be from 0 to 1");
        }
        Ok(())
    }

    /// Returns the number of pairs.
    #[must_use]
    pub fn weight(&self) -> f64 {
        self.edit.weight()
    }

    /// Adds a pair of paths.
    pub fn update<T: PartialEq>(&mut self, actual: &[T], reference: &[T]) {
        let distance = edit_distance(actual, reference);
        self.edit.update(distance as f64);
        self.normalized.update(normalized(distance, actual.len(), reference.len()));
        self.exact.update(f64::from(distance == 0));
    }

    /// Adds all pairs of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.edit.merge(&other.edit);
        self.normalized.merge(&other.normalized);
        self.exact.merge(&other.exact);
    }

    /// Returns the means over all pairs.
    ///
    /// # Errors
    ///
    /// [`Error::ScoringRules`] without a pair.
    pub fn finish(&self) -> Result<MeanPathDistances, Error> {
        Ok(MeanPathDistances {
            weight: self.weight(),
            edit_distance: self.edit.finish()?,
            normalized_edit_distance: self.normalized.finish()?,
            exact_match_rate: self.exact.finish()?,
        })
    }
}
