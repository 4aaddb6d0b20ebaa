use std::fmt;

use crate::{
    error::Error,
    knapsacks::{
        knapsack::Knapsack, most_solved::most_solved_items,
        multidimensional::MultidimensionalKnapsack,
    },
    values::knapsack_item::KnapsackItem,
};

/// What an item costs, what a plan allocates, and what a budget holds: a `u64` of one resource, or an
/// array `[u64; R]` with an entry for each of R resources, such as tokens and cents.
///
/// Pools, plans, executions and references take either. An amount is within a budget if it is in each
/// resource. A sum of amounts is a `u128` or `[u128; R]`, and a mean an `f64` or `[f64; R]`.
///
/// ```
/// use knapsack_oracle::{Error, Item, Plan, Pool, Regime};
///
/// // Tokens and cents.
/// let pool = Pool::new(vec![
///     Item::new("a", 1.0, [500, 2], true)?,
///     Item::new("b", 1.0, [100, 9], true)?,
/// ])?;
/// let plan = Plan::new(&[("a", [500, 2]), ("b", [100, 8])], &pool, [600, 10])?;
/// let run = plan.execute(&pool, [600, 10], Regime::Advisory)?;
/// // The cents for b are missing.
/// assert_eq!((run.earned, run.spent, run.stopped_by), (1.0, [500, 2], Some(1)));
/// assert_eq!(pool.oracle([600, 10])?.value, 1.0);
/// # Ok::<(), Error>(())
/// ```
pub trait Amount: Arithmetic {}

impl Amount for u64 {}

impl<const R: usize> Amount for [u64; R] {}

/// What the code of this crate needs of an amount.
pub trait Arithmetic: Copy + fmt::Debug + Ord + std::hash::Hash + Send + Sync + 'static {
    type Sum: Copy + fmt::Debug + Eq + Send + Sync;
    type Mean: Copy + fmt::Debug + PartialEq + Send + Sync;

    const NOTHING: Self;

    /// Makes an amount from what it has of each resource.
    fn from_fn(of: impl FnMut(usize) -> u64) -> Self;

    fn parts(&self) -> &[u64];

    /// What is left; `None` if some resource does not suffice.
    fn checked_sub(self, other: Self) -> Option<Self>;

    fn sum(amounts: impl Iterator<Item = Self>) -> Self::Sum;

    fn parts_of(sum: &Self::Sum) -> &[u128];

    fn add_to(self, sum: &mut Self::Sum);

    fn mean(sum: Self::Sum, count: f64) -> Self::Mean;

    /// The choice of items that is worth most within a budget, or `None` without a proof of that. `equal`
    /// states that all profits are equal.
    fn best(
        items: &[KnapsackItem<Self>],
        budget: Self,
        equal: bool,
    ) -> Result<Option<Vec<usize>>, Error>;

    fn covers(self, other: Self) -> bool {
        self.checked_sub(other).is_some()
    }
}

impl Arithmetic for u64 {
    type Sum = u128;
    type Mean = f64;

    const NOTHING: Self = 0;

    fn from_fn(mut of: impl FnMut(usize) -> u64) -> Self {
        of(0)
    }

    fn parts(&self) -> &[u64] {
        std::slice::from_ref(self)
    }

    fn checked_sub(self, other: Self) -> Option<Self> {
        self.checked_sub(other)
    }

    fn sum(amounts: impl Iterator<Item = Self>) -> u128 {
        amounts.map(u128::from).sum()
    }

    fn parts_of(sum: &u128) -> &[u128] {
        std::slice::from_ref(sum)
    }

    fn add_to(self, sum: &mut u128) {
        *sum += u128::from(self);
    }

    fn mean(sum: u128, count: f64) -> f64 {
        sum as f64 / count
    }

    fn best(
        items: &[KnapsackItem],
        budget: Self,
        equal: bool,
    ) -> Result<Option<Vec<usize>>, Error> {
        if equal {
            let cheapest = most_solved_items(items.iter().map(|item| (item.weight, true)), budget);
            return Ok(Some(cheapest));
        }
        let best = Knapsack::new(budget, items)?.solve();
        Ok(best.is_optimal().then_some(best.chosen))
    }
}

impl<const R: usize> Arithmetic for [u64; R] {
    type Sum = [u128; R];
    type Mean = [f64; R];

    const NOTHING: Self = [0; R];

    fn from_fn(of: impl FnMut(usize) -> u64) -> Self {
        std::array::from_fn(of)
    }

    fn parts(&self) -> &[u64] {
        self
    }

    fn checked_sub(self, other: Self) -> Option<Self> {
        let mut left = self;
        for (left, part) in left.iter_mut().zip(other) {
            *left = left.checked_sub(part)?;
        }
        Some(left)
    }

    fn sum(amounts: impl Iterator<Item = Self>) -> [u128; R] {
        amounts.fold([0; R], |mut sum, amount| {
            amount.add_to(&mut sum);
            sum
        })
    }

    fn parts_of(sum: &[u128; R]) -> &[u128] {
        sum
    }

    fn add_to(self, sum: &mut [u128; R]) {
        sum.iter_mut().zip(self).for_each(|(sum, part)| *sum += u128::from(part));
    }

    fn mean(sum: [u128; R], count: f64) -> [f64; R] {
        sum.map(|sum| sum as f64 / count)
    }

    fn best(
        items: &[KnapsackItem<Self>],
        budget: Self,
        _equal: bool,
    ) -> Result<Option<Vec<usize>>, Error> {
        let best = MultidimensionalKnapsack::new(budget, items)?.solve();
        Ok(best.is_optimal().then_some(best.chosen))
    }
}
