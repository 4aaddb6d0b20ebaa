//! The data and the rewards with which BAGEN (Lin and others 2026, arXiv:2606.00198) trains and probes estimators.

mod feasibility_probes;
mod proper_reward;
#[cfg(feature = "serde")]
mod records;
mod released;
mod retention;
mod rule_reward;
mod splits;
mod targets;

pub use self::{
    feasibility_probes::{FeasibilityProbe, FinishedRun, ProbeMethod},
    released::released_split,
    retention::reward_retention,
    splits::{balance_samples, split_rollouts},
    targets::{TargetRounding, TargetWidth},
};
#[cfg(feature = "serde")]
pub use records::TrainingRecords;
