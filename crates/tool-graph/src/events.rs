//! What changes the world while a run is on its way, and the paths of policies in such a world.

pub(crate) mod event;
pub(crate) mod scenario;
#[cfg(feature = "serde")]
pub(crate) mod scenario_file;
pub(crate) mod trigger_rule;
