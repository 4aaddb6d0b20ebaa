//! Distributions and special functions, independent of the subject of the crate.

pub(crate) mod normal;
pub(crate) mod quantiles;
pub(crate) mod students_t;
