//! The probability of success after a stop.

pub(crate) mod continuations;
pub(crate) mod cross_fit_success;
pub(crate) mod logistic_success;
pub(crate) mod plug_in_bias;
pub(crate) mod prefix_features;
pub(crate) mod success_model;

pub use continuations::{Continuations, SuccessEstimate, hybrid_success_probabilities};
pub use cross_fit_success::CrossFitSuccess;
pub use logistic_success::{LogisticSuccess, LogisticSuccessModel};
pub use plug_in_bias::{plug_in_bias, plug_in_regret_bound};
pub use prefix_features::prefix_features;
pub use success_model::{SuccessLearner, SuccessModel, success_model_from_fn};
