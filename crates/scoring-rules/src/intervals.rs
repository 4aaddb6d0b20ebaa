//! Forecasts of a number as quantiles, intervals or ensembles, and their losses.

pub(crate) mod ensemble;
pub(crate) mod ensemble_loss;
pub(crate) mod interval_loss;
pub(crate) mod pinball_loss;
pub(crate) mod quantile_loss;
pub(crate) mod quantiles;
