//! Plans: the cheapest ones, the greedy one, and counts of all there are.

pub(crate) mod best_plans;
pub(crate) mod counts;
pub(crate) mod greedy;
pub(crate) mod optimal;
pub(crate) mod path_coverage;
pub(crate) mod tie_rule;
