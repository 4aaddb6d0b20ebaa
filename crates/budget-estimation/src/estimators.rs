pub(crate) mod budget_estimator;
pub(crate) mod estimator;
pub(crate) mod linear;
pub(crate) mod past_quantiles;
mod scoring;
