//! The values that the best planner and a random planner earn from a pool.

pub(crate) mod exact_random;
pub(crate) mod oracle;
pub(crate) mod sampled_random;
