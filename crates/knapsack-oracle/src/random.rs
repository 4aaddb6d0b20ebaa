//! What a plan in a uniformly random order earns.

mod exact;
mod leave_one_out;
mod permutation;
mod reference;
mod sampled;
mod subsets;

pub use exact::ExactRandom;
pub use reference::RandomReference;
pub use sampled::{FitRule, SampledRandom};
