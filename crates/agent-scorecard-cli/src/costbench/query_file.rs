//! Files of CostBench queries: one JSON array `[{"query_id", "task"}, …]`, on one line or many.

use std::{fmt, path::Path};

use agent_scorecard::{costbench::Query, tool_graph::costbench::Task};
use run_logs::json_lines::{InputError, Object, parse_document};
use serde::{Deserialize, Deserializer, de};

use crate::files::json_lines::bytes;

/// The format of a file, for the help of the program that reads it.
pub const FORMAT: &str = r#"
A FILE of queries has one JSON array, on one line or many, for example
  [{"query_id": "query-001", "task": "location"}, {"query_id": "query-002", "task": "dining"}]
query_id  name of the query, from which its costs and events are drawn
task      location, transportation, accommodation, attraction, dining or shopping
Other fields are ignored.
"#;

/// 120 queries made up here, with the six tasks in turn.
#[must_use]
pub fn bundled() -> Vec<Query> {
    let tasks = Task::ALL.into_iter().cycle();
    (1..=120)
        .zip(tasks)
        .map(|(i, task)| Query { query_id: format!("query-{i:03}"), task })
        .collect()
}

/// Reads every query of a file.
///
/// # Errors
///
/// [`InputError`] that names file, line and field of the first thing that is wrong; the line of a missing
/// field is that of the end of its object.
pub fn read(path: &Path) -> Result<Vec<Query>, InputError> {
    let (file, bytes) = (path.display().to_string(), bytes(path)?);
    if !bytes.trim_ascii_start().starts_with(b"[") {
        let problem = "is no JSON array; give one array of all queries";
        return Err(InputError { line: Some(1), ..InputError::of_file(&file, problem) });
    }
    let queries: Vec<Object<Row>> = parse_document(&file, &bytes)?;
    if queries.is_empty() {
        return Err(InputError::of_file(&file, "holds no query"));
    }
    let query = |Object(Row { query_id, task })| Query { query_id, task };
    Ok(queries.into_iter().map(query).collect())
}

/// One entry of a file.
#[derive(Deserialize)]
struct Row {
    query_id: String,
    #[serde(deserialize_with = "task")]
    task: Task,
}

fn task<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Task, D::Error> {
    struct Name;

    // An error from inside a visitor has the line of the value.
    impl de::Visitor<'_> for Name {
        type Value = Task;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("one of ")?;
            f.write_str(&Task::ALL.map(Task::name).join(", "))
        }

        fn visit_str<E: de::Error>(self, name: &str) -> Result<Task, E> {
            name.parse().map_err(|_| E::invalid_value(de::Unexpected::Str(name), &self))
        }
    }

    deserializer.deserialize_str(Name)
}
