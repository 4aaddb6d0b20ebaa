//! Data and rewards to train an estimator with.

mod feasibility_probes;
mod rule_reward;
mod sampling;
mod targets;

pub use feasibility_probes::{FeasibilityProbe, FinishedRun, half_reachable};
pub use rule_reward::rule_reward;
pub use sampling::{balance_samples, split_rollouts, subsample_prefixes};
pub use targets::{TargetWidth, training_target};
