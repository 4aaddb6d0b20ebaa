pub(crate) mod column;
pub(crate) mod decimals;
mod derived;
#[cfg(feature = "serde")]
mod json_lines;
mod live;
pub(crate) mod rollout;
pub(crate) mod storage;
pub(crate) mod usage;

pub use rollout::Rollout;
pub use storage::Rollouts;
pub use usage::Usage;
