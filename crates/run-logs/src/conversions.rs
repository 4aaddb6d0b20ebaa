//! What the measures of the other crates take.

pub(crate) mod outcome_policy;

pub use outcome_policy::{AtLimit, Judgement, OutcomePolicy};
