use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, de::Error as _};

use crate::{
    distinct_keys,
    error::Error,
    tool_calls::values::{tool_call::ToolCall, value::Value},
};

/// The keys that hold the arguments.
const ARGUMENTS: [&str; 4] = ["args", "arguments", "input", "parameters"];

/// Keys that contain no arguments unless their value is an object or a list.
const IGNORED: [&str; 8] =
    ["id", "call_id", "tool_call_id", "index", "type", "status", "requestor", "ok"];

impl ToolCall {
    /// Creates a call in the form of OpenAI's API: a name, and arguments as JSON text.
    ///
    /// An empty text and `null` mean no arguments. To read logs, deserialize the call instead: a
    /// text without a JSON object is then kept as text and is not an error.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] unless the text is empty, `null`, or one JSON object in which no
    /// key occurs twice at any depth.
    ///
    /// ```
    /// use trajectory_metrics::{Error, tool_calls::ToolCall};
    ///
    /// let call = ToolCall::from_openai("pay", r#"{"amount": 5}"#)?;
    /// assert_eq!(call, ToolCall::new("pay", [("amount", 5.into())]));
    /// let cut_off = ToolCall::from_openai("pay", r#"{"amount": 5"#);
    /// assert!(cut_off.is_err_and(|error| error.to_string().contains("\"pay\" are no JSON object")));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn from_openai(name: impl Into<String>, arguments: &str) -> Result<Self, Error> {
        let tool = name.into();
        match from_text(arguments) {
            Ok(arguments) => Ok(Self { name: tool, arguments }),
            Err(problem) => Err(Error::Invalid(format!(
                "the arguments of a call of {tool:?} are no JSON object: {problem}; \
                 give an object, an empty text or null"
            ))),
        }
    }
}

impl<'de> Deserialize<'de> for ToolCall {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut parts = Parts::default();
        let entries = distinct_keys::object(deserializer, "a call with its name")?;
        parts.add("", entries).map_err(D::Error::custom)?;
        let (_, name) = parts.name.ok_or_else(|| D::Error::missing_field("name"))?;
        let (arguments, unknown) = match parts.arguments {
            None => (no_arguments(), parts.unknown.or(parts.unknown_null)),
            Some((_, arguments)) => {
                let arguments = lenient(arguments);
                let unknown = parts.unknown.filter(|_| is_nothing(&arguments));
                (arguments, unknown)
            }
        };
        match unknown {
            None => Ok(Self { name, arguments }),
            Some(key) => Err(D::Error::custom(format_args!(
                "unknown field `{key}` in a call without arguments; \
                 give them as `args`, `arguments`, `input` or `parameters`"
            ))),
        }
    }
}

/// The parts of a call that have been found. Keys inside another object have its key in front.
#[derive(Default)]
struct Parts {
    /// The key of the name, and the name.
    name: Option<(String, String)>,
    /// The key of the arguments, and the arguments.
    arguments: Option<(String, Value)>,
    /// The first key that is unknown and not null, or ignored but with an object or a list as its
    /// value.
    unknown: Option<String>,
    /// The first unknown key that is null.
    unknown_null: Option<String>,
}

impl Parts {
    /// Adds the entries of the call itself, or of an object in it: then `prefix` is not empty.
    fn add(&mut self, prefix: &str, entries: BTreeMap<String, Value>) -> Result<(), String> {
        for (key, value) in entries {
            let path = format!("{prefix}{key}");
            let holds_call = prefix.is_empty() && matches!(key.as_str(), "function" | "custom");
            let ignored = IGNORED.contains(&key.as_str());
            match value {
                Value::Text(name) if key == "name" || holds_call => {
                    put(&mut self.name, path, name, "the name")?;
                }
                _ if key == "name" => return Err(format!("field `{path}` is not a text")),
                value if ARGUMENTS.contains(&key.as_str()) => {
                    put(&mut self.arguments, path, value, "the arguments")?;
                }
                Value::Map(call) if holds_call => self.add(&format!("{path}."), call)?,
                Value::Null if holds_call => {}
                _ if holds_call => {
                    return Err(format!(
                        "field `{path}` is neither a tool's name nor an object with the name"
                    ));
                }
                Value::Map(_) | Value::List(_) => _ = self.unknown.get_or_insert(path),
                _ if ignored => {}
                Value::Null => _ = self.unknown_null.get_or_insert(path),
                _ => _ = self.unknown.get_or_insert(path),
            }
        }
        Ok(())
    }
}

/// Refuses a second key for the same part.
fn put<T>(part: &mut Option<(String, T)>, key: String, value: T, name: &str) -> Result<(), String> {
    match part {
        None => *part = Some((key, value)),
        Some((first, _)) => {
            return Err(format!(
                "fields `{first}` and `{key}` both give {name} of the call; give one of them"
            ));
        }
    }
    Ok(())
}

const fn no_arguments() -> Value {
    Value::Map(BTreeMap::new())
}

/// Whether arguments are empty, so that the arguments of the call may be under another key.
fn is_nothing(arguments: &Value) -> bool {
    match arguments {
        Value::Null => true,
        Value::Map(entries) => entries.is_empty(),
        Value::List(entries) => entries.is_empty(),
        Value::Text(text) => {
            matches!(serde_json::from_str(text), Ok(Value::List(entries)) if entries.is_empty())
        }
        Value::Bool(_) | Value::Integer(_) | Value::Real(_) => false,
    }
}

/// Reads arguments of a log: a text without a JSON object is kept unchanged.
fn lenient(arguments: Value) -> Value {
    match arguments {
        Value::Null => no_arguments(),
        Value::Text(text) => from_text(&text).unwrap_or(Value::Text(text)),
        arguments => arguments,
    }
}

/// The arguments in a JSON text, or the problem with the text.
fn from_text(text: &str) -> Result<Value, String> {
    if text.trim_ascii().is_empty() {
        return Ok(no_arguments());
    }
    match serde_json::from_str(text) {
        Ok(Value::Null) => Ok(no_arguments()),
        Ok(arguments @ Value::Map(_)) => Ok(arguments),
        Ok(_) => Err("the text holds JSON of another kind".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}
