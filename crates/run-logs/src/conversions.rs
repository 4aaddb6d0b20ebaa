//! Converts runs to the input of the other crates.

pub(crate) mod facts;
pub(crate) mod logged_run;
pub(crate) mod otlp_spans;
pub(crate) mod outcomes_file;
pub(crate) mod planned_runs;
pub(crate) mod repeats;
pub(crate) mod run_table;
pub(crate) mod step_use;
pub(crate) mod stream_runs;
pub(crate) mod streams;
