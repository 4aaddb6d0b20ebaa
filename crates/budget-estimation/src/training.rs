//! Data and rewards for training an estimator.

mod feasibility_probes;
mod retention;
mod rule_reward;
mod splits;
mod targets;

pub use feasibility_probes::{FeasibilityProbe, FinishedRun, half_reachable, probed_rollouts};
pub use retention::reward_retention;
pub use rule_reward::rule_reward;
pub use splits::{balance_samples, split_rollouts, subsample_prefixes};
pub use targets::{TargetWidth, training_target};
