//! JSON Lines: one JSON object per line, with errors that name file, line and field.
//!
//! ```
//! use run_logs::json_lines::{InputError, parse};
//!
//! #[derive(serde::Deserialize)]
//! struct Row {
//!     id: String,
//!     score: f64,
//! }
//!
//! let rows = parse::<Row>("rows.jsonl", b"{\"id\": \"a\", \"score\": 1.5}\n")?;
//! assert_eq!((rows[0].number, rows[0].value.id.as_str(), rows[0].value.score), (1, "a", 1.5));
//!
//! let wrong = parse::<Row>("rows.jsonl", b"\n{\"id\": \"a\", \"score\": NaN}\n").err().unwrap();
//! let text = "rows.jsonl:2: field score: NaN is not JSON; give null for what is missing";
//! assert_eq!(wrong.to_string(), text);
//! # Ok::<(), InputError>(())
//! ```

pub(crate) mod alike;
pub(crate) mod columns;
pub(crate) mod fields;
pub(crate) mod parsing;
pub(crate) mod parts;
pub(crate) mod run_counts;
pub(crate) mod table;

pub use alike::alike_names;
pub use fields::{Object, json_value, name, yes_or_no};
pub use parsing::{InputError, Line, bytes, parse, parse_document, parse_line};
pub use parts::fold;
pub use run_counts::RunCounts;
