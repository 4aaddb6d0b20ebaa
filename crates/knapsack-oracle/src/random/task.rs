use crate::Pool;

/// What an item costs and earns when it runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Task {
    pub(crate) cost: u64,
    pub(crate) earned: f64,
}

impl Task {
    /// Those of a pool, in its order. An item that is not solved costs as much and earns nothing.
    pub(crate) fn all(pool: &Pool) -> Vec<Self> {
        let task = |item: &crate::Item| Self {
            cost: item.cost(),
            earned: if item.is_solved() { item.value() } else { 0.0 },
        };
        pool.items().iter().map(task).collect()
    }
}
