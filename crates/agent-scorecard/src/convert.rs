//! Converts runs of logs to lines of the files that evaluations read.
//!
//! A run that cannot be converted becomes a line with its outcome, its stop and the reason (`left_out`). Readers count
//! such a line and do not score it. Only [`problems`] skips runs.
//!
//! ```
//! use std::io::Cursor;
//!
//! use agent_scorecard::{
//!     convert,
//!     run_logs::{Error, Format, FactRules, ReadOptions, RunTable, StreamOptions, read},
//! };
//!
//! let log = br#"
//!     {"id": "a", "outcome": true, "turns": [{"response": {"choices": [{"message":
//!         {"content": "18"}}], "usage": {"prompt_tokens": 9, "completion_tokens": 120}}}]}
//!     {"id": "b", "outcome": null, "turns": []}"#;
//! let runs = read(Cursor::new(log), Format::Auto, &ReadOptions::default())?;
//! let policy = FactRules::default();
//! let table = RunTable::new(runs, &policy, &StreamOptions::default())?;
//! let lines = convert::rollouts(&table);
//! assert_eq!((&lines[0]["success"], &lines[1]["left_out"]), (&true.into(), &"no_outcome".into()));
//! assert_eq!(convert::problems(&table)[0]["output_tokens"], 120);
//! # Ok::<(), Error>(())
//! ```

use run_logs::{ConfidenceStream, Error, ForecastPolicy, LoggedRun, RunTable};
use serde::Serialize;
use serde_json::{Value, json};

/// Returns the lines of a file of traces with the forecasts of one stream. `missing` is the policy for turns without a
/// value.
///
/// # Errors
///
/// [`Error::MissingConfidence`] for a value that the policy refuses.
pub fn traces(
    table: &RunTable,
    stream: ConfidenceStream,
    missing: ForecastPolicy,
) -> Result<Vec<Value>, Error> {
    table.stream(stream, missing)?;
    Ok(table.rows().iter().map(|row| line(row.trace(stream, missing))).collect())
}

/// Returns the lines of a file of rollouts: one for each run, with the costs of each turn.
#[must_use]
pub fn rollouts(table: &RunTable) -> Vec<Value> {
    table.rows().iter().map(|row| line(row.rollout())).collect()
}

/// Returns the lines of a file of problems: one for each run with an outcome and more than 0 output tokens.
#[must_use]
pub fn problems(table: &RunTable) -> Vec<Value> {
    table.rows().iter().filter_map(problem).collect()
}

/// Returns the lines of a file of tool calls: the calls of the agent and its subagents, and the calls that the task
/// expects.
#[must_use]
pub fn paths(table: &RunTable) -> Vec<Value> {
    table.rows().iter().map(|row| line(row.calls())).collect()
}

/// Returns one OTLP/JSON request for each run, with its usage, its end, and its results as evaluation events
/// ([`LoggedRun::to_otlp`]).
#[must_use]
pub fn otel(table: &RunTable) -> Vec<Value> {
    table.rows().iter().map(LoggedRun::to_otlp).collect()
}

/// Returns a fact as a line, or the run that lacks it as a line that readers count and do not score.
fn line(fact: Result<impl Serialize, impl Serialize>) -> Value {
    let written = match fact {
        Ok(fact) => serde_json::to_value(fact),
        Err(left_out) => serde_json::to_value(left_out),
    };
    // Keys are texts and numbers are finite.
    written.unwrap_or_default()
}

fn problem(row: &LoggedRun) -> Option<Value> {
    let (solved, tokens) = (row.outcome?, row.usage.output_tokens.filter(|&tokens| tokens > 0)?);
    Some(json!({ "problem": row.name(), "solved": solved, "output_tokens": tokens }))
}
