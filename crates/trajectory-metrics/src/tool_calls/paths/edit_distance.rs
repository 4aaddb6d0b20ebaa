use crate::tool_calls::engines::{
    bit_parallel::{Levenshtein, compared, without_shared_ends},
    symbol_masks::interned,
};

/// The fewest calls that must be inserted, deleted or replaced to turn one path into the other.
///
/// From `abs(m - n)` to `max(m, n)`; lower is better, 0 for equal paths only. A metric: symmetric,
/// and never longer than by way of a third path.
///
/// At most `m n` comparisons of calls, none where the paths agree at their ends, and `m n / 64`
/// steps. For long paths that are compared more than once, [`interned_edit_distance`] is faster.
///
/// Reference: Levenshtein (1966), Binary codes capable of correcting deletions, insertions, and
/// reversals; ED in CostBench, appendix B.3.1, equation 15. By bits: Myers (1999), A fast
/// bit-vector algorithm for approximate string matching based on dynamic programming,
/// doi:10.1145/316542.316550; Hyyrö (2003), A bit-vector algorithm for computing Levenshtein and
/// Damerau edit distances.
///
/// ```
/// use trajectory_metrics::tool_calls::edit_distance;
///
/// // The example of CostBench, appendix B.3.3: two replaced, one deleted.
/// assert_eq!(edit_distance(&["tool 3", "tool 4", "tool 5"], &["tool 1", "tool 2"]), 3);
/// assert_eq!(edit_distance(&["look", "book"], &["book", "pay"]), 2);
/// ```
#[must_use]
pub fn edit_distance<T: PartialEq>(actual: &[T], reference: &[T]) -> usize {
    let (columns, rows, _) = without_shared_ends(actual, reference);
    columns.len().wrapping_add(compared::<Levenshtein, T>(rows, columns))
}

/// [`edit_distance`] of paths that an [`Interner`](crate::tool_calls::Interner) has turned into numbers;
/// several times as fast. Both paths must come from one interner.
///
/// `m n / 64` steps and `m + n` look-ups. No memory for paths of up to 64 calls with numbers below
/// 256, otherwise for `m + n` numbers.
///
/// ```
/// use trajectory_metrics::{Error, tool_calls::{Interner, interned_edit_distance}};
///
/// let mut interner = Interner::default();
/// let actual = interner.intern_all(["look", "book"])?;
/// let reference = interner.intern_all(["book", "pay"])?;
/// assert_eq!(interned_edit_distance(&actual, &reference), 2);
/// # Ok::<(), Error>(())
/// ```
#[must_use]
pub fn interned_edit_distance(actual: &[u32], reference: &[u32]) -> usize {
    let (columns, rows, _) = without_shared_ends(actual, reference);
    columns.len().wrapping_add(interned::<Levenshtein>(rows, columns))
}

/// The [`edit_distance`] over the length of the longer path; 0 for two empty paths.
///
/// In [0, 1], lower is better; 1 where no call keeps its place. Not a metric: the way by a third
/// path may be shorter.
///
/// Reference: NED in CostBench, appendix B.3.1, equation 17.
///
/// ```
/// use trajectory_metrics::tool_calls::normalized_edit_distance;
///
/// assert_eq!(normalized_edit_distance(&["look", "book", "pay"], &["look", "pay"]), 1.0 / 3.0);
/// assert_eq!(normalized_edit_distance::<&str>(&[], &[]), 0.0);
/// ```
#[must_use]
pub fn normalized_edit_distance<T: PartialEq>(actual: &[T], reference: &[T]) -> f64 {
    normalized(edit_distance(actual, reference), actual.len(), reference.len())
}

/// A distance over the longer length.
pub(super) fn normalized(distance: usize, actual: usize, reference: usize) -> f64 {
    // Only two empty paths have a longer length of zero, and their distance is zero.
    distance as f64 / actual.max(reference).max(1) as f64
}
