//! Means over all runs, estimated from complete runs by inverse-probability weights.

pub(crate) mod censoring_curves;
pub(crate) mod ipcw;
pub(crate) mod kaplan_meier;
pub(crate) mod stop_times;
