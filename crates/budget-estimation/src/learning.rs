//! The learning of the default estimator from past runs.

mod candidate_ends;
mod end_losses;
mod past_rows;
pub(crate) mod resource_learner;
mod stage_ends;

/// The largest number of rows of one run.
const ROWS_OF_A_RUN: usize = 16;
