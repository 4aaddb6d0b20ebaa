//! Runs up to their stop.

pub(crate) mod artificial_stops;
pub(crate) mod audit;
pub(crate) mod calibrated_runs;
pub(crate) mod stopped;
