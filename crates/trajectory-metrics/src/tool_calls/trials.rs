//! Reliability over repeated trials of the same task.

pub(crate) mod pass_at_k;
pub(crate) mod task_mean;
pub(crate) mod trial_counts;
