use std::collections::BTreeMap;

use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::Json, error::Error, read_options::ReadLimits, values::run::Arguments,
};

impl Arguments {
    /// Returns an object without fields.
    pub(crate) const fn empty() -> Self {
        Self::Parsed(Value::Map(BTreeMap::new()))
    }

    /// Reads a model's text as arguments. Empty text and `null` are an empty object. Text that is not one JSON object is kept
    /// with its problem.
    pub(crate) fn from_text(text: String, limits: ReadLimits) -> Self {
        if text.trim_ascii().is_empty() {
            return Self::empty();
        }
        match parsed(text.as_bytes(), limits) {
            Ok(Value::Null) => Self::empty(),
            Ok(value @ Value::Map(_)) if is_finite(&value) => Self::Parsed(value),
            Ok(Value::Map(_)) => {
                Self::Unparsed { text, problem: "NaN and infinities are not JSON".to_owned() }
            }
            Ok(_) => Self::Unparsed { text, problem: "the text is not a JSON object".to_owned() },
            Err(error) => Self::Unparsed { text, problem: error.to_string() },
        }
    }
}

fn parsed(text: &[u8], limits: ReadLimits) -> Result<Value, Error> {
    let mut json = Json::new(text, limits);
    let value = json.value()?;
    json.end()?;
    Ok(value)
}

fn is_finite(value: &Value) -> bool {
    match value {
        Value::Real(number) => number.is_finite(),
        Value::List(values) => values.iter().all(is_finite),
        Value::Map(values) => values.values().all(is_finite),
        _ => true,
    }
}
