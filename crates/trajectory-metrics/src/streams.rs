//! Streams of success probabilities along runs, their scores and their summaries.

pub(crate) mod forecast_policy;
pub(crate) mod online_tps;
pub(crate) mod paired_sum;
pub(crate) mod summary;
pub(crate) mod tps;
pub(crate) mod tps_family;
pub(crate) mod tps_loss;
pub(crate) mod traces;
pub(crate) mod weight_schedule;
