//! The inner loops over many forecasts: rows, short runs and the whole-number weights of steps.

pub(crate) mod row_sums;
pub(crate) mod runs;
pub(crate) mod step_weights;
pub(crate) mod window;
