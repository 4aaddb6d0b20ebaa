//! CostBench queries: what was read comes back from what is written of it.

#![no_main]

use agent_scorecard::costbench::Query;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(queries) = Query::read("f", bytes) else { return };
    let row = |query: &Query| serde_json::json!({ "query_id": query.query_id, "task": query.task.name() });
    let written = serde_json::Value::from_iter(queries.iter().map(row)).to_string();
    assert_eq!(Query::read("f", written.as_bytes()), Ok(queries));
});
