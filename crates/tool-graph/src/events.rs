//! What changes the world while a run is on its way, and the paths of policies in such a world.

mod event;
mod scenario;
#[cfg(feature = "serde")]
mod scenario_file;
mod trigger_rule;

pub use event::Event;
pub use scenario::Scenario;
pub use trigger_rule::TriggerRule;
