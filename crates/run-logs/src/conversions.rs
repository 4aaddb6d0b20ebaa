//! What the other crates take, made of runs.

#[cfg(feature = "lines")]
pub(crate) mod facts;
#[cfg(feature = "lines")]
pub(crate) mod outcomes;
#[cfg(feature = "pools")]
pub(crate) mod pool_items;
pub(crate) mod repeats;
#[cfg(feature = "rollouts")]
pub(crate) mod rollouts;
pub(crate) mod run_table;
pub(crate) mod streams;

#[cfg(feature = "lines")]
pub use facts::LeftOutRun;
#[cfg(feature = "lines")]
pub use outcomes::Outcomes;
pub use run_table::{LoggedRun, MissingRun, PARTIAL_SUCCESS, RunTable, StreamRun, StreamRuns};
pub use streams::{
    ActionSpan, ConfidenceField, ConfidenceReading, ConfidenceStream, MissingValue, ShortLists,
    StreamOptions, TokenMeasure, token_confidence,
};
