//! Planners with the information of a model, and reference planners with more.

pub(crate) mod informed;
pub(crate) mod prospective;
