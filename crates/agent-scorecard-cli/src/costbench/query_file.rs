//! Files of CostBench queries: one JSON array `[{"query_id", "task"}, …]`, on one line or many.

use std::{fmt, path::Path};

use agent_scorecard::{costbench::Query, tool_graph::costbench::Task};
use run_logs::json_lines::parse_document;
use serde::{Deserialize, Deserializer, de};

use crate::files::json_lines::{InputError, bytes};

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
    let wrong = |line, field, problem| InputError {
        file: path.display().to_string(),
        line,
        field,
        problem,
    };
    let bytes = bytes(path)?;
    if !bytes.trim_ascii_start().starts_with(b"[") {
        let problem = "is no JSON array; give one array of all queries".to_owned();
        return Err(wrong(Some(1), None, problem));
    }
    let queries: Vec<Row> = parse_document(&path.display().to_string(), &bytes)?;
    if queries.is_empty() {
        Err(wrong(None, None, "holds no query".to_owned()))
    } else {
        Ok(queries.into_iter().map(|Row(query)| query).collect())
    }
}

/// One entry of a file.
struct Row(Query);

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Fields {
            query_id: String,
            #[serde(deserialize_with = "task")]
            task: Task,
        }

        struct Object;

        // Only an object: a derived reader would also take a list of the fields.
        impl<'de> de::Visitor<'de> for Object {
            type Value = Row;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with query_id and task")
            }

            fn visit_map<A: de::MapAccess<'de>>(self, entries: A) -> Result<Row, A::Error> {
                let Fields { query_id, task } =
                    Fields::deserialize(de::value::MapAccessDeserializer::new(entries))?;
                Ok(Row(Query { query_id, task }))
            }
        }

        deserializer.deserialize_map(Object)
    }
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
