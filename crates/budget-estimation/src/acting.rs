//! What to do about an estimate: stop a run, or warn.

mod early_stops;
mod monitor;
mod stop_rule;
mod stopping_curve;

pub use early_stops::{EarlyStops, early_stopping};
pub use monitor::{Advice, BudgetMonitor, StopReason, WarnReason};
pub use stop_rule::{Alarm, StopRule};
pub use stopping_curve::{StoppingPoint, stopping_curve};
