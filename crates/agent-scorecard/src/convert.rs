//! Runs of logs as lines of the files that evaluations read.
//!
//! A run that cannot be converted is a line with its outcome, its stop and the reason (`left_out`), which readers count
//! and do not score; only a run that is no problem has no line.
//!
//! ```
//! use std::io::Cursor;
//!
//! use agent_scorecard::{
//!     convert,
//!     run_logs::{AtLimit, Error, Format, OutcomePolicy, ReadOptions, RunTable, StreamOptions, read},
//! };
//!
//! let log = br#"
//!     {"id": "a", "outcome": true, "turns": [{"response": {"choices": [{"message":
//!         {"content": "18"}}], "usage": {"prompt_tokens": 9, "completion_tokens": 120}}}]}
//!     {"id": "b", "outcome": null, "turns": []}"#;
//! let runs = read(Cursor::new(log), Format::Auto, &ReadOptions::default())?;
//! let policy = OutcomePolicy::new(AtLimit::Censored);
//! let table = RunTable::new(runs, &policy, &StreamOptions::default())?;
//! let lines = convert::rollouts(&table);
//! assert_eq!((&lines[0]["success"], &lines[1]["left_out"]), (&true.into(), &"no_outcome".into()));
//! assert_eq!(convert::problems(&table)[0]["output_tokens"], 120);
//! # Ok::<(), Error>(())
//! ```

use run_logs::{ConfidenceStream, Error, ForecastPolicy, LoggedRun, RunTable, ToolCall};
use serde_json::{Value, json};
use trajectory_metrics::tool_calls;

/// The lines of a file of traces: the forecasts of a stream, by a policy for missing values.
///
/// # Errors
///
/// [`Error::MissingConfidence`] for a value that the policy refuses.
pub fn traces(
    table: &RunTable,
    stream: ConfidenceStream,
    missing: ForecastPolicy,
) -> Result<Vec<Value>, Error> {
    let found = table.stream(stream, missing)?;
    let mut kept = found.runs().iter().peekable();
    let of = |(number, row): (usize, &LoggedRun)| {
        let mut line = named(row);
        line["outcome"] = json!(row.outcome);
        set(&mut line, "stop", row.stop.as_ref().map(ToString::to_string));
        if let Some(run) = kept.next_if(|run| run.row == number) {
            let forecasts: Vec<f64> = run.forecasts.iter().map(|p| p.get()).collect();
            line["forecasts"] = json!(forecasts);
            set(&mut line, "horizon", run.horizon);
        } else if let Err((_, reason)) = row.forecasts(stream, missing) {
            line["left_out"] = json!(reason.name());
        }
        line
    };
    Ok(table.rows().iter().enumerate().map(of).collect())
}

/// The lines of a file of rollouts: what each turn spent.
#[must_use]
pub fn rollouts(table: &RunTable) -> Vec<Value> {
    let of = |row| rollout(row).unwrap_or_else(|reason| left_out(row, reason));
    table.rows().iter().map(of).collect()
}

/// The lines of a file of problems: the runs with an outcome and a count of output tokens above 0.
#[must_use]
pub fn problems(table: &RunTable) -> Vec<Value> {
    table.rows().iter().filter_map(problem).collect()
}

/// The lines of a file of tool calls: those of the agent and its subagents, and those that the task expects of the agent.
#[must_use]
pub fn paths(table: &RunTable) -> Vec<Value> {
    let of = |row| path(row).unwrap_or_else(|reason| left_out(row, reason));
    table.rows().iter().map(of).collect()
}

/// The text of a file of these lines.
#[must_use]
pub fn text(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// A value of a log as JSON: numbers that are not finite are null, and integers beyond 64 bits are text.
pub(crate) fn to_json(value: &tool_calls::Value) -> Value {
    match value {
        tool_calls::Value::Null => Value::Null,
        tool_calls::Value::Bool(value) => (*value).into(),
        tool_calls::Value::Integer(number) => i64::try_from(*number)
            .map(Value::from)
            .or_else(|_| u64::try_from(*number).map(Value::from))
            .unwrap_or_else(|_| number.to_string().into()),
        tool_calls::Value::Real(number) => (*number).into(),
        tool_calls::Value::Text(text) => text.as_str().into(),
        tool_calls::Value::List(values) => values.iter().map(to_json).collect(),
        tool_calls::Value::Map(values) => {
            Value::Object(values.iter().map(|(key, value)| (key.clone(), to_json(value))).collect())
        }
    }
}

/// The line of a run that the readers of the file count and do not score.
fn left_out(row: &LoggedRun, reason: &str) -> Value {
    let mut line = named(row);
    set(&mut line, "model", row.model.as_deref());
    line["success"] = json!(row.outcome);
    set(&mut line, "stop_reason", row.stop.as_ref().map(ToString::to_string));
    line["left_out"] = json!(reason);
    line
}

/// The name and the task of a run. A run without a task is a task of its own, with its trials.
fn named(row: &LoggedRun) -> Value {
    json!({ "id": row.name(), "task": row.task.as_deref().unwrap_or(&row.id) })
}

fn set<T: Into<Value>>(line: &mut Value, key: &str, value: Option<T>) {
    if let Some(value) = value {
        line[key] = value.into();
    }
}

fn rollout(row: &LoggedRun) -> Result<Value, &'static str> {
    let success = row.outcome.ok_or("no_outcome")?;
    if row.turn_usage.is_empty() {
        return Err("no_turn");
    }
    let turns = row.turn_usage.iter().zip(row.fresh_input_tokens()).map(|(turn, fresh)| {
        json!({
            "input_tokens": turn.input_tokens,
            "fresh_input_tokens": fresh,
            "output_tokens": turn.output_tokens,
            "cost_usd": turn.cost_usd,
        })
    });
    let mut line = named(row);
    set(&mut line, "model", row.model.as_deref());
    line["turns"] = turns.collect();
    line["success"] = json!(success);
    set(&mut line, "stop_reason", row.stop.as_ref().map(ToString::to_string));
    Ok(line)
}

fn problem(row: &LoggedRun) -> Option<Value> {
    let (solved, tokens) = (row.outcome?, row.usage.output_tokens.filter(|&tokens| tokens > 0)?);
    Some(json!({ "problem": row.name(), "solved": solved, "output_tokens": tokens }))
}

fn path(row: &LoggedRun) -> Result<Value, &'static str> {
    let success = row.outcome.ok_or("no_outcome")?;
    if row.expected_calls.is_empty() {
        return Err("no_expected_calls");
    }
    let call = |call: &ToolCall| json!({ "name": call.name, "args": to_json(&call.arguments) });
    let made = row.tool_calls.iter().zip(&row.calls_ok).map(|(made, ok)| {
        let mut made = call(made);
        set(&mut made, "ok", *ok);
        made
    });
    let mut line = named(row);
    set(&mut line, "model", row.model.as_deref());
    line["agent_calls"] = made.collect();
    line["expected_calls"] = row.expected_calls.iter().map(call).collect();
    line["success"] = json!(success);
    Ok(line)
}
