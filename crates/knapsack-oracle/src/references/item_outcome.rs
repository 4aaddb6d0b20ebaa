use crate::{
    amount::Amount,
    pools::{item::Item, pool::Pool},
};

/// The cost of an item, and the value that it earns when it runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ItemOutcome<A> {
    pub(super) cost: A,
    pub(super) earned: f64,
}

impl<A: Amount> ItemOutcome<A> {
    /// Returns the outcome of each item of a pool, in order. Unsolved items earn nothing.
    pub(super) fn all(pool: &Pool<A>) -> Vec<Self> {
        let outcome = |item: &Item<A>| Self {
            cost: item.cost(),
            earned: if item.is_solved() { item.value() } else { 0.0 },
        };
        pool.items().iter().map(outcome).collect()
    }
}
