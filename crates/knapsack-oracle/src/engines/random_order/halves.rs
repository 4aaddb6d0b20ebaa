use std::ops::AddAssign;

use super::set_weights::{real_weights, whole_weights};

/// Counts the sets of items that fit a budget by meeting in the middle: sets of one half of the
/// items are matched with sets of the other half in order of cost, with a count for each size.
pub(crate) struct Halves<'a> {
    costs: &'a [u64],
    budget: u64,
    /// The number of items of the pool, including items that never fit.
    n: usize,
}

/// More items would need more than half a GiB.
const MOST: usize = 46;

impl<'a> Halves<'a> {
    /// Returns `None` for too many items. Each single item must fit the budget.
    pub(crate) fn new(costs: &'a [u64], budget: u64, n: usize) -> Option<Self> {
        (costs.len() <= MOST).then_some(Self { costs, budget, n })
    }

    /// Estimates the number of steps.
    pub(crate) fn work(&self) -> u64 {
        let half = self.costs.len().div_ceil(2) as u64;
        (4 * (half + 1)) << half
    }

    /// Returns the probability that each item runs.
    pub(crate) fn run_probabilities(&self) -> Vec<f64> {
        match whole_weights(self.n) {
            Some((weights, unit)) => {
                let counts = self.weighted_counts(&weights);
                counts.into_iter().map(|count| count as f64 / unit as f64).collect()
            }
            None => self.weighted_counts(&real_weights(self.n, self.costs.len())),
        }
    }

    /// Returns, for each item, the sum of `weights[k]` over all sets of k items that contain it and
    /// fit.
    fn weighted_counts<W: Weight>(&self, weights: &[W]) -> Vec<W> {
        let (left, right) = self.costs.split_at(self.costs.len() / 2);
        let (these, others) = (sets(left, self.budget), sets(right, self.budget));
        // For each subset of one half: the weight of all sets that fit and extend it.
        let mut of_these = vec![W::default(); 1 << left.len()];
        let mut of_others = vec![W::default(); 1 << right.len()];
        // For each size: the number of visited sets of one half, and the number of sets of the
        // other half that still fit.
        let mut passed = vec![0_usize; left.len() + 1];
        let mut fitting = vec![0_usize; right.len() + 1];
        others.iter().for_each(|set| fitting[set.size()] += 1);
        let mut rest = others.as_slice();
        for set in &these {
            let room = self.budget - set.cost;
            while let Some((other, cheaper)) = rest.split_last()
                && other.cost > room
            {
                of_others[other.members as usize] = weighted(weights, other.size(), &passed);
                fitting[other.size()] -= 1;
                rest = cheaper;
            }
            of_these[set.members as usize] = weighted(weights, set.size(), &fitting);
            passed[set.size()] += 1;
        }
        let by_size: Vec<W> =
            (0..=right.len()).map(|size| weighted(weights, size, &passed)).collect();
        for other in rest {
            of_others[other.members as usize] = by_size[other.size()];
        }
        let mut counts = of_items(of_these, left.len());
        counts.extend(of_items(of_others, right.len()));
        counts
    }
}

/// Returns the total weight of all unions of a set of `size` items and one of the sets counted by size.
fn weighted<W: Weight>(weights: &[W], size: usize, counts: &[usize]) -> W {
    let mut sum = W::default();
    for (&weight, &count) in weights[size..].iter().zip(counts) {
        sum += weight.times(count);
    }
    sum
}

/// The weight of a set of some size.
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

/// A set of items.
#[derive(Clone, Copy)]
struct Set {
    cost: u64,
    /// Bit i is set if the set contains item i.
    members: u32,
    size: u32,
}

impl Set {
    const fn size(self) -> usize {
        self.size as usize
    }
}

/// Returns all sets of the items that fit the budget, cheapest first.
fn sets(costs: &[u64], budget: u64) -> Vec<Set> {
    let mut sets = vec![Set { cost: 0, members: 0, size: 0 }];
    for (item, &cost) in costs.iter().enumerate() {
        let with = sets.iter().map_while(|set: &Set| {
            let cost = set.cost.checked_add(cost).filter(|&cost| cost <= budget)?;
            Some(Set { cost, members: set.members | 1 << item, size: set.size + 1 })
        });
        sets = merged(&sets, with);
    }
    sets
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

/// Returns, for each item, the sum over the sets that contain it. `of_sets` has one entry per set
/// of `items` items, indexed by its members.
fn of_items<W: Weight>(mut of_sets: Vec<W>, items: usize) -> Vec<W> {
    let mut of_items = vec![W::default(); items];
    for (item, of_item) in of_items.iter_mut().enumerate().rev() {
        // The second half are the sets with the item. They are then added to the same sets without
        // it.
        let (without, with) = of_sets.split_at_mut(1 << item);
        with.iter().for_each(|&with| *of_item += with);
        // The empty set is not in any sum, and adding to it could overflow.
        for (without, &mut with) in without.iter_mut().zip(with).skip(1) {
            *without += with;
        }
        of_sets.truncate(1 << item);
    }
    of_items
}
