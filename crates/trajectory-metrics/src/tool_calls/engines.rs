//! Algorithms: bit-parallel distances, maximum matchings and the search in a partial order.

pub(crate) mod bit_parallel;
pub(crate) mod compatibility;
pub(crate) mod longest_order;
pub(crate) mod maximum_matching;
pub(crate) mod multiset_pairs;
pub(crate) mod partial_order_search;
pub(crate) mod symbol_masks;
