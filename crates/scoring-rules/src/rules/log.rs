//! The logarithmic score and its fast sums over runs and rows.

mod kullback_leibler;
pub(crate) mod log_score;
mod products;
mod rows;
