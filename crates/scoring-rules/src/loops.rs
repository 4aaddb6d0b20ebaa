//! The inner loops over many forecasts: rows, runs of steps and the whole-number weights of steps.
//!
//! Rules override the hidden methods of [`ScoringRule`](crate::ScoringRule) with what stands here.
//! Nothing in this module is part of the stable interface.

pub(crate) mod row_sums;
pub(crate) mod runs;
pub(crate) mod step_weights;
pub(crate) mod window;

pub use runs::Runs;
pub use step_weights::StepWeights;
