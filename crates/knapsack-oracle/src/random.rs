//! What a plan in a uniformly random order earns.

mod exact;
mod leave_one_out;
mod permutation;
mod sampled;
mod subsets;
mod sum;
mod task;

pub use exact::ExactRandom;
pub(crate) use permutation::Permutations;
pub use sampled::{FitRule, SampledRandom};
