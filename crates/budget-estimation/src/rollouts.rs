pub(crate) mod column;
pub(crate) mod decimals;
mod declared;
pub(crate) mod declared_column;
pub(crate) mod rollout;
pub(crate) mod storage;
#[cfg(feature = "serde")]
pub(crate) mod stored;
mod transformations;
pub(crate) mod usage;
