use serde::{Serialize, Serializer};
use serde_json::{Map, Value as Json};
use trajectory_metrics::tool_calls::{ToolCall, Value};

/// Writes a call as files of tool calls have it. Integers beyond 64 bits are text, because they would lose digits.
pub(crate) fn written<S: Serializer>(call: &ToolCall, serializer: S) -> Result<S::Ok, S::Error> {
    let call = Map::from_iter([
        ("name".to_owned(), Json::from(call.name.as_str())),
        ("args".to_owned(), json_value(&call.arguments)),
    ]);
    call.serialize(serializer)
}

/// Writes calls as [`written`] does.
pub(crate) fn all_written<S: Serializer>(
    calls: &[ToolCall],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Written<'a>(#[serde(serialize_with = "written")] &'a ToolCall);
    serializer.collect_seq(calls.iter().map(Written))
}

/// Converts a value of a log to JSON: non-finite numbers are null, and integers beyond 64 bits are text.
///
/// ```
/// use run_logs::json_lines::json_value;
/// use trajectory_metrics::tool_calls::Value;
///
/// assert_eq!(json_value(&Value::Integer(1 << 70)), "1180591620717411303424");
/// ```
#[must_use]
pub fn json_value(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => (*value).into(),
        Value::Integer(number) => i64::try_from(*number)
            .map(Json::from)
            .or_else(|_| u64::try_from(*number).map(Json::from))
            .unwrap_or_else(|_| number.to_string().into()),
        Value::Real(number) => (*number).into(),
        Value::Text(text) => text.as_str().into(),
        Value::List(values) => values.iter().map(json_value).collect(),
        Value::Map(values) => Json::Object(
            values.iter().map(|(key, value)| (key.clone(), json_value(value))).collect(),
        ),
    }
}
