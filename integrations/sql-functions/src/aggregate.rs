//! Functions of many rows.

pub(crate) mod auroc_interval;
pub(crate) mod binned_state;
pub(crate) mod budget_metrics;
pub(crate) mod calibration_error;
pub(crate) mod cluster_mean;
pub(crate) mod exact_mean;
pub(crate) mod exact_sum;
pub(crate) mod figure;
pub(crate) mod function;
pub(crate) mod group_state;
pub(crate) mod groups;
pub(crate) mod pass_hat_k;
pub(crate) mod ranked_state;
pub(crate) mod ranks;
pub(crate) mod record;
pub(crate) mod reliability;
pub(crate) mod sliding;
pub(crate) mod stored_state;
pub(crate) mod whole;
