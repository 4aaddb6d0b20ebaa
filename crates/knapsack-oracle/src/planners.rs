//! Planners with the information of a model, and reference planners with more.

pub(crate) mod forecast_threshold;
pub(crate) mod from_fn;
pub(crate) mod informed;
pub(crate) mod prospective;
mod while_they_fit;
