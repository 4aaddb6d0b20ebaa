//! Distributions and arithmetic that know nothing of agents.

pub(crate) mod normal;
pub(crate) mod powers_of_two;
pub(crate) mod quantiles;
pub(crate) mod students_t;
