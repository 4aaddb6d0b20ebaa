use super::{items::Items, relaxation::Relaxation};

/// The best choice found so far.
#[derive(Clone, Debug)]
pub(super) struct Incumbent {
    pub(super) value: i64,
    pub(super) taken: Vec<bool>,
}

impl Incumbent {
    /// Returns the better of the relaxed choice, made to fit, and its best neighbour.
    pub(super) fn first(items: &Items, relaxed: &Relaxation) -> Self {
        let mut start = relaxed.taken.clone();
        let pairs = items.weights.iter().zip(&start);
        let mut weight: i64 = pairs.map(|(weight, &taken)| weight * i64::from(taken)).sum();
        // The relaxed choice is too heavy only if ratios were too close to distinguish.
        for (taken, item_weight) in start.iter_mut().zip(&items.weights) {
            if weight <= items.capacity {
                break;
            }
            if *taken {
                *taken = false;
                weight -= item_weight;
            }
        }
        let mut best = Self::new(items, start.clone());
        best.neighbours(items, &start, relaxed.next);
        best
    }

    fn new(items: &Items, taken: Vec<bool>) -> Self {
        let value = items.profits.iter().zip(&taken).map(|(p, &taken)| p * i64::from(taken)).sum();
        Self { value, taken }
    }

    /// Replaces this choice by the best neighbour of `start` if that is better. A neighbour has one more
    /// item, or has `next` instead of another item.
    fn neighbours(&mut self, items: &Items, start: &[bool], next: Option<usize>) {
        let (mut value, mut weight) = (0, 0);
        let pairs = || items.profits.iter().zip(&items.weights);
        for ((profit, item_weight), &taken) in pairs().zip(start) {
            value += profit * i64::from(taken);
            weight += item_weight * i64::from(taken);
        }
        let room = items.capacity - weight;
        let next = next.filter(|&item| !start[item]);
        let (next_profit, next_weight) =
            next.map_or((0, 0), |item| (items.profits[item], items.weights[item]));
        let mut best = (0, None);
        for (item, ((&profit, &weight), &taken)) in pairs().zip(start).enumerate() {
            let (gain, need) =
                if taken { (next_profit - profit, next_weight - weight) } else { (profit, weight) };
            if (gain > best.0) & (need <= room) {
                best = (gain, Some(item));
            }
        }
        if value + best.0 > self.value {
            self.value = value + best.0;
            self.taken.clear();
            self.taken.extend_from_slice(start);
            if let (_, Some(item)) = best {
                self.taken[item] = !start[item];
                if start[item] {
                    next.into_iter().for_each(|next| self.taken[next] = true);
                }
            }
        }
    }
}
