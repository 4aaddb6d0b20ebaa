//! The probability of success after a stop.

pub(crate) mod continuations;
pub(crate) mod cross_fit_success;
pub(crate) mod logistic_success;
pub(crate) mod plug_in_bias;
pub(crate) mod prefix_features;
pub(crate) mod success_model;
