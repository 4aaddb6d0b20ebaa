//! Means over all runs, estimated from complete runs by inverse-probability weights.

pub(crate) mod censoring_curves;
pub(crate) mod doubly_robust;
pub(crate) mod ipcw;
pub(crate) mod ipcw_brier;
pub(crate) mod kaplan_meier;
pub(crate) mod stop_times;

pub use censoring_curves::CensoringCurves;
pub use doubly_robust::doubly_robust_mean_score;
pub use ipcw::IpcwWeights;
pub use ipcw_brier::ipcw_brier_loss;
pub use kaplan_meier::KaplanMeier;
pub use stop_times::{RunEnd, StopTimes};
