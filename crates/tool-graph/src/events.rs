//! Scenarios: a problem and the events that change the world during a run.

pub(crate) mod environment_rules;
pub(crate) mod event;
pub(crate) mod scenario;
#[cfg(feature = "serde")]
pub(crate) mod scenario_file;
pub(crate) mod trigger_rule;
