use super::Value;

/// One call of a tool: its name and what it was given.
///
/// Arguments are a [`Value::Map`] as a rule; calls without arguments have an empty one. Another
/// kind of value, such as a hash in place of arguments that may not be shown, is compared whole.
///
/// With the feature `serde` it reads `{"name": …, "arguments": …}`, an object and no list; `args`
/// is another word for `arguments`, which may be left out or null where there are none.
///
/// ```
/// use trajectory_metrics::tool_calls::ToolCall;
///
/// let call = ToolCall::new("search", [("query", "rust".into()), ("limit", 5.into())]);
/// assert_eq!(call, ToolCall::new("search", [("limit", 5.0.into()), ("query", "rust".into())]));
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
}

#[cfg(all(test, feature = "serde"))]
mod tests {
    use super::*;

    #[test]
    fn calls_without_arguments_are_alike_however_that_was_written() {
        let read = |text: &str| serde_json::from_str::<ToolCall>(text).unwrap();
        let none: [(&str, Value); 0] = [];
        let bare = ToolCall::new("look", none);
        for arguments in ["", r#","arguments":{}"#, r#","args":{}"#, r#","args":null"#] {
            assert_eq!(read(&format!(r#"{{"name":"look"{arguments}}}"#)), bare);
        }
        assert_eq!(
            read(r#"{"name":"look","args":{"at":2}}"#),
            ToolCall::new("look", [("at", 2.into())])
        );
        assert_ne!(read(r#"{"name":"look","args":"9f2c"}"#), bare);
        let refused = [r#"{"args":{}}"#, r#"["look",{}]"#, r#"["look"]"#, r#""look""#, "null"];
        for text in refused {
            assert!(serde_json::from_str::<ToolCall>(text).is_err(), "{text}");
        }
        let what = serde_json::from_str::<ToolCall>("7").unwrap_err().to_string();
        assert!(what.contains("expected a call with its name"), "{what}");
        // What is written is read, and what is unknown is passed over.
        let call = read(r#"{"id":7,"name":"look","arguments":{"at":[1,null]}}"#);
        assert_eq!(read(&serde_json::to_string(&call).unwrap()), call);
    }
}
