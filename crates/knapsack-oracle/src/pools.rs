//! Items that share a budget.

pub(crate) mod alpha;
pub(crate) mod injection;
pub(crate) mod item;
pub(crate) mod points;
pub(crate) mod pool;
