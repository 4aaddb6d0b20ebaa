pub(crate) mod column;
pub(crate) mod decimals;
mod growing;
#[cfg(feature = "serde")]
mod json_lines;
pub(crate) mod rollout;
pub(crate) mod storage;
mod transformations;
pub(crate) mod usage;

pub use rollout::Rollout;
pub use storage::Rollouts;
pub use usage::Usage;
