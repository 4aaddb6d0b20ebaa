use crate::{
    engines::choice::Choice,
    values::{knapsack_item::KnapsackItem, proof::Proof},
};

/// Returns the positions of the items that can be part of a choice, by profit per weight in
/// descending order, then by position.
fn by_efficiency(capacity: u64, items: &[KnapsackItem]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..items.len())
        .filter(|&position| items[position].profit > 0 && items[position].weight <= capacity)
        .collect();
    order.sort_unstable_by(|&a, &b| {
        // Compares p_a / w_a with p_b / w_b without a division. The products are below 2^126.
        let left = u128::from(items[a].profit) * u128::from(items[b].weight);
        let right = u128::from(items[b].profit) * u128::from(items[a].weight);
        // Profits are positive, so items without weight come first.
        right.cmp(&left).then(a.cmp(&b))
    });
    order
}

/// Returns the Dantzig bound, rounded down. `order` must be by efficiency.
fn bound_along(capacity: u64, items: &[KnapsackItem], order: &[usize]) -> u64 {
    let mut left = capacity;
    let mut bound = 0;
    for &position in order {
        let KnapsackItem { profit, weight } = items[position];
        if weight > left {
            let part = u128::from(profit) * u128::from(left) / u128::from(weight);
            // The part is less than the profit of the whole item.
            return bound + u64::try_from(part).unwrap_or(profit);
        }
        left -= weight;
        bound += profit;
    }
    bound
}

/// Takes each item that still fits, in order of profit per weight. The upper bound is the Dantzig bound.
pub(crate) fn greedy(capacity: u64, items: &[KnapsackItem]) -> Choice {
    let order = by_efficiency(capacity, items);
    let mut left = capacity;
    let mut chosen = Vec::new();
    for &position in &order {
        let weight = items[position].weight;
        if weight <= left {
            left -= weight;
            chosen.push(position);
        }
    }
    chosen.sort_unstable();
    let upper_bound = Some(bound_along(capacity, items, &order));
    Choice { chosen, upper_bound, proof: Proof::None, states: 0 }
}
