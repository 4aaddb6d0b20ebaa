//! What the other crates take, made of runs.

pub(crate) mod outcome_policy;
#[cfg(feature = "lines")]
pub(crate) mod outcomes;
#[cfg(feature = "pools")]
pub(crate) mod pool_items;
#[cfg(feature = "rollouts")]
pub(crate) mod rollouts;
pub(crate) mod run_table;
pub(crate) mod streams;

pub use outcome_policy::{AtLimit, Judgement, OutcomePolicy};
#[cfg(feature = "lines")]
pub use outcomes::Outcomes;
pub use run_table::{LoggedRun, RunTable, StreamRun, StreamRuns};
pub use streams::{
    ActionSpan, ConfidenceField, ConfidenceReading, ConfidenceStream, MissingValue, ShortLists,
    StreamOptions, TokenMeasure, token_confidence,
};
