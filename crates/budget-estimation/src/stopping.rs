//! Decisions from estimates: stop a run early, or warn.

pub(crate) mod advice;
mod cap_reason;
mod early_stopping;
mod early_stops;
pub(crate) mod monitor;
mod sampled_runs;
mod stop_rule;
mod stopping_curve;

pub use advice::{Advice, AdviceReason};
pub use early_stopping::{early_stopping, joint_early_stopping};
pub use early_stops::EarlyStops;
pub use monitor::BudgetMonitor;
pub use stop_rule::StopRule;
pub use stopping_curve::{StoppingPoint, stopping_curve};
