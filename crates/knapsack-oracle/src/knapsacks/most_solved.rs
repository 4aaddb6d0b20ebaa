use crate::engines::cheapest::{count_cheapest, count_in_order};

/// Returns the largest number of solved items that together fit a budget. If all items have the same value, this is
/// also the number that an oracle with knowledge of all outcomes solves.
///
/// `max { m : c_(1) + ... + c_(m) <= budget }`, where `c_(1) <= c_(2) <= ...` are the costs of the
/// solved items. `items` gives the cost of each item and whether it is solved.
///
/// Takes O(n log n), without allocating for up to 64 solved items.
///
/// Reference: TRIAGE (2026), equation 3, arXiv:2605.13414.
///
/// ```
/// use knapsack_oracle::most_solved;
///
/// let items = [(500, true), (100, false), (300, true), (200, true)];
/// assert_eq!(most_solved(items, 500), 2);
/// assert_eq!(most_solved(items, 499), 1);
/// assert_eq!(most_solved(items, 99), 0);
/// ```
#[must_use]
pub fn most_solved(items: impl IntoIterator<Item = (u64, bool)>, budget: u64) -> usize {
    count_cheapest(items, budget)
}

/// Returns the positions of the items that [`most_solved`] counts, cheapest first. If costs are
/// equal, the earlier item comes first. Takes O(n log n).
///
/// ```
/// use knapsack_oracle::most_solved_items;
///
/// let items = [(500, true), (100, false), (300, true), (200, true)];
/// assert_eq!(most_solved_items(items, 500), [3, 2]);
/// ```
#[must_use]
pub fn most_solved_items(items: impl IntoIterator<Item = (u64, bool)>, budget: u64) -> Vec<usize> {
    let solved =
        |(position, (cost, is_solved)): (usize, (u64, bool))| is_solved.then_some((cost, position));
    let mut solved: Vec<(u64, usize)> = items.into_iter().enumerate().filter_map(solved).collect();
    solved.sort_unstable();
    let fit = count_in_order(solved.iter().map(|&(cost, _)| cost), budget);
    solved.into_iter().take(fit).map(|(_, position)| position).collect()
}
