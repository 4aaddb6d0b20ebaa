use super::{
    core::bundles,
    incumbent::Incumbent,
    items::Items,
    relaxation::relax,
    search::{End, Goal, MOST_STATES, search},
};

/// Returns an upper bound on the profit within a capacity. The bound is exact if the search finds
/// the best choice within the budget of partial choices.
pub(super) fn quick_bound(capacity: i64, profits: &[i64], weights: &[i64], budget: u64) -> i64 {
    let open = || {
        let pairs = profits.iter().zip(weights);
        pairs.filter(|pair| *pair.0 > 0 && *pair.1 <= capacity)
    };
    let all: i64 = open().map(|pair| *pair.0).sum();
    if open().map(|pair| *pair.1).sum::<i64>() <= capacity {
        return all;
    }
    let (profits, weights) = open().unzip();
    let items = Items::new(capacity, profits, weights);
    let relaxed = relax(&items);
    let mut best = Incumbent::first(&items, &relaxed);
    let target = best.value + items.step;
    let order = bundles(&items, &relaxed, target);
    let ceiling = items.round_down(relaxed.floor(all));
    let goal = Goal { target, ceiling, budget, most: MOST_STATES, limit: u64::MAX };
    match search(&items, &relaxed, &mut best, goal, Some(&order), &mut 0) {
        End::Unfinished | End::TooLong => ceiling,
        End::Bound | End::Exhausted => best.value,
    }
}
