use crate::pools::{item::Item, pool::Pool};

/// What an item costs and what it earns when it runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ItemOutcome {
    pub(super) cost: u64,
    pub(super) earned: f64,
}

impl ItemOutcome {
    /// Returns the outcome of each item of a pool, in order. Unsolved items earn nothing.
    pub(super) fn all(pool: &Pool) -> Vec<Self> {
        let outcome = |item: &Item| Self {
            cost: item.cost(),
            earned: if item.is_solved() { item.value() } else { 0.0 },
        };
        pool.items().iter().map(outcome).collect()
    }
}
