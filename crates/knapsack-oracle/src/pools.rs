//! Items under a budget, and what a planner who knew everything would earn from them.

pub(crate) mod alpha;
pub(crate) mod item;
pub(crate) mod oracle;
pub(crate) mod points;
pub(crate) mod pool;

pub use alpha::Alpha;
pub use item::Item;
pub use oracle::Oracle;
pub use pool::Pool;
