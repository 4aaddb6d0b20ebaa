use crate::tool_calls::engines::{
    bit_parallel::{compared, without_shared_ends},
    symbol_masks::interned,
};

/// Returns the edit distance (Levenshtein distance): the smallest number of calls that must be inserted, deleted or
/// replaced to turn one path into the other.
///
/// From `abs(m - n)` to `max(m, n)`; lower is better, and 0 only for equal paths. It is a metric: it
/// is symmetric and satisfies the triangle inequality.
///
/// At most `m n` comparisons of calls and `m n / 64` steps; a call of the common prefix or suffix
/// costs only one comparison. [`interned_edit_distance`] is faster for long paths that are compared
/// more than once.
///
/// Reference: Levenshtein (1966), Binary codes capable of correcting deletions, insertions, and
/// reversals; ED in CostBench, appendix B.3.1, equation 15. Bit-parallel algorithm: Myers (1999), A
/// fast bit-vector algorithm for approximate string matching based on dynamic programming,
/// doi:10.1145/316542.316550; Hyyrö (2003), A bit-vector algorithm for computing Levenshtein and
/// Damerau edit distances.
///
/// ```
/// use trajectory_metrics::tool_calls::edit_distance;
///
/// // The example of CostBench, appendix B.3.3: two calls replaced, one deleted.
/// assert_eq!(edit_distance(&["tool 3", "tool 4", "tool 5"], &["tool 1", "tool 2"]), 3);
/// assert_eq!(edit_distance(&["look", "book"], &["book", "pay"]), 2);
/// ```
#[must_use]
pub fn edit_distance<T: PartialEq>(actual: &[T], reference: &[T]) -> usize {
    let (columns, rows) = without_shared_ends(actual, reference);
    columns.len().wrapping_add(compared(rows, columns))
}

/// Returns the [`edit_distance`] between paths whose calls an [`Interner`](crate::tool_calls::Interner) has replaced
/// by numbers, which is several times as fast. Both paths must come from the same interner.
///
/// `m n / 64` steps and `m + n` lookups. Paths of up to 64 calls with numbers below 256 need no
/// memory, other paths need memory for `m + n` numbers.
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
    let (columns, rows) = without_shared_ends(actual, reference);
    columns.len().wrapping_add(interned(rows, columns))
}

/// Returns the [`edit_distance`] divided by the length of the longer path; 0 for two empty paths.
///
/// In [0, 1]; lower is better, and 1 if no call keeps its place. It is not a metric: it does not
/// satisfy the triangle inequality.
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

/// A distance divided by the longer length.
pub(crate) fn normalized(distance: usize, actual: usize, reference: usize) -> f64 {
    // The longer length is 0 only for two empty paths, whose distance is 0.
    distance as f64 / actual.max(reference).max(1) as f64
}
