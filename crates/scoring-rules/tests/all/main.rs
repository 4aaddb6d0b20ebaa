//! The laws of the crate, and its values against golden files.
#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

mod any_rule;
#[cfg(feature = "ndarray")]
mod arrays;
mod binning;
mod checked_values;
mod common;
mod decomposition;
mod derivatives;
mod divergences;
mod ensembles;
mod examine;
mod families;
mod golden;
#[cfg(feature = "serde")]
mod json;
mod murphy;
mod propriety;
mod real_outcomes;
mod rows;
mod runs;
mod sums;
mod thresholds;
mod tied_blocks;
