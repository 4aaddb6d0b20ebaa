//! Sums and means: exact values, any order, merged parts.
#![allow(clippy::panic, clippy::unwrap_used)]

mod compensated_sum;
mod decimal_sum;
mod exact_mean;
mod exact_sum;
