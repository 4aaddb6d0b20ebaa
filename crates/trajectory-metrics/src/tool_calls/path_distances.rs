use scoring_rules::{ExactMean, Weight};

use super::{edit_distance, edit_distance::normalized};
use crate::Error;

/// Means over many pairs of paths: edit distance (AED), normalised edit distance (ANED) and exact
/// match rate (EMR).
///
/// Parts can be computed anywhere and merged in any order, and a weight of 2 is the pair twice, to
/// the last bit.
///
/// CostBench leaves out runs that do not reach the goal, and failed calls (appendix B.3.2); what is
/// to count is left to the caller here.
///
/// Reference: CostBench, appendix B.3.1, equations 15 to 20.
///
/// ```
/// use trajectory_metrics::{Weight, Error, tool_calls::PathDistances};
///
/// let mut paths = PathDistances::default();
/// paths.update(&["look", "book"], &["look", "book"]);
/// paths.update(&["look", "look", "book"], &["book", "pay"]);
/// assert_eq!(paths.mean_edit_distance()?, 1.5);
/// assert_eq!(paths.mean_normalized_edit_distance()?, 0.5);
/// assert_eq!(paths.exact_match_rate()?, 0.5);
///
/// let mut three_times = PathDistances::default();
/// three_times.update_weighted(&["look"], &["look"], Weight::new(3.0)?);
/// paths.merge(&three_times);
/// assert_eq!(paths.exact_match_rate()?, 0.8);
/// assert_eq!(PathDistances::default().exact_match_rate(), Err(Error::Empty));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PathDistances {
    edit: ExactMean,
    normalized: ExactMean,
    exact: ExactMean,
}

impl PathDistances {
    /// Takes in one pair of paths.
    pub fn update<T: PartialEq>(&mut self, actual: &[T], reference: &[T]) {
        let [edit, normalized, exact] = distances(actual, reference);
        self.edit.update(edit);
        self.normalized.update(normalized);
        self.exact.update(exact);
    }

    /// Takes in one pair of paths of the given weight; of weight 0 it leaves no trace.
    pub fn update_weighted<T: PartialEq>(&mut self, actual: &[T], reference: &[T], weight: Weight) {
        let [edit, normalized, exact] = distances(actual, reference);
        // A distance times a weight is within the range of numbers, so that nothing is refused.
        self.edit.update_weighted(edit, weight).ok();
        self.normalized.update_weighted(normalized, weight).ok();
        self.exact.update_weighted(exact, weight).ok();
    }

    /// Takes in everything that `other` has.
    pub fn merge(&mut self, other: &Self) {
        self.edit.merge(&other.edit);
        self.normalized.merge(&other.normalized);
        self.exact.merge(&other.exact);
    }

    /// The mean [`edit_distance`], in calls; lower is better.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] where nothing of positive weight was taken in.
    pub fn mean_edit_distance(&self) -> Result<f64, Error> {
        Ok(self.edit.finish()?)
    }

    /// The mean [`normalized_edit_distance`](super::normalized_edit_distance), in [0, 1]; lower is
    /// better.
    ///
    /// # Errors
    ///
    /// As [`Self::mean_edit_distance`].
    pub fn mean_normalized_edit_distance(&self) -> Result<f64, Error> {
        Ok(self.normalized.finish()?)
    }

    /// The share of pairs that are equal, in [0, 1]; higher is better.
    ///
    /// # Errors
    ///
    /// As [`Self::mean_edit_distance`].
    pub fn exact_match_rate(&self) -> Result<f64, Error> {
        Ok(self.exact.finish()?)
    }
}

/// Edit distance, normalised, and whether the paths are equal.
fn distances<T: PartialEq>(actual: &[T], reference: &[T]) -> [f64; 3] {
    let distance = edit_distance(actual, reference);
    let exact = f64::from(distance == 0);
    [distance as f64, normalized(distance, actual.len(), reference.len()), exact]
}
