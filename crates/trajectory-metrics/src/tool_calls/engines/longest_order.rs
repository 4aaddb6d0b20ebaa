use crate::tool_calls::engines::compatibility::Compatibility;

/// Returns a longest list of pairs (call, expected call) that increases in both: a longest common
/// subsequence of the two lists, where the matcher decides which calls are equal. Of several such
/// lists it returns the one whose calls come earliest.
///
/// The algorithm adds 64 columns at a time: in the table of lengths L(i, j), neighbours in a row
/// differ by 0 or 1, so that a row is a string of bits. A bit of 0 marks a column at which L rises.
///
/// Reference: Allison and Dix (1986), A bit-string longest-common-subsequence algorithm,
/// doi:10.1016/0020-0190(86)90091-8; here with four operations per word, as in later work.
pub(crate) fn longest_in_order(compatibility: &Compatibility) -> Vec<(usize, usize)> {
    let words = compatibility.columns.div_ceil(64);
    let mut flat = vec![u64::MAX; words];
    // All rows are kept for tracing the pairs back.
    let mut rows = Vec::with_capacity(compatibility.rows * words);
    for i in 0..compatibility.rows {
        let mut carry = false;
        for (flat, &fits) in flat.iter_mut().zip(compatibility.row(i)) {
            let rises = *flat & fits;
            let (sum, first) = flat.overflowing_add(rises);
            let (sum, second) = sum.overflowing_add(carry.into());
            carry = first | second;
            *flat = sum | (*flat & !fits);
        }
        rows.extend_from_slice(&flat);
    }
    let rises =
        |i: usize, j: usize| rows[(i - 1) * words + (j - 1) / 64] >> ((j - 1) % 64) & 1 == 0;
    let mut pairs = Vec::new();
    let (mut i, mut j) = (compatibility.rows, compatibility.columns);
    while i > 0 && j > 0 {
        if !rises(i, j) {
            j -= 1;
        } else {
            i -= 1;
            // A rise that is not in the row above comes from a pair in this row.
            if i == 0 || !rises(i, j) {
                j -= 1;
                pairs.push((i, j));
            }
        }
    }
    pairs.reverse();
    pairs
}

/// Marks the values of a longest increasing subsequence. The values outside it are the fewest
/// whose removal leaves an increasing list.
///
/// O(n log n). Reference: Fredman (1975), On computing the length of longest increasing
/// subsequences, doi:10.1016/0012-365X(75)90103-X.
pub(crate) fn in_longest_increasing(values: &[usize]) -> Vec<bool> {
    // Entry k is the position of the smallest value that ends an increasing list of length k + 1.
    let mut ends: Vec<usize> = Vec::new();
    let mut before = vec![usize::MAX; values.len()];
    for (position, value) in values.iter().enumerate() {
        let length = ends.partition_point(|&end| values[end] < *value);
        if length > 0 {
            before[position] = ends[length - 1];
        }
        match ends.get_mut(length) {
            Some(end) => *end = position,
            None => ends.push(position),
        }
    }
    let mut stays = vec![false; values.len()];
    let mut position = ends.last().copied().unwrap_or(usize::MAX);
    while let Some(stay) = stays.get_mut(position) {
        *stay = true;
        position = before[position];
    }
    stays
}
