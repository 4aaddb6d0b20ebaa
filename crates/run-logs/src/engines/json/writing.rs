use std::fmt::Write as _;

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
    let mut text = String::new();
    push_value(&mut text, value);
    text
}

/// Appends a value as JSON. Numbers that are not finite are null.
pub(crate) fn push_value(text: &mut String, value: &Value) {
    // Writing to a string cannot fail.
    let _ = match value {
        Value::Null => write!(text, "null"),
        Value::Bool(value) => write!(text, "{value}"),
        Value::Integer(number) => write!(text, "{number}"),
        Value::Real(number) if number.is_finite() => write!(text, "{number:?}"),
        Value::Real(_) => write!(text, "null"),
        Value::Text(string) => {
            push_string(text, string);
            Ok(())
        }
        Value::List(values) => {
            push_entries(text, '[', ']', values, push_value);
            Ok(())
        }
        Value::Map(values) => {
            push_entries(text, '{', '}', values, |text, (key, value)| {
                push_string(text, key);
                text.push(':');
                push_value(text, value);
            });
            Ok(())
        }
    };
}

fn push_entries<T>(
    text: &mut String,
    opener: char,
    closer: char,
    entries: impl IntoIterator<Item = T>,
    mut push: impl FnMut(&mut String, T),
) {
    text.push(opener);
    for (position, entry) in entries.into_iter().enumerate() {
        if position > 0 {
            text.push(',');
        }
        push(text, entry);
    }
    text.push(closer);
}

fn push_string(text: &mut String, string: &str) {
    text.push('"');
    for letter in string.chars() {
        match letter {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            control if control < ' ' => {
                // Writing to a string cannot fail.
                let _ = write!(text, "\\u{:04x}", u32::from(control));
            }
            letter => text.push(letter),
        }
    }
    text.push('"');
}
