use scoring_rules::{ExactMean, Weight};

use crate::{
    error::Error,
    tool_calls::paths::edit_distance::{edit_distance, normalized},
};

scoring_rules::checked! {
    /// Accumulates means over pairs of paths: edit distance (AED), normalised edit distance (ANED) and
    /// exact match rate (EMR).
    ///
    /// Parts can be computed separately and merged in any order, with the same bits. A pair of weight 2
    /// counts as much as two equal pairs.
    ///
    /// CostBench excludes runs that do not reach the goal, and failed calls (appendix B.3.2); here the
    /// caller decides what to include.
    ///
    /// Reference: CostBench, appendix B.3.1, equations 15 to 20.
    ///
    /// ```
    /// use trajectory_metrics::{Error, Weight, tool_calls::PathDistances};
    ///
    /// let mut paths = PathDistances::default();
    /// paths.update(&["look", "book"], &["look", "book"]);
    /// paths.update(&["look", "look", "book"], &["book", "pay"]);
    /// let means = paths.finish()?;
    /// assert_eq!((means.edit_distance, means.normalized_edit_distance), (1.5, 0.5));
    /// assert_eq!((means.exact_match_rate, means.weight), (0.5, 2.0));
    ///
    /// let mut three_times = PathDistances::default();
    /// three_times.update_weighted(&["look"], &["look"], Weight::new(3.0)?);
    /// paths.merge(&three_times);
    /// assert_eq!(paths.finish()?.exact_match_rate, 0.8);
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

/// Means over pairs of paths, from [`PathDistances::finish`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MeanPathDistances {
    /// The sum of the weights of the pairs, which is their number if all weights are 1.
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

    /// Returns the sum of the weights of all pairs; a pair without a weight counts as 1.
    #[must_use]
    pub fn weight(&self) -> f64 {
        self.edit.weight()
    }

    /// Adds a pair of paths.
    pub fn update<T: PartialEq>(&mut self, actual: &[T], reference: &[T]) {
        self.update_weighted(actual, reference, Weight::ONE);
    }

    /// Adds a pair of paths with a weight; a pair of weight 0 changes nothing.
    pub fn update_weighted<T: PartialEq>(&mut self, actual: &[T], reference: &[T], weight: Weight) {
        let distance = edit_distance(actual, reference);
        let normalized = normalized(distance, actual.len(), reference.len());
        let exact = f64::from(u8::from(distance == 0));
        // A distance times a weight never overflows, so that no update is refused.
        self.edit.update_weighted(distance as f64, weight).ok();
        self.normalized.update_weighted(normalized, weight).ok();
        self.exact.update_weighted(exact, weight).ok();
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
    /// [`Error::ScoringRules`] without a pair of positive weight.
    pub fn finish(&self) -> Result<MeanPathDistances, Error> {
        Ok(MeanPathDistances {
            weight: self.weight(),
            edit_distance: self.edit.finish()?,
            normalized_edit_distance: self.normalized.finish()?,
            exact_match_rate: self.exact.finish()?,
        })
    }
}
