//! The data and the rewards with which BAGEN (Lin and others 2026, arXiv:2606.00198) trains and probes estimators.

mod feasibility_probes;
#[cfg(feature = "json")]
mod records;
mod rewards;
mod splits;
mod targets;

pub use self::{
    feasibility_probes::{FeasibilityProbe, ProbeMethod},
    rewards::TransferRewards,
    splits::{balance_samples, released_split, split_rollouts},
    targets::{TargetRounding, TargetWidth},
};
#[cfg(feature = "json")]
pub use records::TrainingRecords;
