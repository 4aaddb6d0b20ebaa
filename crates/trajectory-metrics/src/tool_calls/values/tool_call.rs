use std::collections::BTreeMap;

use crate::tool_calls::values::value::Value;

/// One call of a tool: its name and what it was given.
///
/// Arguments are a [`Value::Map`] as a rule; calls without arguments have an empty one. Another
/// kind of value, such as a hash in place of arguments that may not be shown, is compared whole.
///
/// ```
/// use trajectory_metrics::tool_calls::ToolCall;
///
/// let call = ToolCall::new("search", [("query", "rust".into()), ("limit", 5.into())]);
/// assert_eq!(call, ToolCall::new("search", [("limit", 5.0.into()), ("query", "rust".into())]));
/// ```
///
/// # Spellings that are read
///
/// With the feature `serde` a call is read from a JSON object, and never from a list. One of these
/// keys holds the arguments; a call without any of them has no arguments.
///
/// | key | written by |
/// |---|---|
/// | `arguments` | this crate; OpenAI, where it is a text that holds JSON |
/// | `args` | LangChain |
/// | `input` | Anthropic |
/// | `parameters` | chat templates of open models |
///
/// The name is in `name`, or in `function` if that is a text. If `function` or `custom` is an
/// object, as in OpenAI's chat messages, then name and arguments are read from it.
///
/// Arguments that are null, and a text that is empty or holds `null`, are no arguments. A text
/// that holds one JSON object is read as that object. Any other text stays a [`Value::Text`], which
/// equals no object: arguments that a model cut off, continued after their end, or wrote with a key
/// twice do not stop a reader of logs, and match no expected object.
///
/// The keys `id`, `call_id`, `tool_call_id`, `index`, `type`, `status`, `requestor` and `ok` are
/// ignored unless they hold an object or a list, which counts as an unknown key; unknown keys are
/// ignored as long as arguments are given that are not empty.
///
/// Reading fails with an error that names the key
///
/// - if an unknown key is there and no key for the arguments, as the arguments may be in it; so too
///   if an unknown key is there that is not null and the arguments are null, `{}`, `[]` or an empty
///   text,
/// - if there are two keys for the arguments or for the name,
/// - if a key stands twice, in the call or at any depth of arguments that are not a text.
///
/// A call is written as `{"name": …, "arguments": …}`. It comes back equal unless its arguments are
/// [`Value::Null`] or a text that is read as something else.
///
/// ```
/// # #[cfg(feature = "serde")] {
/// use trajectory_metrics::tool_calls::ToolCall;
///
/// let read = |json| serde_json::from_str::<ToolCall>(json);
/// let call = ToolCall::new("pay", [("amount", 5.into())]);
/// for spelling in [
///     r#"{"name": "pay", "arguments": {"amount": 5}}"#,
///     r#"{"name": "pay", "arguments": "{\"amount\": 5}"}"#,
///     r#"{"type": "function", "function": {"name": "pay", "arguments": "{\"amount\": 5}"}}"#,
///     r#"{"id": "call_1", "function": "pay", "arguments": {"amount": 5}}"#,
///     r#"{"name": "pay", "args": {"amount": 5}, "type": "tool_call"}"#,
///     r#"{"type": "tool_use", "id": "toolu_1", "name": "pay", "input": {"amount": 5}}"#,
///     r#"{"name": "pay", "parameters": {"amount": 5}}"#,
/// ] {
///     assert_eq!(read(spelling).unwrap(), call, "{spelling}");
/// }
/// let cut_off = read(r#"{"name": "pay", "arguments": "{\"amount\": 5"}"#).unwrap();
/// assert_eq!(cut_off.arguments, r#"{"amount": 5"#.into());
///
/// assert!(read(r#"{"name": "pay", "payload": {"amount": 5}}"#).is_err());
/// assert!(read(r#"{"name": "pay", "args": {"amount": 5}, "input": {"amount": 6}}"#).is_err());
/// assert!(read(r#"{"name": "pay", "args": {"amount": 5, "amount": 6}}"#).is_err());
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ToolCall {
    /// The tool's name.
    pub name: String,
    /// What the tool was given.
    pub arguments: Value,
}

impl ToolCall {
    /// A call with named arguments.
    #[must_use]
    pub fn new<N: Into<String>>(
        name: impl Into<String>,
        arguments: impl IntoIterator<Item = (N, Value)>,
    ) -> Self {
        let arguments = arguments.into_iter().map(|(name, value)| (name.into(), value)).collect();
        Self { name: name.into(), arguments: Value::Map(arguments) }
    }

    /// A call as Anthropic's API gives it: a name, and the input as a value. Null is no arguments.
    ///
    /// With the feature `serde` the input is a [`Value`] after
    /// `serde_json::from_value(block["input"].clone())`.
    ///
    /// ```
    /// use trajectory_metrics::tool_calls::{ToolCall, Value};
    ///
    /// let input = Value::Map([("amount".to_owned(), 5.into())].into());
    /// let call = ToolCall::from_anthropic("pay", input);
    /// assert_eq!(call, ToolCall::new("pay", [("amount", 5.into())]));
    /// ```
    #[must_use]
    pub fn from_anthropic(name: impl Into<String>, input: Value) -> Self {
        let arguments = match input {
            Value::Null => Value::Map(BTreeMap::new()),
            input => input,
        };
        Self { name: name.into(), arguments }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_anthropic_call_without_input_has_no_arguments() {
        let none: [(&str, Value); 0] = [];
        assert_eq!(ToolCall::from_anthropic("look", Value::Null), ToolCall::new("look", none));
        assert_eq!(ToolCall::from_anthropic("look", "9f2c".into()).arguments, "9f2c".into());
    }
}
