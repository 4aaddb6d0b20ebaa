//! CostBench queries: what was read comes back from what is written of it.

#![no_main]

use agent_scorecard_cli::readers::{Query, query_file::read};
use libfuzzer_sys::fuzz_target;

#[path = "../in_file.rs"]
mod in_file;

fuzz_target!(|bytes: &[u8]| {
    let Ok(queries) = in_file::with(bytes, read) else { return };
    let row = |query: &Query| serde_json::json!({ "query_id": query.query_id, "task": query.task.name() });
    let written = serde_json::Value::from_iter(queries.iter().map(row)).to_string();
    assert_eq!(in_file::with(written.as_bytes(), read), Ok(queries));
});
