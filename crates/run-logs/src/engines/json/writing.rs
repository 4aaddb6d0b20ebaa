use serde::{Serialize, Serializer};
use trajectory_metrics::tool_calls::Value;

/// Returns a value as JSON without blanks. Numbers that are not finite are null.
///
/// ```
/// use run_logs::to_json;
/// use trajectory_metrics::tool_calls::Value;
///
/// let value = Value::List(vec!["a \"b\"".into(), Value::Real(0.5), Value::Null]);
/// assert_eq!(to_json(&value), r#"["a \"b\"",0.5,null]"#);
/// ```
#[must_use]
pub fn to_json(value: &Value) -> String {
    // Keys are texts, and numbers that are not finite are null.
    serde_json::to_string(&Exact(value)).unwrap_or_default()
}

/// A value whose integers keep all digits.
struct Exact<'a>(&'a Value);

impl Serialize for Exact<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Integer(number) => serializer.serialize_i128(*number),
            Value::List(values) => serializer.collect_seq(values.iter().map(Exact)),
            Value::Map(values) => {
                serializer.collect_map(values.iter().map(|(key, value)| (key, Exact(value))))
            }
            value => value.serialize(serializer),
        }
    }
}
