//! Converts runs to the input of the other crates.

pub(crate) mod facts;
pub(crate) mod logged_run;
pub(crate) mod outcomes;
pub(crate) mod planned_runs;
pub(crate) mod pool_items;
pub(crate) mod repeats;
pub(crate) mod rollouts;
pub(crate) mod run_table;
pub(crate) mod stream_runs;
pub(crate) mod streams;

pub use facts::LeftOutRun;
pub use logged_run::{LoggedRun, PARTIAL_SUCCESS};
pub use outcomes::Outcomes;
pub use planned_runs::MissingRun;
pub use run_table::RunTable;
pub use stream_runs::{StreamRun, StreamRuns};
pub use streams::{
    ActionSpan, ConfidenceField, ConfidenceReading, ConfidenceStream, MissingValue, ShortLists,
    StreamOptions, TokenMeasure, token_confidence,
};
