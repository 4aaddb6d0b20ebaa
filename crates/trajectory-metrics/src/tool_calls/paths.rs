//! Measures of one path of calls, most of them against a reference path.

pub(crate) mod common_subsequence;
pub(crate) mod costs;
pub(crate) mod edit_distance;
pub(crate) mod failure_classes;
pub(crate) mod invalid_tool_use;
pub(crate) mod multiset_match;
pub(crate) mod order_tau;
pub(crate) mod path_distances;
