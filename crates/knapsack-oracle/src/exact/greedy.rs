use super::knapsack::{Knapsack, Proof, Solution};

/// Positions of the items that may be chosen, by profit per weight, largest first, then by
/// position.
fn by_efficiency(instance: &Knapsack<'_>) -> Vec<usize> {
    let (profits, weights) = (instance.profits(), instance.weights());
    let mut order: Vec<usize> = (0..profits.len())
        .filter(|&item| profits[item] > 0 && weights[item] <= instance.capacity())
        .collect();
    order.sort_unstable_by(|&a, &b| {
        // p_a / w_a against p_b / w_b without dividing; below 2^126, so exact.
        let left = u128::from(profits[a]) * u128::from(weights[b]);
        let right = u128::from(profits[b]) * u128::from(weights[a]);
        // Profits are positive, so an item without weight is before each that has one.
        right.cmp(&left).then(a.cmp(&b))
    });
    order
}

pub(super) fn linear_bound(instance: &Knapsack<'_>) -> u64 {
    bound_along(instance, &by_efficiency(instance))
}

fn bound_along(instance: &Knapsack<'_>, order: &[usize]) -> u64 {
    let mut left = instance.capacity();
    let mut bound = 0;
    for &item in order {
        let (profit, weight) = (instance.profits()[item], instance.weights()[item]);
        if weight > left {
            let part = u128::from(profit) * u128::from(left) / u128::from(weight);
            // Less than the profit of the item that is cut.
            return bound + u64::try_from(part).unwrap_or(profit);
        }
        left -= weight;
        bound += profit;
    }
    bound
}

pub(super) fn greedy(instance: &Knapsack<'_>) -> Solution {
    let order = by_efficiency(instance);
    let mut left = instance.capacity();
    let mut chosen = Vec::new();
    for &item in &order {
        let weight = instance.weights()[item];
        if weight <= left {
            left -= weight;
            chosen.push(item);
        }
    }
    chosen.sort_unstable();
    let bound = bound_along(instance, &order);
    let mut solution = instance.solution(chosen, Some(bound), Proof::None, 0);
    if solution.value == bound {
        solution.proof = Proof::Bound;
    }
    solution
}
