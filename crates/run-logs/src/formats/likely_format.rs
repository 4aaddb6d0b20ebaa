//! Names the likely format of an unrecognized file.

use crate::formats::log_reader::Shape;

/// Files that begin with bytes of a known kind.
const STARTS: &[(&[u8], &str)] = &[
    (
        b"SQLite format 3\0",
        "an SQLite database; for opencode, `opencode export SESSION` writes a log",
    ),
    (b"PAR1", "a Parquet file, which Python and SQL read as a table"),
    (b"PK\x03\x04", "a zip archive without the entries of inspect_ai; unpack it"),
    (b"BZh", "a file packed with bzip2; unpack it, or pack it with gzip or zstd"),
    (b"\xfd7zXZ", "a file packed with xz; unpack it, or pack it with gzip or zstd"),
    (b"# aider chat", "a chat of aider, which states no tokens of single calls"),
];

/// Objects that have these fields, from the more specific to the more general.
const OBJECTS: &[(&[&str], &str)] = &[
    (
        &["run_type", "inputs"],
        "an export of LangSmith; its runs can be exported as OpenTelemetry spans, which are read",
    ),
    (
        &["op_name", "trace_id", "inputs"],
        "calls of W&B Weave; Weave exports OpenTelemetry spans, which are read",
    ),
    (
        &["_spanContext"],
        "telemetry that Gemini CLI writes to a file; its sessions in ~/.gemini/tmp/*/chats are read",
    ),
    (
        &["hrTime", "attributes"],
        "telemetry that Gemini CLI writes to a file; its sessions in ~/.gemini/tmp/*/chats are read",
    ),
    (
        &["source", "timestamp", "action"],
        "events of OpenHands; Harbor converts them to ATIF, which is read",
    ),
    (
        &["results", "n_resolved"],
        "results of terminal-bench; those of its successor Harbor are read",
    ),
    (&["forecasts"], "traces, which the subcommands traces, compare and cut-off read"),
    (&["turns", "success"], "rollouts, which the subcommands budget and caps read"),
    (&["agent_calls", "expected_calls"], "tool calls, which the subcommand paths reads"),
    (&["id", "outcome"], "outcomes, which --outcomes joins to the runs of a log"),
];

/// The number of fields that a description names.
const MOST_FIELDS: usize = 6;

/// Returns a description of a file by its first bytes; `None` for text that is not JSON.
pub(crate) fn looks_like(start: &[u8], shape: &Shape) -> Option<String> {
    if start.trim_ascii().is_empty() {
        return Some("an empty file".to_owned());
    }
    let by_start = STARTS.iter().find(|(bytes, _)| start.starts_with(bytes));
    let by_fields = || OBJECTS.iter().find(|(fields, _)| shape.has_all(fields)).map(|(_, it)| it);
    if let Some(known) = by_start.map(|(_, it)| it).or_else(by_fields) {
        return Some((*known).to_owned());
    }
    let fields: Vec<String> =
        shape.names().take(MOST_FIELDS).map(|name| format!("{:?}", short(name))).collect();
    let (last, first) = fields.split_last()?;
    Some(match (first, shape.names().nth(MOST_FIELDS)) {
        ([], _) => format!("an object with the field {last}"),
        (first, None) => format!("an object with the fields {} and {last}", first.join(", ")),
        (first, Some(_)) => {
            format!("an object with the fields {}, {last} and others", first.join(", "))
        }
    })
}

fn short(name: &str) -> String {
    name.chars().take(40).collect()
}
