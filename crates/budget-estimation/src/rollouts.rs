mod column;
pub(crate) mod decimals;
mod derived;
#[cfg(feature = "serde")]
mod json_lines;
mod live;
#[cfg(feature = "serde")]
mod repeated_keys;
mod resource;
mod rollout;
mod storage;
mod usage;

pub use resource::Resource;
pub use rollout::Rollout;
pub use storage::Rollouts;
pub use usage::Usage;

pub(crate) use column::Column;
pub(crate) use decimals::Whole;
