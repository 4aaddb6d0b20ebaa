use crate::tool_calls::engines::multiset_pairs::multiset_pairs;

/// Returns Kendall's tau between the orders of the common calls in both paths:
/// `(pairs in the same order - pairs in the opposite order) / all pairs`.
///
/// In [-1, 1]; higher is better: 1 if the agent follows the order of the reference, -1 if the order
/// is reversed, regardless of other calls in between. `None` if fewer than two calls are common.
///
/// Occurrences of a repeated call are matched in order: the first with the first, the second with
/// the second; further occurrences are not matched. There are therefore no ties, and tau-a, tau-b and
/// tau-c are the same number.
///
/// `n log n` comparisons, and memory for `n` positions.
///
/// Reference: Kendall (1938), A new measure of rank correlation, doi:10.1093/biomet/30.1-2.81;
/// Knight (1966), A computer method for calculating Kendall's tau with ungrouped data.
///
/// ```
/// use trajectory_metrics::tool_calls::order_tau;
///
/// let reference = ["look", "book", "pay"];
/// assert_eq!(order_tau(&["look", "ask", "book", "pay", "pay"], &reference), Some(1.0));
/// assert_eq!(order_tau(&["book", "look", "pay"], &reference), Some(1.0 / 3.0));
/// assert_eq!(order_tau(&["pay", "ask"], &reference), None);
/// ```
#[must_use]
pub fn order_tau<T: Ord>(actual: &[T], reference: &[T]) -> Option<f64> {
    let mut matched = multiset_pairs(actual, reference);
    // Positions in the reference, in the order of the agent's path.
    matched.sort_unstable();
    let mut places: Vec<usize> = matched.into_iter().map(|(_, place)| place).collect();
    let n = places.len() as u128;
    let pairs = n * n.saturating_sub(1) / 2;
    let mut scratch = places.clone();
    let reversed = inversions(&mut places, &mut scratch);
    (pairs > 0).then(|| (pairs as i128 - 2 * reversed as i128) as f64 / pairs as f64)
}

/// Sorts by merging, and returns the number of pairs that were in the wrong order.
fn inversions(values: &mut [usize], scratch: &mut [usize]) -> u128 {
    if values.len() < 2 {
        return 0;
    }
    let middle = values.len() / 2;
    let (left, right) = values.split_at_mut(middle);
    let (low, high) = scratch.split_at_mut(middle);
    let mut count = inversions(left, low) + inversions(right, high);
    let (mut i, mut j) = (0, 0);
    for place in scratch.iter_mut() {
        let from_left = j == right.len() || i < left.len() && left[i] <= right[j];
        if from_left {
            *place = left[i];
            i += 1;
        } else {
            *place = right[j];
            j += 1;
            count += (left.len() - i) as u128;
        }
    }
    values.copy_from_slice(scratch);
    count
}
