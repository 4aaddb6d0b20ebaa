//! Measures of one path of calls, most of them against a reference path.

pub(crate) mod costs;
pub(crate) mod edit_distance;
pub(crate) mod failure_classes;
pub(crate) mod multiset_match;
pub(crate) mod path_distances;
