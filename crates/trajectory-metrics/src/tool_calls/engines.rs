//! Algorithms: bit-parallel distances and maximum matchings.

pub(crate) mod bit_parallel;
pub(crate) mod compatibility;
pub(crate) mod longest_order;
pub(crate) mod maximum_matching;
pub(crate) mod symbol_masks;
