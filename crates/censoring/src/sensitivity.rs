//! Sensitivity of conclusions to the probabilities of success after a stop.

pub(crate) mod flip;
pub(crate) mod tilted_mean;
