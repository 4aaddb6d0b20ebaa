use scoring_rules::checks::setting;

use crate::{
    engines::{
        checked_sum::checked_sum,
        one_resource::{greedy, solver},
        several_resources::branch_and_bound::BranchAndBound,
    },
    error::Error,
    values::{choice::Choice, knapsack_item::KnapsackItem},
};

/// The solver of a kind of amount. It seals the trait [`Amount`](crate::Amount).
pub trait Solve: Sized {
    /// Checks the items of an instance.
    fn check(items: &[KnapsackItem<Self>]) -> Result<(), Error>;

    /// Finds a best choice of items within a capacity.
    fn solve(capacity: Self, items: &[KnapsackItem<Self>]) -> Choice;

    /// Finds a good choice without a search.
    fn greedy(capacity: Self, items: &[KnapsackItem<Self>]) -> Choice;
}

/// The largest sum of all profits, or of all weights, that the signed integers of the solver hold.
const MAX_SUM: u64 = i64::MAX.unsigned_abs();

impl Solve for u64 {
    fn check(items: &[KnapsackItem]) -> Result<(), Error> {
        // The allowance for rounding in the bounds holds up to here.
        check_length(items, 1 << 22, "at most 4,194,304 items are supported; use smaller pools")?;
        checked_sum("profits", MAX_SUM, items.iter().map(|item| item.profit))?;
        checked_sum("weights", MAX_SUM, items.iter().map(|item| item.weight))?;
        Ok(())
    }

    fn solve(capacity: Self, items: &[KnapsackItem]) -> Choice {
        solver::solve(capacity, items)
    }

    fn greedy(capacity: Self, items: &[KnapsackItem]) -> Choice {
        greedy::greedy(capacity, items)
    }
}

impl<const R: usize> Solve for [u64; R] {
    fn check(items: &[KnapsackItem<Self>]) -> Result<(), Error> {
        setting("number of resources", R as f64, (1..=8).contains(&R), "from 1 to 8")?;
        // A search over more items is unlikely to finish.
        check_length(items, 1_000, "at most 1,000 items are supported; use smaller pools")?;
        checked_sum("profits", u64::MAX, items.iter().map(|item| item.profit))?;
        Ok(())
    }

    fn solve(capacity: Self, items: &[KnapsackItem<Self>]) -> Choice {
        BranchAndBound::new(&capacity, items).run(1 << 22)
    }

    fn greedy(capacity: Self, items: &[KnapsackItem<Self>]) -> Choice {
        BranchAndBound::new(&capacity, items).run(1)
    }
}

fn check_length<A>(
    items: &[KnapsackItem<A>],
    most: usize,
    reason: &'static str,
) -> Result<(), Error> {
    let (what, items) = ("choice", items.len());
    if items <= most { Ok(()) } else { Err(Error::TooLarge { what, items, reason }) }
}
