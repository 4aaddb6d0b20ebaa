use std::ops::AddAssign;

use crate::gcd::gcd;

/// Counting the sets of items that fit a budget by meeting in the middle: sets of the one half of
/// the items are matched to sets of the other, size by size, along their costs.
pub(crate) struct Halves<'a> {
    costs: &'a [u64],
    budget: u64,
    /// All items of the pool, also those that are in no set.
    n: usize,
}

/// More items would take more than half a GiB.
const MOST: usize = 46;

impl<'a> Halves<'a> {
    /// Nothing where there are too many items. Each must fit the budget alone.
    pub(crate) fn new(costs: &'a [u64], budget: u64, n: usize) -> Option<Self> {
        (costs.len() <= MOST).then_some(Self { costs, budget, n })
    }

    /// About how many steps it takes.
    pub(crate) fn work(&self) -> u64 {
        let half = self.costs.len().div_ceil(2) as u64;
        (4 * (half + 1)) << half
    }

    /// The chance of each item to run.
    pub(crate) fn run_probabilities(&self) -> Vec<f64> {
        match whole_weights(self.n) {
            Some((weights, unit)) => {
                let counts = self.weighted_counts(&weights);
                counts.into_iter().map(|count| count as f64 / unit as f64).collect()
            }
            None => self.weighted_counts(&real_weights(self.n, self.costs.len())),
        }
    }

    /// For each item, the sum of `weights[k]` over all sets of k items that it is in and that fit.
    fn weighted_counts<W: Weight>(&self, weights: &[W]) -> Vec<W> {
        let (left, right) = self.costs.split_at(self.costs.len() / 2);
        let mut sets = Sets::new(left, self.budget);
        let mut others = Sets::new(right, self.budget);
        for (size, class) in sets.by_size.iter_mut().enumerate() {
            for (other_size, others) in others.by_size.iter_mut().enumerate() {
                if let Some(&weight) = weights.get(size + other_size) {
                    class.meet(others, weight, self.budget);
                }
            }
        }
        let mut counts = sets.of_items();
        counts.extend(others.of_items());
        counts
    }
}

/// What a set of some size counts for.
trait Weight: Copy + Default + AddAssign {
    fn times(self, count: usize) -> Self;
}

impl Weight for u64 {
    fn times(self, count: usize) -> Self {
        self * count as Self
    }
}

impl Weight for f64 {
    fn times(self, count: usize) -> Self {
        self * count as Self
    }
}

/// `1 / (k C(n, k))` for k from 0, the first being 0, in units of one over lcm(1, ..., n), of which
/// all of them are whole multiples; and that number of units. A chance is at most 1, so no sum of
/// weights that belong to one item overflows. Nothing where the unit does not fit 64 bits, from
/// n = 47.
fn whole_weights(n: usize) -> Option<(Vec<u64>, u64)> {
    let n = n as u64;
    let unit = (1..=n).try_fold(1_u64, |lcm, k| (lcm / gcd(lcm, k)).checked_mul(k))?;
    let mut weights = vec![0];
    // n C(n - 1, k - 1) = k C(n, k), from k = 1.
    let mut sets = u128::from(n);
    for k in 1..=n {
        weights.push(u64::try_from(u128::from(unit) / sets).ok()?);
        sets = sets * u128::from(n - k) / u128::from(k);
    }
    Some((weights, unit))
}

/// `1 / (k C(n, k))` for k from 0 to `most`, the first being 0.
pub(crate) fn real_weights(n: usize, most: usize) -> Vec<f64> {
    let mut weights = vec![0.0];
    let mut weight = 1.0 / n as f64;
    for k in 1..=most {
        weights.push(weight);
        weight *= k as f64 / n.saturating_sub(k).max(1) as f64;
    }
    weights
}

/// All sets of some items that fit the budget, by size.
struct Sets<W> {
    items: usize,
    by_size: Vec<Class<W>>,
}

/// Sets of one size, cheapest first, and what each counts for by the sets that it was met with.
struct Class<W> {
    sets: Vec<Set>,
    counts: Vec<W>,
}

#[derive(Clone, Copy)]
struct Set {
    cost: u64,
    /// Bit i is set where item i is in.
    members: u32,
}

impl<W: Weight> Sets<W> {
    fn new(costs: &[u64], budget: u64) -> Self {
        let mut by_size = vec![vec![Set { cost: 0, members: 0 }]];
        for (item, &cost) in costs.iter().enumerate() {
            by_size.push(Vec::new());
            // From the largest, so that no set gets the item twice.
            for size in (1..by_size.len()).rev() {
                let with = by_size[size - 1].iter().filter_map(|set: &Set| {
                    let cost = set.cost.checked_add(cost).filter(|&cost| cost <= budget)?;
                    Some(Set { cost, members: set.members | 1 << item })
                });
                by_size[size] = merged(&by_size[size], with);
            }
        }
        let class = |sets: Vec<Set>| Class { counts: vec![W::default(); sets.len()], sets };
        Self { items: costs.len(), by_size: by_size.into_iter().map(class).collect() }
    }

    /// What each item counts for: the sum over the sets that it is in.
    fn of_items(&self) -> Vec<W> {
        let mut of_items = vec![W::default(); self.items];
        for class in &self.by_size {
            for (set, &count) in class.sets.iter().zip(&class.counts) {
                let mut members = set.members;
                while let Some(total) = of_items.get_mut(members.trailing_zeros() as usize) {
                    *total += count;
                    members &= members - 1;
                }
            }
        }
        of_items
    }
}

fn merged(these: &[Set], those: impl Iterator<Item = Set>) -> Vec<Set> {
    let mut merged = Vec::with_capacity(these.len() + those.size_hint().1.unwrap_or_default());
    let mut these = these.iter().copied().peekable();
    for that in those {
        while let Some(this) = these.next_if(|this| this.cost <= that.cost) {
            merged.push(this);
        }
        merged.push(that);
    }
    merged.extend(these);
    merged
}

impl<W: Weight> Class<W> {
    /// Counts, for each set here and there, the sets of the other side that fit the budget with it.
    fn meet(&mut self, others: &mut Self, weight: W, budget: u64) {
        let mut fit = others.sets.len();
        for (before, (set, count)) in self.sets.iter().zip(&mut self.counts).enumerate() {
            let left = budget - set.cost;
            while let Some(other) = fit.checked_sub(1).filter(|&o| others.sets[o].cost > left) {
                fit = other;
                others.counts[fit] += weight.times(before);
            }
            if fit == 0 {
                return;
            }
            *count += weight.times(fit);
        }
        let all = weight.times(self.sets.len());
        others.counts[..fit].iter_mut().for_each(|count| *count += all);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_whole_up_to_46_items_and_sum_over_all_sets_to_one_chance() {
        for n in 1..=46 {
            let (weights, unit) = whole_weights(n).unwrap();
            let real = real_weights(n, n);
            // An item is in C(n - 1, k - 1) sets of k items.
            let (mut sets, mut sum) = (1_u128, 0_u128);
            for k in 1..=n {
                sum += u128::from(weights[k]) * sets;
                sets = sets * (n - k) as u128 / k as u128;
                let ratio = weights[k] as f64 / unit as f64 / real[k];
                assert!((ratio - 1.0).abs() < 1e-13, "n {n} k {k}: {ratio}");
            }
            assert_eq!(sum, u128::from(unit), "n {n}");
        }
        assert_eq!(whole_weights(47), None);
    }
}
