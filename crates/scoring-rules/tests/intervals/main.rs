//! Intervals, quantiles and ensembles: what is refused, and values by hand.
#![allow(clippy::panic, clippy::unwrap_used)]

mod ensemble;
mod interval;
mod quantiles;
