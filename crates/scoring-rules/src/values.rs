//! Checked values: probabilities, weights, levels, intervals, outcomes and seeds.

mod checked_number;
pub(crate) mod interval;
pub(crate) mod level;
pub(crate) mod observed;
pub(crate) mod ordered_score;
pub(crate) mod probability;
pub(crate) mod seed;
pub(crate) mod weight;
