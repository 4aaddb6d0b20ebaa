use crate::tool_calls::engines::{
    bit_parallel::{CommonSubsequence, compared, without_shared_ends},
    symbol_masks::interned,
};

/// Returns the length of the longest common subsequence: the largest number of calls that both paths
/// make in the same order, with any other calls in between.
///
/// From 0 to `min(m, n)`; higher is better. `m + n` minus twice this length is the edit distance
/// without replacements.
///
/// At most `m n` comparisons of calls and `m n / 64` steps. [`interned_common_subsequence`] is faster
/// for long paths that are compared more than once.
///
/// Reference: Hyyrö (2004), Bit-parallel LCS-length computation revisited.
///
/// ```
/// use trajectory_metrics::tool_calls::common_subsequence;
///
/// let actual = ["look", "look", "ask", "book", "pay"];
/// assert_eq!(common_subsequence(&actual, &["book", "look", "pay"]), 2);
/// ```
#[must_use]
pub fn common_subsequence<T: PartialEq>(actual: &[T], reference: &[T]) -> usize {
    let (columns, rows, shared) = without_shared_ends(actual, reference);
    shared + compared::<CommonSubsequence, T>(rows, columns)
}

/// Returns the [`common_subsequence`] of paths of numbers from an
/// [`Interner`](crate::tool_calls::Interner); up to fifteen times as fast. Both paths must come from
/// the same interner.
///
/// ```
/// use trajectory_metrics::tool_calls::interned_common_subsequence;
///
/// assert_eq!(interned_common_subsequence(&[0, 0, 1, 2, 3], &[2, 0, 3]), 2);
/// ```
#[must_use]
pub fn interned_common_subsequence(actual: &[u32], reference: &[u32]) -> usize {
    let (columns, rows, shared) = without_shared_ends(actual, reference);
    shared + interned::<CommonSubsequence>(rows, columns)
}
