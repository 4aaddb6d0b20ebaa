//! How good plans are: against the oracle, a random planner, and each other.

pub(crate) mod efficiency;
pub(crate) mod kendall;
pub(crate) mod pool_means;
pub(crate) mod re_solving;
pub(crate) mod unsolvable;

pub use efficiency::{Efficiency, normalized_regret, triage_efficiency_score};
pub use kendall::kendall_tau_b;
pub use pool_means::{MeanEfficiency, MeanRegret, mean_efficiency_score, mean_regret};
pub use re_solving::{BudgetAware, ReSolve};
pub use unsolvable::{detection_rate, waste_rate};
