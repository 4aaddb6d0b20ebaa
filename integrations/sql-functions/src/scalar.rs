//! Functions of one row.

pub(crate) mod beta_score;
pub(crate) mod brier_score;
pub(crate) mod censored_tps;
pub(crate) mod cost_gap;
pub(crate) mod edit_distance;
pub(crate) mod function;
pub(crate) mod interval_loss;
pub(crate) mod log_score;
pub(crate) mod outcome;
pub(crate) mod rule;
pub(crate) mod score_rows;
pub(crate) mod tps;
