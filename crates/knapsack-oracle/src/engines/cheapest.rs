//! The largest number of costs that fit a budget together.

/// The number of costs that are kept on the stack.
const BUFFER: usize = 64;

/// Counts the cheapest of the given costs that fit the budget together.
///
/// Takes O(n log n), without allocating for up to 64 costs. Each cost comes with a flag that says
/// whether it counts.
pub(crate) fn count_cheapest(costs: impl IntoIterator<Item = (u64, bool)>, budget: u64) -> usize {
    let mut buffer = [0_u64; BUFFER];
    let mut counted = 0;
    let mut costs = costs.into_iter();
    for (cost, counts) in costs.by_ref() {
        // Written in any case and kept if it counts, because the flag is hard to predict.
        buffer[counted] = cost;
        counted += usize::from(counts);
        if counted == BUFFER {
            let mut all = buffer.to_vec();
            all.extend(costs.filter(|&(_, counts)| counts).map(|(cost, _)| cost));
            all.sort_unstable();
            return count_in_order(all.into_iter(), budget);
        }
    }
    select(&mut buffer[..counted], budget)
}

/// Counts the costs, in the given order, that fit the budget together.
pub(crate) fn count_in_order(costs: impl Iterator<Item = u64>, budget: u64) -> usize {
    let mut left = budget;
    costs
        .take_while(|&cost| {
            let fits = cost <= left;
            left = left.saturating_sub(cost);
            fits
        })
        .count()
}

/// Counts the cheapest costs that fit the budget by quickselect: it continues only in the side of the pivot
/// with the last fitting cost. For few costs this is faster than sorting, because only the choice of the side
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
            // `below` never passes `index`, so no cost is overwritten before it is read.
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
