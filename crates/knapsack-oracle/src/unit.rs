/// The oracle for items of equal value: the most solved items that fit a budget together.
///
/// `max { m : c_(1) + ... + c_(m) <= budget }`, with `c_(1) <= c_(2) <= ...` the costs of the
/// solved items. `items` gives the cost of each item and whether it is solved.
///
/// Takes O(n log n), without allocating for up to 64 items.
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
    let mut buffer = [0_u64; BUFFER];
    let mut solved = 0;
    let mut items = items.into_iter();
    for (cost, is_solved) in items.by_ref() {
        // Written in any case and kept if solved: which items are solved is hard to predict.
        buffer[solved] = cost;
        solved += usize::from(is_solved);
        if solved == BUFFER {
            let mut costs = buffer.to_vec();
            costs.extend(items.filter(|&(_, is_solved)| is_solved).map(|(cost, _)| cost));
            costs.sort_unstable();
            return fitting(costs.into_iter(), budget);
        }
    }
    select(&mut buffer[..solved], budget)
}

/// The positions of the items that [`most_solved`] counts, cheapest first; of equal costs the
/// earlier item goes first. Takes O(n log n).
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
    let fit = fitting(solved.iter().map(|&(cost, _)| cost), budget);
    solved.into_iter().take(fit).map(|(_, position)| position).collect()
}

/// As many costs as are kept without allocating.
const BUFFER: usize = 64;

/// How many of the cheapest costs fit the budget, by looking only at the side of a pivot on which
/// the last of them lies. As sorting, but faster for few costs, as only the choice of the side
/// branches.
fn select(costs: &mut [u64], budget: u64) -> usize {
    let (mut rest, mut left, mut count) = (costs, budget, 0);
    let mut above = [0; BUFFER];
    while !rest.is_empty() {
        let middle = rest.len() / 2;
        rest.swap(0, middle);
        let Some((&mut pivot, others)) = rest.split_first_mut() else { break };
        let (mut below, mut high, mut sum, mut too_much) = (0, 0, 0_u64, false);
        for index in 0..others.len() {
            let cost = others[index];
            let is_below = cost < pivot;
            // Never in front of the place that is read.
            others[below] = cost;
            above[high] = cost;
            below += usize::from(is_below);
            high += usize::from(!is_below);
            let (next, overflows) = sum.overflowing_add(if is_below { cost } else { 0 });
            too_much |= overflows;
            sum = next;
        }
        if too_much || sum > left {
            rest = &mut others[..below];
            continue;
        }
        count += below;
        left -= sum;
        if pivot > left {
            break;
        }
        count += 1;
        left -= pivot;
        others[..high].copy_from_slice(&above[..high]);
        rest = &mut others[..high];
    }
    count
}

/// How many of the costs, in order, fit the budget together.
fn fitting(costs: impl Iterator<Item = u64>, budget: u64) -> usize {
    let mut left = budget;
    costs
        .take_while(|&cost| {
            let fits = cost <= left;
            left = left.saturating_sub(cost);
            fits
        })
        .count()
}
