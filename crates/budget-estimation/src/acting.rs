//! What to do about an estimate: stop a run, or warn.

mod early_stops;
mod monitor;
mod stop_rule;
mod stopping_curve;

pub use early_stops::{EarlyStops, early_stopping};
pub use monitor::{Advice, AdviceReason, BudgetMonitor};
pub use stop_rule::StopRule;
pub use stopping_curve::{StoppingPoint, stopping_curve};
