use std::cmp::Ordering;

/// The number of calls that two paths have in common, regardless of order. Each call is paired with at most one call
/// of the other path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MultisetMatch {
    /// The number of calls in both paths.
    pub common: usize,
    /// The number of calls in the agent's path.
    pub actual: usize,
    /// The number of calls in the reference path.
    pub reference: usize,
}

impl MultisetMatch {
    /// Matches two paths as multisets: a call that occurs twice in one path and three times in the
    /// other counts as two common calls.
    ///
    /// `n log n` comparisons, and memory for `n` positions.
    ///
    /// ```
    /// use trajectory_metrics::tool_calls::MultisetMatch;
    ///
    /// let found = MultisetMatch::new(&["look", "look", "book"], &["pay", "book", "look"]);
    /// assert_eq!(found.common, 2);
    /// assert_eq!(found.precision(), Some(2.0 / 3.0));
    /// assert_eq!(found.recall(), Some(2.0 / 3.0));
    /// assert_eq!(MultisetMatch::new(&[], &["look"]).precision(), None);
    /// ```
    #[must_use]
    pub fn new<T: Ord>(actual: &[T], reference: &[T]) -> Self {
        let [a, b] = [actual, reference].map(|calls| {
            let mut sorted: Vec<&T> = calls.iter().collect();
            sorted.sort_unstable();
            sorted
        });
        let (mut i, mut j, mut common) = (0, 0, 0);
        while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
            let order = x.cmp(y);
            i += usize::from(order != Ordering::Greater);
            j += usize::from(order != Ordering::Less);
            common += usize::from(order == Ordering::Equal);
        }
        Self { common, actual: actual.len(), reference: reference.len() }
    }

    /// Returns the share of the agent's calls that are in the reference: `common / actual`, in [0, 1]; higher is
    /// better. `None` if the agent made no call.
    #[must_use]
    pub fn precision(&self) -> Option<f64> {
        share(self.common, self.actual)
    }

    /// Returns the share of the reference's calls that the agent made: `common / reference`, in [0, 1]; higher is
    /// better. `None` if the reference is empty.
    #[must_use]
    pub fn recall(&self) -> Option<f64> {
        share(self.common, self.reference)
    }
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
