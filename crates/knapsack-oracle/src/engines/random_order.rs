//! Random orders of items: probabilities over all of them, and draws from a seed.

pub(crate) mod halves;
pub(crate) mod leave_one_out;
pub(crate) mod permutations;
mod set_weights;
