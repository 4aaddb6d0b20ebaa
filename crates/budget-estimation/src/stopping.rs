//! Decisions from estimates: stop a run early, or warn.

pub(crate) mod advice;
pub(crate) mod early_stopping;
pub(crate) mod early_stops;
pub(crate) mod monitor;
mod sampled_runs;
pub(crate) mod stop_rule;
pub(crate) mod stopping_curve;
