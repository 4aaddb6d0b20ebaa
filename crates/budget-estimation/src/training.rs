//! Data and rewards for training an estimator.

mod feasibility_probes;
mod proper_reward;
#[cfg(feature = "serde")]
mod records;
mod released;
mod retention;
mod rule_reward;
mod splits;
mod targets;

pub use feasibility_probes::{FeasibilityProbe, FinishedRun, ProbeMethod};
#[cfg(feature = "serde")]
pub use records::{ChatPrompt, TrainingRecords};
pub use released::released_split;
pub use retention::reward_retention;
pub use splits::{balance_samples, split_rollouts};
pub use targets::{TargetRounding, TargetWidth};
