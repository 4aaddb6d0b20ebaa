//! Scores of plans relative to the oracle, to a random planner, and to each other.

pub(crate) mod efficiency;
pub(crate) mod kendall;
pub(crate) mod pool_means;
pub(crate) mod re_solving;
pub(crate) mod unsolvable;
pub(crate) mod variants;
