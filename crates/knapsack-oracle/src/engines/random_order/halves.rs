use std::ops::AddAssign;

use super::set_weights::{real_weights, whole_weights};

/// Counting the sets of items that fit a budget by meeting in the middle: sets of the one half of
/// the items are matched to sets of the other along their costs, with a count of each size.
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
        let (these, others) = (sets(left, self.budget), sets(right, self.budget));
        // By members: the weight of all sets that fit and of which these are the members on one side.
        let mut of_these = vec![W::default(); 1 << left.len()];
        let mut of_others = vec![W::default(); 1 << right.len()];
        // By size: how many sets of the one side have been passed, how many of the other still fit.
        let mut passed = vec![0_usize; left.len() + 1];
        let mut fitting = vec![0_usize; right.len() + 1];
        others.iter().for_each(|set| fitting[set.size()] += 1);
        let mut rest = others.as_slice();
        for set in &these {
            let left_over = self.budget - set.cost;
            while let Some((other, cheaper)) = rest.split_last()
                && other.cost > left_over
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

/// The weight of all sets that join a set of `size` items to one of the sets counted by their size.
fn weighted<W: Weight>(weights: &[W], size: usize, counts: &[usize]) -> W {
    let mut sum = W::default();
    for (&weight, &count) in weights[size..].iter().zip(counts) {
        sum += weight.times(count);
    }
    sum
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

/// A set of items.
#[derive(Clone, Copy)]
struct Set {
    cost: u64,
    /// Bit i is set where item i is in.
    members: u32,
    size: u32,
}

impl Set {
    const fn size(self) -> usize {
        self.size as usize
    }
}

/// All sets of some items that fit the budget, cheapest first.
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

/// The sum for each item over the sets that it is in, of what is given for each set of `items` by its
/// members.
fn of_items<W: Weight>(mut of_sets: Vec<W>, items: usize) -> Vec<W> {
    let mut of_items = vec![W::default(); items];
    for (item, of_item) in of_items.iter_mut().enumerate().rev() {
        // Sets with the item, each behind half of all; then they count as the same sets without it.
        let (without, with) = of_sets.split_at_mut(1 << item);
        with.iter().for_each(|&with| *of_item += with);
        // The empty set is in no item's sum; its own would pass the largest number.
        for (without, &mut with) in without.iter_mut().zip(with).skip(1) {
            *without += with;
        }
        of_sets.truncate(1 << item);
    }
    of_items
}
