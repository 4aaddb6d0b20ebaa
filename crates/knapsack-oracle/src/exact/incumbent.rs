use super::relaxation::Items;

/// The best choice known so far.
#[derive(Clone, Debug)]
pub(super) struct Incumbent {
    pub(super) value: i64,
    pub(super) taken: Vec<bool>,
}

impl Incumbent {
    pub(super) fn new(items: &Items, taken: Vec<bool>) -> Self {
        let value = items.profits.iter().zip(&taken).filter(|x| *x.1).map(|x| *x.0).sum();
        Self { value, taken }
    }

    /// Takes the better of this and a neighbour of `start`, a choice that fits: one item more, or
    /// one item changed for `next`.
    pub(super) fn neighbours(&mut self, items: &Items, start: &[bool], next: Option<usize>) {
        let (mut value, mut weight) = (0, 0);
        for (item, &taken) in start.iter().enumerate() {
            if taken {
                value += items.profits[item];
                weight += items.weights[item];
            }
        }
        let room = items.capacity - weight;
        let next = next.filter(|&item| !start[item]);
        let (next_profit, next_weight) =
            next.map_or((0, 0), |item| (items.profits[item], items.weights[item]));
        let mut best = (value, None, None);
        for (item, &taken) in start.iter().enumerate() {
            let (profit, weight) = (items.profits[item], items.weights[item]);
            if !taken && weight <= room && value + profit > best.0 {
                best = (value + profit, None, Some(item));
            }
            if taken && next_weight - weight <= room && value + next_profit - profit > best.0 {
                best = (value + next_profit - profit, Some(item), next);
            }
        }
        if best.0 > self.value {
            self.value = best.0;
            self.taken.clear();
            self.taken.extend_from_slice(start);
            best.1.into_iter().for_each(|item| self.taken[item] = false);
            best.2.into_iter().for_each(|item| self.taken[item] = true);
        }
    }
}
