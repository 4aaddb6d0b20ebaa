//! Plans: the cheapest plans, the greedy plan, and the number of all plans.

pub(crate) mod best_plans;
pub(crate) mod counts;
pub(crate) mod greedy;
pub(crate) mod optimal;
pub(crate) mod path_coverage;
pub(crate) mod tie_rule;
