//! JSON values as the released Python code reads them.

use std::io::Read;

use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::{reader::Json, writing::to_json},
    error::Error,
    formats::bagen::text::strip,
    read_options::ReadLimits,
};

/// Returns the rollouts of a file: a list of them, or a single one.
pub(super) fn rollouts(source: impl Read) -> Result<Vec<Value>, Error> {
    let mut json = Json::new(source, ReadLimits::default());
    let rollouts = match json.token()? {
        b'[' => json.list_of(Json::value)?,
        b'{' => vec![json.value()?],
        _ => {
            return Err(json.type_error("a list of rollouts"));
        }
    };
    json.end()?;
    Ok(rollouts)
}

/// Returns a field; null if it is missing.
pub(super) fn field<'a>(value: &'a Value, key: &str) -> &'a Value {
    match value {
        Value::Map(fields) => fields.get(key).unwrap_or(&Value::Null),
        _ => &Value::Null,
    }
}

/// `bool(value)`
pub(super) fn truth(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Integer(number) => *number != 0,
        Value::Real(number) => *number != 0.0,
        Value::Text(text) => !text.is_empty(),
        Value::List(items) => !items.is_empty(),
        Value::Map(fields) => !fields.is_empty(),
    }
}

/// The largest count; sums of such counts cannot overflow.
const MOST: i64 = 1_000_000_000_000_000;

/// `int(value)`, or `None` if that fails or is no plausible count.
pub(super) fn whole(value: &Value) -> Option<i64> {
    let number = match value {
        Value::Integer(number) => i64::try_from(*number).ok(),
        Value::Real(number) => number.is_finite().then_some(number.trunc() as i64),
        Value::Text(text) => strip(text).parse().ok(),
        Value::Bool(value) => Some(i64::from(*value)),
        _ => None,
    };
    number.filter(|number| (-MOST..=MOST).contains(number))
}

/// `float(value)`, or `None` if that fails.
pub(super) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Real(number) => Some(*number),
        Value::Text(text) => strip(text).parse().ok(),
        Value::Bool(value) => Some(f64::from(*value)),
        _ => None,
    }
}

/// `str(value or "")` without white space around it.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::Text(text) => strip(text).to_owned(),
        value if truth(value) => to_json(value),
        _ => String::new(),
    }
}

/// Returns the list in a field; empty if there is none.
pub(super) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    match field(value, key) {
        Value::List(items) => items,
        _ => &[],
    }
}

/// Returns the text of the assistant in a turn.
pub(super) fn assistant_text(turn: &Value) -> String {
    let texts = ["parsed_response", "raw_response", "raw_generation"];
    let mut texts = texts.iter().map(|key| text(field(turn, key)));
    texts.find(|text| !text.is_empty()).unwrap_or_default()
}

/// Returns the turns of a rollout in order.
pub(super) fn sorted_turns(rollout: &Value) -> Vec<&Value> {
    let mut turns: Vec<&Value> = list(rollout, "turns").iter().collect();
    turns.sort_by_key(|turn| whole(field(turn, "turn_idx")).unwrap_or(0));
    turns
}
