use serde::{Deserialize, Deserializer, Serialize, de};
use trajectory_metrics::tool_calls::{ToolCall, Value};

use crate::json_lines::fields::{all_written, name, written, yes_or_no};

/// One run of a file of tool calls: the calls of the agent, and the expected calls of its task.
///
/// A file has JSON Lines
/// `{"id", "task", "agent_calls": [{"name", "args"?, "ok"?}, …],
/// "expected_calls": [{"name", "args"?}, …], "success", "model"?, "domain"?}`.
/// Calls may also be written as OpenAI, Anthropic and others write them: see "Spellings that are read" in the documentation of
/// [`ToolCall`]. Numbers of 2^63 or more in size that are not whole numbers of 64 bits are refused, because they may have lost
/// digits.
///
/// ```
/// use run_logs::{PathRun, json_lines::{InputError, parse_line}};
///
/// let line = br#"{"id": "a", "task": "t", "agent_calls": [{"name": "look", "args": {"at": 1}, "ok": true}],
///     "expected_calls": [], "success": 1}"#;
/// let run: PathRun = parse_line("paths.jsonl", 1, line)?;
/// assert_eq!((run.agent_calls[0].call.name.as_str(), run.agent_calls[0].ok), ("look", Some(true)));
/// # Ok::<(), InputError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct PathRun {
    /// The name of the run.
    #[serde(deserialize_with = "name")]
    pub id: String,
    /// The name of the task. The runs of a task are its trials.
    #[serde(deserialize_with = "name")]
    pub task: String,
    /// The calls of the agent, in order.
    pub agent_calls: Vec<AgentCall>,
    /// The calls that the task expects, in order.
    #[serde(deserialize_with = "with_all_digits", serialize_with = "all_written")]
    pub expected_calls: Vec<ToolCall>,
    /// Whether the run succeeded.
    #[serde(deserialize_with = "yes_or_no")]
    pub success: bool,
    /// The name of the model, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The name of the domain, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
}

/// A call, and the reply of the tool.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct AgentCall {
    /// The call.
    #[serde(flatten, deserialize_with = "with_its_digits", serialize_with = "written")]
    pub call: ToolCall,
    /// Whether the tool accepted the call without an error, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ok: Option<bool>,
}

fn with_its_digits<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ToolCall, D::Error> {
    let call = ToolCall::deserialize(deserializer)?;
    check_digits(&call.arguments)?;
    Ok(call)
}

pub(crate) fn with_all_digits<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<ToolCall>, D::Error> {
    #[derive(Deserialize)]
    struct Checked(#[serde(deserialize_with = "with_its_digits")] ToolCall);

    let calls = Vec::<Checked>::deserialize(deserializer)?;
    Ok(calls.into_iter().map(|Checked(call)| call).collect())
}

/// Refuses a number that may have been a whole number beyond 64 bits. The reader returns it as a real number of about 16 digits,
/// so that two different identifiers could be equal.
fn check_digits<E: de::Error>(value: &Value) -> Result<(), E> {
    /// No smaller number of either sign is passed on as a real number.
    const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;
    match value {
        Value::Real(number) if number.abs() >= TWO_TO_63 => Err(E::custom(format_args!(
            "number {number:e} may have lost digits, because it is beyond 64 bits; give it as text"
        ))),
        Value::List(values) => values.iter().try_for_each(check_digits),
        Value::Map(values) => values.values().try_for_each(check_digits),
        _ => Ok(()),
    }
}
