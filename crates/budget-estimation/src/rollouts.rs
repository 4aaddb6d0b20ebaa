pub(crate) mod column;
pub(crate) mod decimals;
pub(crate) mod feature_column;
mod features;
mod growing;
pub(crate) mod key_column;
mod keys;
mod median_caps;
pub(crate) mod rollout;
pub(crate) mod storage;
mod transformations;
pub(crate) mod usage;

pub use rollout::Rollout;
pub use storage::Rollouts;
pub use usage::Usage;
