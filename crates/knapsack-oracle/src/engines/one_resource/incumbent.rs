use super::{items::Items, relaxation::Relaxation};

/// The best choice found so far.
#[derive(Clone, Debug)]
pub(super) struct Incumbent {
    pub(super) value: i64,
    pub(super) taken: Vec<bool>,
}

impl Incumbent {
    /// Returns the best neighbour of the relaxed choice, made to fit, or this choice itself if none is better. A neighbour
    /// has one more item, or has the next item of the relaxation instead of another item.
    pub(super) fn first(items: &Items, relaxed: &Relaxation) -> Self {
        let mut taken = relaxed.taken.clone();
        let sum = |of: &[i64], taken: &[bool]| {
            of.iter().zip(taken).map(|(number, &taken)| number * i64::from(taken)).sum::<i64>()
        };
        let mut weight = sum(&items.weights, &taken);
        // The relaxed choice is too heavy only if ratios were too close to distinguish.
        for (taken, item_weight) in taken.iter_mut().zip(&items.weights) {
            if weight <= items.capacity {
                break;
            }
            if *taken {
                *taken = false;
                weight -= item_weight;
            }
        }
        let value = sum(&items.profits, &taken);
        let room = items.capacity - weight;
        let next = relaxed.next.filter(|&item| !taken[item]);
        let (next_profit, next_weight) =
            next.map_or((0, 0), |item| (items.profits[item], items.weights[item]));
        let mut best = (0, None);
        let pairs = items.profits.iter().zip(&items.weights);
        for (item, ((&profit, &weight), &taken)) in pairs.zip(&taken).enumerate() {
            let (gain, need) =
                if taken { (next_profit - profit, next_weight - weight) } else { (profit, weight) };
            if (gain > best.0) & (need <= room) {
                best = (gain, Some(item));
            }
        }
        if let Some(item) = best.1 {
            let leaves = taken[item];
            taken[item] = !leaves;
            next.into_iter().filter(|_| leaves).for_each(|next| taken[next] = true);
        }
        Self { value: value + best.0, taken }
    }
}
