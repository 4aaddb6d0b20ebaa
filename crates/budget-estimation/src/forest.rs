//! Quantile regression forests on flat rows of numbers: the engine of estimators that learn.

mod growth;
mod ordinals;
pub(crate) mod quantile_forest;
#[cfg(feature = "serde")]
mod stored;
mod training_rows;

pub use quantile_forest::{Distribution, ForestSettings, QuantileForest};
pub use training_rows::TrainingRows;
