//! What the default estimator learns from past runs.

mod candidate_ends;
mod end_losses;
mod key_effects;
#[cfg(feature = "serde")]
mod missing_values;
mod past_rows;
pub(crate) mod resource_learner;
mod stage_ends;
#[cfg(feature = "serde")]
mod stored;

/// The largest number of rows of one run.
const ROWS_OF_A_RUN: usize = 16;
