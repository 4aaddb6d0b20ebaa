//! Planners that see what a model sees, and reference planners that see more.

pub(crate) mod forecast_threshold;
pub(crate) mod from_fn;
pub(crate) mod informed;
pub(crate) mod prospective;
mod while_they_fit;
