//! Quantile regression forests on flat rows of numbers, with which the default estimator learns.

pub(crate) mod distribution;
mod growth;
mod node;
mod ordinals;
pub(crate) mod quantile_forest;
pub(crate) mod training_rows;

#[cfg(all(test, feature = "serde"))]
mod tests;
