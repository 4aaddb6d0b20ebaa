//! Quantile regression forests on flat rows of numbers: the engine of estimators that learn.
//!
//! ```
//! use budget_estimation::Error;
//! use budget_estimation::forest::{ForestSettings, QuantileForest, TrainingRows};
//!
//! // One feature, on which the target depends.
//! let features: Vec<f64> = (0..200).map(|row| f64::from(row % 2)).collect();
//! let targets: Vec<f64> = features.iter().map(|feature| 10.0 + 90.0 * feature).collect();
//! let rows = TrainingRows {
//!     columns: 1,
//!     features: &features,
//!     targets: &targets,
//!     split_targets: &targets,
//!     weights: None,
//!     censored: None,
//!     cluster_ends: None,
//! };
//! let forest = QuantileForest::fit(&rows, &ForestSettings::default())?;
//! let mut space = Vec::new();
//! assert_eq!(forest.distribution(&[0.0], &mut space)?.quantile(0.9), 10.0);
//! assert_eq!(forest.distribution(&[1.0], &mut space)?.quantile(0.1), 100.0);
//! # Ok::<(), Error>(())
//! ```

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
