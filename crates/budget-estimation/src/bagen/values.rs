//! JSON values as the released Python code reads them.

use serde_json::Value;

use crate::{bagen::text::strip, error::Error};

/// Parses a file of JSON. An error names the line and the field.
pub(super) fn parse<T: serde::de::DeserializeOwned>(json: &str) -> Result<T, Error> {
    let wrong = |error: &serde_json::Error, field: Option<String>| Error::Released {
        place: format!("line {}", error.line()),
        problem: field.map_or(error.to_string(), |field| format!("{field}: {error}")),
    };
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let field = error.path().to_string();
        wrong(error.inner(), (field != ".").then_some(field))
    })?;
    deserializer.end().map_err(|error| wrong(&error, None))?;
    Ok(value)
}

/// The items of a list, or a single item.
pub(super) fn items(value: Value) -> Result<Vec<Value>, Error> {
    match value {
        Value::Array(items) => Ok(items),
        Value::Object(_) => Ok(vec![value]),
        _ => Err(Error::Released {
            place: "line 1".to_owned(),
            problem: "expected a list of rollouts".to_owned(),
        }),
    }
}

/// A field; null if it is missing.
pub(super) fn field<'a>(value: &'a Value, key: &str) -> &'a Value {
    value.get(key).unwrap_or(&Value::Null)
}

/// `bool(value)`
pub(super) fn truth(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
    }
}

/// Counts up to here can be added without overflow.
const MOST: i64 = 1_000_000_000_000_000;

/// `int(value)`, or nothing if that fails or is no plausible count.
pub(super) fn whole(value: &Value) -> Option<i64> {
    let number = match value {
        Value::Bool(value) => Some(i64::from(*value)),
        Value::Number(number) => {
            number.as_i64().or_else(|| number.as_f64().map(|number| number.trunc() as i64))
        }
        Value::String(text) => strip(text).parse().ok(),
        _ => None,
    };
    number.filter(|number| (-MOST..=MOST).contains(number))
}

/// `float(value)`, or nothing if that fails.
pub(super) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Bool(value) => Some(f64::from(*value)),
        Value::Number(number) => number.as_f64(),
        Value::String(text) => strip(text).parse().ok(),
        _ => None,
    }
}

/// `str(value or "")` without white space around it.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => strip(text).to_owned(),
        value if truth(value) => value.to_string(),
        _ => String::new(),
    }
}

/// The list in a field; empty if there is none.
pub(super) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    field(value, key).as_array().map_or(&[], Vec::as_slice)
}

/// What the assistant wrote in a turn.
pub(super) fn assistant_text(turn: &Value) -> String {
    let texts = ["parsed_response", "raw_response", "raw_generation"];
    let mut texts = texts.iter().map(|key| text(field(turn, key)));
    texts.find(|text| !text.is_empty()).unwrap_or_default()
}

/// The turns of a rollout in order.
pub(super) fn sorted_turns(rollout: &Value) -> Vec<&Value> {
    let mut turns: Vec<&Value> = list(rollout, "turns").iter().collect();
    turns.sort_by_key(|turn| whole(field(turn, "turn_idx")).unwrap_or(0));
    turns
}
