use scoring_rules::{ExactMean, Weight};

use super::edit_distance::{edit_distance, normalized};
use crate::error::Error;

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
/// assert_eq!(PathDistances::default().exact_match_rate(), Err(scoring_rules::Error::Empty.into()));
/// # Ok::<(), Error>(())
/// ```
///
/// With the feature `serde` it is stored with all that it has taken in, so that more pairs can follow
/// after it is read. What no pairs can give is refused.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Stored")
)]
pub struct PathDistances {
    edit: ExactMean,
    normalized: ExactMean,
    exact: ExactMean,
}

/// The means as they are written.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    edit: ExactMean,
    normalized: ExactMean,
    exact: ExactMean,
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for PathDistances {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self, Error> {
        let Stored { edit, normalized, exact } = stored;
        let broken = |problem| Err(Error::StoredValue { problem });
        let weight = edit.weight();
        if normalized.weight() != weight || exact.weight() != weight {
            return broken("edit, normalized and exact are means over the same weight");
        }
        if weight > 0.0 {
            // A normalised distance is a share of the longer path, 0 where paths are equal.
            if !(0.0..f64::INFINITY).contains(&edit.finish()?) {
                return broken("the mean of edit is finite and at least 0");
            }
            let shares = [normalized.finish()?, exact.finish()?];
            if !shares.iter().all(|share| (0.0..=1.0).contains(share)) {
                return broken("the means of normalized and exact are from 0 to 1");
            }
        }
        Ok(Self { edit, normalized, exact })
    }
}

impl PathDistances {
    /// The sum of the weights of all pairs taken in; a pair without a weight counts as 1.
    #[must_use]
    pub fn weight(&self) -> f64 {
        self.edit.weight()
    }

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

#[cfg(feature = "serde")]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_come_back_and_go_on_and_broken_ones_are_refused() {
        let mut paths = PathDistances::default();
        let read = |text: &str| serde_json::from_str::<PathDistances>(text);
        let empty = serde_json::to_string(&paths).unwrap();
        assert_eq!(read(&empty).unwrap(), paths);

        paths.update(&["look", "book"], &["look", "pay", "book"]);
        paths.update_weighted(&["look"], &["look"], Weight::new(0.1).unwrap());
        let mut again = read(&serde_json::to_string(&paths).unwrap()).unwrap();
        assert_eq!((&again, again.weight()), (&paths, 1.1));
        for all in [&mut paths, &mut again] {
            all.update(&["book"], &["pay"]);
        }
        assert_eq!(again, paths);

        let mean = |values: &[f64]| values.iter().copied().collect::<ExactMean>();
        for (edit, normalized, exact, rule) in [
            (mean(&[1.0]), mean(&[1.0]), mean(&[0.0, 0.0]), "over the same weight"),
            (mean(&[-1.0]), mean(&[0.5]), mean(&[0.0]), "at least 0"),
            (mean(&[1.0]), mean(&[1.5]), mean(&[0.0]), "from 0 to 1"),
            (mean(&[1.0]), mean(&[0.5]), mean(&[2.0]), "from 0 to 1"),
        ] {
            let broken = PathDistances { edit, normalized, exact };
            let error = read(&serde_json::to_string(&broken).unwrap()).unwrap_err().to_string();
            assert!(error.contains(rule), "{error}");
        }
        let error = read(&empty.replacen('{', r#"{"more":0,"#, 1)).unwrap_err().to_string();
        assert!(error.contains("unknown field `more`"), "{error}");
    }
}
