use super::set_weights::real_weights;
use crate::engines::{cheapest::count_cheapest, gcd::gcd};

/// Counts the sets of items that fit a budget by their sums: for each item, the number of sets of
/// the other items with each size and sum. The tables that leave out one item share their work:
/// each half of the items is added once to the table of the items outside the other half.
pub(crate) struct LeaveOneOut {
    /// Costs and budget in units of the costs' greatest common divisor.
    costs: Vec<usize>,
    budget: usize,
    /// The largest number of items that fit together.
    most: usize,
    /// The number of items of the pool, including items that never fit.
    n: usize,
}

/// The largest number of cells of all tables at one time: 512 MiB.
const CELLS: u64 = 1 << 26;
/// The largest number of additions.
const WORK: u64 = 1 << 35;
/// With more items the number of sets may exceed the largest `f64`.
const MOST: usize = 1_000;

impl LeaveOneOut {
    /// Returns `None` if the limits on memory or work are exceeded. Each single item must fit the budget.
    pub(crate) fn new(costs: &[u64], budget: u64, n: usize) -> Option<Self> {
        let unit = costs.iter().copied().fold(0, gcd);
        // If nothing has a cost, the budget does not matter.
        let in_units = |cost: u64| cost.checked_div(unit).unwrap_or_default();
        if n > MOST || in_units(budget) > CELLS {
            return None;
        }
        let costs: Vec<usize> = costs.iter().map(|&cost| in_units(cost) as usize).collect();
        let budget = in_units(budget) as usize;
        let most = count_cheapest(costs.iter().map(|&cost| (cost as u64, true)), budget as u64);
        let counting = Self { costs, budget, most, n };
        let cells = counting.cells();
        (cells.saturating_mul(counting.levels() + 1) <= CELLS && counting.work() <= WORK)
            .then_some(counting)
    }

    /// Estimates the number of additions.
    pub(crate) fn work(&self) -> u64 {
        let additions = self.costs.len() as u64 * (self.levels() + 1);
        additions.saturating_mul(self.cells())
    }

    fn cells(&self) -> u64 {
        (self.most as u64 + 1).saturating_mul(self.budget as u64 + 1)
    }

    fn levels(&self) -> u64 {
        u64::from(self.costs.len().next_power_of_two().trailing_zeros())
    }

    /// Returns the probability that each item runs.
    pub(crate) fn run_probabilities(&self) -> Vec<f64> {
        let mut table = Table::of_nothing(self.most, self.budget);
        let mut probabilities = Vec::with_capacity(self.costs.len());
        let weights = real_weights(self.n, self.most);
        self.descend(&self.costs, &mut table, &weights, &mut probabilities);
        probabilities
    }

    /// Appends the probabilities of `items`, given the table of all others.
    fn descend(
        &self,
        items: &[usize],
        table: &mut Table,
        weights: &[f64],
        probabilities: &mut Vec<f64>,
    ) {
        let &[item] = items else {
            let (left, right) = items.split_at(items.len() / 2);
            if left.is_empty() {
                return;
            }
            let mut without_left = table.clone();
            right.iter().for_each(|&cost| without_left.add(cost));
            self.descend(left, &mut without_left, weights, probabilities);
            left.iter().for_each(|&cost| table.add(cost));
            // The first copy is dropped, so each level holds only one.
            drop(without_left);
            return self.descend(right, table, weights, probabilities);
        };
        let left = self.budget - item;
        // The item runs after any set of k other items that leaves room for it.
        let chance = table.rows().zip(&weights[1..]).map(|(row, weight)| {
            let sets: f64 = row[..=left].iter().sum();
            sets * weight
        });
        probabilities.push(chance.sum());
    }
}

/// The number of sets of each size and sum.
#[derive(Clone)]
struct Table {
    counts: Vec<f64>,
    width: usize,
}

impl Table {
    fn of_nothing(most: usize, budget: usize) -> Self {
        let width = budget + 1;
        let mut counts = vec![0.0; (most + 1) * width];
        counts[0] = 1.0;
        Self { counts, width }
    }

    fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.counts.chunks_exact(self.width)
    }

    /// Adds an item: every set exists without and with the item.
    fn add(&mut self, cost: usize) {
        let width = self.width;
        for size in (1..self.counts.len() / width).rev() {
            let (smaller, larger) = self.counts.split_at_mut(size * width);
            let without = &smaller[(size - 1) * width..];
            larger[cost..width].iter_mut().zip(without).for_each(|(with, count)| *with += count);
        }
    }
}
