use std::cmp::Ordering;

/// How many calls two paths have in common when order does not count and each call satisfies at
/// most one other.
///
/// With the feature `serde` it is read only if no more calls are common than either path has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Stored")
)]
#[non_exhaustive]
pub struct MultisetMatch {
    /// Calls in both.
    pub common: usize,
    /// Calls of the agent.
    pub actual: usize,
    /// Calls of the reference.
    pub reference: usize,
}

impl MultisetMatch {
    /// The share of the agent's calls that the reference has: `common / actual`, in [0, 1]; higher
    /// is better. `None` where the agent made no call.
    #[must_use]
    pub fn precision(&self) -> Option<f64> {
        share(self.common as f64, self.actual as f64)
    }

    /// The share of the reference's calls that the agent made: `common / reference`, in [0, 1];
    /// higher is better. `None` where the reference is empty.
    #[must_use]
    pub fn recall(&self) -> Option<f64> {
        share(self.common as f64, self.reference as f64)
    }

    /// The harmonic mean of precision and recall: `2 common / (actual + reference)`, in [0, 1];
    /// higher is better. 0 where only one of the two is empty, `None` where both are.
    #[must_use]
    pub fn f1(&self) -> Option<f64> {
        share(2.0 * self.common as f64, self.actual as f64 + self.reference as f64)
    }
}

fn share(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

/// A match as it is written.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    common: usize,
    actual: usize,
    reference: usize,
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for MultisetMatch {
    type Error = crate::error::Error;

    fn try_from(Stored { common, actual, reference }: Stored) -> Result<Self, Self::Error> {
        if common <= actual.min(reference) {
            Ok(Self { common, actual, reference })
        } else {
            Err(crate::error::Error::Setting {
                name: "number of common calls",
                value: common as f64,
                range: "at most the number of calls of either path",
            })
        }
    }
}

/// Matches two paths as multisets: a call that stands twice in one and three times in the other is
/// common twice.
///
/// `n log n` comparisons, memory for `n` references.
///
/// ```
/// use trajectory_metrics::tool_calls::multiset_match;
///
/// let found = multiset_match(&["look", "look", "book"], &["pay", "book", "look"]);
/// assert_eq!(found.common, 2);
/// assert_eq!(found.precision(), Some(2.0 / 3.0));
/// assert_eq!(found.recall(), Some(2.0 / 3.0));
/// assert_eq!(multiset_match(&[], &["look"]).precision(), None);
/// assert_eq!(multiset_match(&[], &["look"]).f1(), Some(0.0));
/// ```
#[must_use]
pub fn multiset_match<T: Ord>(actual: &[T], reference: &[T]) -> MultisetMatch {
    let common = matched_positions(actual, reference).len();
    MultisetMatch { common, actual: actual.len(), reference: reference.len() }
}

/// The positions, in the first path and in the second, of calls that match by count: the first of
/// its kind with the first, the second with the second.
pub(super) fn matched_positions<T: Ord>(actual: &[T], reference: &[T]) -> Vec<(usize, usize)> {
    // Equal calls stay in the order of their paths.
    let sorted = |calls: &[T]| {
        let mut order: Vec<usize> = (0..calls.len()).collect();
        order.sort_by(|&i, &j| calls[i].cmp(&calls[j]));
        order
    };
    let (a, b) = (sorted(actual), sorted(reference));
    let (mut i, mut j, mut matched) = (0, 0, Vec::new());
    while let (Some(&x), Some(&y)) = (a.get(i), b.get(j)) {
        let order = actual[x].cmp(&reference[y]);
        i += usize::from(order != Ordering::Greater);
        j += usize::from(order != Ordering::Less);
        if order == Ordering::Equal {
            matched.push((x, y));
        }
    }
    matched
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_counts_have_shares_too() {
        let all = MultisetMatch { common: usize::MAX, actual: usize::MAX, reference: usize::MAX };
        assert_eq!((all.precision(), all.recall(), all.f1()), (Some(1.0), Some(1.0), Some(1.0)));
    }

    #[cfg(feature = "serde")]
    #[test]
    fn a_match_comes_back_and_one_with_too_many_common_calls_is_refused() {
        let found = multiset_match(&[1, 2, 2], &[2, 3]);
        let written = serde_json::to_string(&found).unwrap();
        assert_eq!(serde_json::from_str::<MultisetMatch>(&written).unwrap(), found);
        let more = r#"{"common":2,"actual":3,"reference":1}"#;
        let error = serde_json::from_str::<MultisetMatch>(more).unwrap_err().to_string();
        assert!(error.starts_with("number of common calls is 2"), "{error}");
    }
}
