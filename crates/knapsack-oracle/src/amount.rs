use std::fmt;

use crate::engines::solve::Solve;

/// An amount of resources: the cost of an item, an allocation of a plan, or a budget. It is a `u64` of one
/// resource, or an array `[u64; R]` with an entry for each of R resources, such as tokens and cents.
///
/// Pools, plans, executions and references take either. An amount is within a budget if it is in each
/// resource. No other type can implement this trait.
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
pub trait Amount:
    Solve + Copy + fmt::Debug + Ord + std::hash::Hash + Send + Sync + 'static
{
    /// A sum of amounts: a `u128` or `[u128; R]`.
    type Sum: Copy + fmt::Debug + Eq + Send + Sync;

    /// A mean of amounts: an `f64` or `[f64; R]`.
    type Mean: Copy + fmt::Debug + PartialEq + Send + Sync;

    /// 0 of each resource.
    const NOTHING: Self;

    /// Makes an amount from a function that returns the amount of each resource, by position.
    fn from_fn(of: impl FnMut(usize) -> u64) -> Self;

    /// Returns the amount of each resource.
    fn parts(&self) -> &[u64];

    /// Returns the difference; `None` if the amount of some resource does not suffice.
    fn checked_sub(self, other: Self) -> Option<Self>;

    /// Adds amounts.
    fn sum(amounts: impl Iterator<Item = Self>) -> Self::Sum;

    /// Returns the amount of each resource in a sum.
    fn parts_of(sum: &Self::Sum) -> &[u128];

    /// Adds the amount to a sum.
    fn add_to(self, sum: &mut Self::Sum);

    /// Divides a sum by a number of amounts.
    fn mean(sum: Self::Sum, count: f64) -> Self::Mean;

    /// Returns whether it is at least the other in each resource.
    fn covers(self, other: Self) -> bool {
        self.checked_sub(other).is_some()
    }
}

impl Amount for u64 {
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
}

impl<const R: usize> Amount for [u64; R] {
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
}
