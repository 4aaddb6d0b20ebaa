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
    let words = compatibility.columns().div_ceil(64);
    let mut flat = vec![u64::MAX; words];
    // All rows are kept for tracing the pairs back.
    let mut rows = Vec::with_capacity(compatibility.rows() * words);
    for i in 0..compatibility.rows() {
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
    let (mut i, mut j) = (compatibility.rows(), compatibility.columns());
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

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::*;

    fn table(
        calls: &[usize],
        expected: &[usize],
        fit: impl Fn(&usize, &usize) -> bool,
    ) -> Compatibility {
        let Ok(table) = Compatibility::new(calls, expected, |call, wanted| {
            Ok::<_, Infallible>(fit(call, wanted))
        });
        table
    }

    /// The length of the longest list in order, from the textbook's table.
    fn length(fits: &[Vec<bool>], columns: usize) -> usize {
        let mut above = vec![0; columns + 1];
        for row in fits {
            let mut next = vec![0; columns + 1];
            for (j, &fits) in row.iter().enumerate() {
                next[j + 1] = if fits { above[j] + 1 } else { above[j + 1].max(next[j]) };
            }
            above = next;
        }
        above[columns]
    }

    proptest! {
        #[test]
        fn no_longer_list_is_in_order(
            share in 0.01..0.9_f64,
            seed in any::<u64>(),
            rows in 0..40_usize,
            columns in 1..300_usize,
            // Words in which nothing fits pass a carry on.
            blank in 0..400_usize,
        ) {
            let mut state = seed | 1;
            let mut draw = || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 11) as f64 / (1_u64 << 53) as f64
            };
            let fits: Vec<Vec<bool>> = (0..rows)
                .map(|_| {
                    (0..columns).map(|j| draw() < share && !(blank..blank + 130).contains(&j)).collect()
                })
                .collect();
            let (calls, expected): (Vec<usize>, Vec<usize>) =
                ((0..rows).collect(), (0..columns).collect());
            let fit = |&i: &usize, &j: &usize| fits[i][j];
            let pairs = longest_in_order(&table(&calls, &expected, fit));
            prop_assert_eq!(pairs.len(), length(&fits, columns));
            prop_assert!(pairs.iter().all(|&(i, j)| fits[i][j]));
            prop_assert!(pairs.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1));
        }
    }

    #[test]
    fn a_carry_passes_from_one_word_of_columns_to_the_next() {
        let (actual, expected): (Vec<usize>, Vec<usize>) =
            ((0..150).map(|i| i * 2).collect(), (0..200).collect());
        let same = |a: &usize, e: &usize| a == e;
        let pairs = longest_in_order(&table(&actual, &expected, same));
        let even: Vec<(usize, usize)> = (0..100).map(|i| (i, 2 * i)).collect();
        assert_eq!(pairs, even);
        let any = |_: &usize, _: &usize| true;
        let pairs = longest_in_order(&table(&actual, &expected, any));
        assert_eq!(pairs, (0..150).map(|i| (i, i)).collect::<Vec<_>>());
    }

    #[test]
    fn the_fewest_values_are_outside_the_longest_increasing_subsequence() {
        assert_eq!(in_longest_increasing(&[0, 1, 2]), [true; 3]);
        assert_eq!(in_longest_increasing(&[3, 0, 1, 4, 2]), [false, true, true, false, true]);
        assert_eq!(in_longest_increasing(&[2, 1, 0]).iter().filter(|&&stays| stays).count(), 1);
        assert!(in_longest_increasing(&[]).is_empty());
    }
}
