//! Quantile regression forests on flat rows of numbers: the engine of estimators that learn.

pub(crate) mod distribution;
mod growth;
mod node;
mod ordinals;
pub(crate) mod quantile_forest;
pub(crate) mod settings;
#[cfg(feature = "serde")]
mod stored;
pub(crate) mod training_rows;

pub use distribution::Distribution;
pub use quantile_forest::QuantileForest;
pub use settings::ForestSettings;
pub use training_rows::TrainingRows;
