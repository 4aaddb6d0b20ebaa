use crate::tool_calls::values::value::Value;

/// A call of a tool: the tool's name and the arguments.
///
/// Arguments are usually a [`Value::Map`]; a call without arguments has an empty one. A value of
/// another kind, such as a hash that replaces confidential arguments, is compared as a whole.
///
/// ```
/// use trajectory_metrics::tool_calls::ToolCall;
///
/// let call = ToolCall::new("search", [("query", "rust".into()), ("limit", 5.into())]);
/// assert_eq!(call, ToolCall::new("search", [("limit", 5.0.into()), ("query", "rust".into())]));
/// ```
///
/// # Formats that are read
///
/// With the feature `serde`, a call is read from a JSON object, never from a list. The arguments
/// are under one of these keys; a call without any of them has no arguments.
///
/// | key | written by |
/// |---|---|
/// | `arguments` | this crate; OpenAI, as a text that holds JSON |
/// | `args` | LangChain |
/// | `input` | Anthropic |
/// | `parameters` | chat templates of open models |
///
/// The name is under `name`, or under `function` if that is a text. If `function` or `custom` is an
/// object, as in OpenAI's chat messages, name and arguments are read from it.
///
/// Null, an empty text and the text `null` become empty arguments. A text with one JSON object
/// becomes this object. Any other text is kept as a [`Value::Text`], which equals no object.
/// Truncated arguments, arguments with trailing text, and arguments with a repeated key therefore
/// do not stop a reader of logs, and match no expected object.
///
/// The keys `id`, `call_id`, `tool_call_id`, `index`, `type`, `status`, `requestor` and `ok` are
/// ignored unless they hold an object or a list; then they count as unknown. Unknown keys are
/// ignored if there are arguments that are not empty.
///
/// Reading fails with an error that names the key
///
/// - if there is an unknown key and no key for the arguments, because the arguments may be under
///   the unknown key; likewise if the unknown key is not null and the arguments are null, `{}`,
///   `[]` or an empty text,
/// - if there are two keys for the arguments, or two for the name,
/// - if a key occurs twice in an object, at any depth outside of text.
///
/// A call is written as `{"name": …, "arguments": …}`. Reading restores an equal call unless its
/// arguments are [`Value::Null`] or a text with another meaning when it is read.
///
/// ```
/// # #[cfg(feature = "json")] {
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
    /// The arguments, usually a map.
    pub arguments: Value,
}

impl ToolCall {
    /// Makes a call with named arguments.
    #[must_use]
    pub fn new<N: Into<String>>(
        name: impl Into<String>,
        arguments: impl IntoIterator<Item = (N, Value)>,
    ) -> Self {
        let arguments = arguments.into_iter().map(|(name, value)| (name.into(), value)).collect();
        Self { name: name.into(), arguments: Value::Map(arguments) }
    }
}
