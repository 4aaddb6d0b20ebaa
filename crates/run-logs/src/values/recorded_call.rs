use trajectory_metrics::tool_calls::{ToolCall, Value};

/// The arguments of a tool call as a log holds them.
///
/// A model may write arguments that are not a JSON object. That says something about the model and is
/// not an error of the log: the arguments are kept as text with the problem.
#[derive(Clone, Debug, PartialEq)]
pub enum Arguments {
    /// Arguments that were read; usually a [`Value::Map`].
    Parsed(Value),
    /// Text that cannot be read as one JSON object.
    Unparsed {
        /// The text as the model wrote it.
        text: String,
        /// What is wrong with it.
        problem: String,
    },
}

impl Arguments {
    /// The arguments as a value: text that could not be read is a [`Value::Text`].
    #[must_use]
    pub fn value(&self) -> Value {
        match self {
            Self::Parsed(value) => value.clone(),
            Self::Unparsed { text, .. } => Value::Text(text.clone()),
        }
    }
}

/// A tool call that a model made, and whether it worked.
///
/// ```
/// use run_logs::{Arguments, RecordedCall};
/// use trajectory_metrics::tool_calls::{ToolCall, Value};
///
/// let mut call = RecordedCall::new("search", Arguments::Parsed(Value::Map(Default::default())));
/// call.error = Some("timeout".to_owned());
/// call.ok = Some(false);
/// let none: [(&str, Value); 0] = [];
/// assert_eq!(call.tool_call(), ToolCall::new("search", none));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RecordedCall {
    /// The id by which results refer to the call.
    pub id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// The arguments.
    pub arguments: Arguments,
    /// The text of arguments that were parsed, as the model wrote it; `None` if the log has a value
    /// in its place.
    pub written: Option<String>,
    /// Whether the tool took the call without an error; `None` if the log does not say.
    pub ok: Option<bool>,
    /// The tool's error.
    pub error: Option<String>,
}

impl RecordedCall {
    /// A call of unknown success.
    #[must_use]
    pub fn new(name: impl Into<String>, arguments: Arguments) -> Self {
        Self { id: None, name: name.into(), arguments, written: None, ok: None, error: None }
    }

    /// The call as the measures of trajectory-metrics take it.
    #[must_use]
    pub fn tool_call(&self) -> ToolCall {
        ToolCall { name: self.name.clone(), arguments: self.arguments.value() }
    }

    /// The bytes that a copy holds.
    pub(crate) fn size(&self) -> usize {
        let arguments = match &self.arguments {
            Arguments::Parsed(value) => value_size(value),
            Arguments::Unparsed { text, .. } => text.len(),
        };
        let written = self.written.as_ref().map_or(0, String::len);
        size_of::<Self>() + self.name.len() + written + arguments
    }
}

fn value_size(value: &Value) -> usize {
    let content = match value {
        Value::Text(text) => text.len(),
        Value::List(values) => values.iter().map(value_size).sum(),
        Value::Map(values) => values.iter().map(|(key, value)| key.len() + value_size(value)).sum(),
        _ => 0,
    };
    size_of::<Value>() + content
}
