use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use serde::{
    Deserialize, Deserializer,
    de::{self, IgnoredAny, MapAccess, SeqAccess, Visitor},
};

use crate::{
    error::Error,
    tool_calls::values::{tool_call::ToolCall, value::Value},
};

/// The keys that hold the arguments.
const ARGUMENTS: [&str; 4] = ["args", "arguments", "input", "parameters"];

/// The keys of which it is known that they hold no arguments, as long as they hold no object and no
/// list.
const IGNORED: [&str; 8] =
    ["id", "call_id", "tool_call_id", "index", "type", "status", "requestor", "ok"];

impl ToolCall {
    /// A call as OpenAI's API gives it: a name, and arguments as a text that holds JSON.
    ///
    /// An empty text and `null` are no arguments. To read logs, deserialize the call instead: text
    /// that holds no JSON object is kept there and is no error.
    ///
    /// # Errors
    ///
    /// [`Error::CallArguments`] unless the text is empty, `null`, or one JSON object in which no
    /// key stands twice at any depth.
    ///
    /// ```
    /// use trajectory_metrics::{Error, tool_calls::ToolCall};
    ///
    /// let call = ToolCall::from_openai("pay", r#"{"amount": 5}"#)?;
    /// assert_eq!(call, ToolCall::new("pay", [("amount", 5.into())]));
    /// let cut_off = ToolCall::from_openai("pay", r#"{"amount": 5"#);
    /// assert!(matches!(cut_off, Err(Error::CallArguments { tool, .. }) if tool == "pay"));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn from_openai(name: impl Into<String>, arguments: &str) -> Result<Self, Error> {
        let tool = name.into();
        match from_text(arguments) {
            Ok(arguments) => Ok(Self { name: tool, arguments }),
            Err(problem) => Err(Error::CallArguments { tool, problem }),
        }
    }
}

impl<'de> Deserialize<'de> for ToolCall {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Object)
    }
}

/// Only an object: a derived reader would also take a list of the fields.
struct Object;

impl<'de> Visitor<'de> for Object {
    type Value = ToolCall;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a call with its name")
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<ToolCall, A::Error> {
        let parts = Parts::default().with_entries(entries)?;
        let (_, name) = parts.name.ok_or_else(|| de::Error::missing_field("name"))?;
        let (arguments, unknown) = match parts.arguments {
            None => (Value::Map(BTreeMap::new()), parts.unknown.or(parts.unknown_null)),
            Some((_, arguments)) => {
                let arguments = lenient(arguments);
                let unknown = parts.unknown.filter(|_| is_nothing(&arguments));
                (arguments, unknown)
            }
        };
        match unknown {
            None => Ok(ToolCall { name, arguments }),
            Some(key) => Err(de::Error::custom(format_args!(
                "unknown field `{key}` in a call without arguments; \
                 give them as `args`, `arguments`, `input` or `parameters`"
            ))),
        }
    }
}

/// What is known of a call so far. Name and arguments stand beside the key that gave them.
#[derive(Default)]
struct Parts {
    name: Option<(String, String)>,
    arguments: Option<(String, Value)>,
    /// The first key that may hold arguments: one that is not known and not null, or one that is
    /// ignored otherwise and holds an object or a list.
    unknown: Option<String>,
    /// The first key that is not known and null.
    unknown_null: Option<String>,
    /// Whether these are the entries of an object inside the call.
    inside: bool,
}

impl Parts {
    fn with_entries<'de, A: MapAccess<'de>>(mut self, mut entries: A) -> Result<Self, A::Error> {
        let mut seen = BTreeSet::<String>::new();
        while let Some(key) = entries.next_key::<String>()? {
            if !seen.insert(key.clone()) {
                return Err(de::Error::custom(format_args!("duplicate field `{key}`")));
            }
            match key.as_str() {
                "name" => {
                    let name = entries.next_value()?;
                    put(&mut self.name, key, name, "the name")?;
                }
                key_of_arguments if ARGUMENTS.contains(&key_of_arguments) => {
                    let value = entries.next_value()?;
                    put(&mut self.arguments, key, value, "arguments")?;
                }
                "function" | "custom" if !self.inside => match entries.next_value()? {
                    Function::Nothing => {}
                    Function::Name(name) => put(&mut self.name, key, name, "the name")?,
                    Function::Call(call) => {
                        if let Some((inner, name)) = call.name {
                            put(&mut self.name, format!("{key}.{inner}"), name, "the name")?;
                        }
                        if let Some((inner, value)) = call.arguments {
                            let key = format!("{key}.{inner}");
                            put(&mut self.arguments, key, value, "arguments")?;
                        }
                        let within = |inner| format!("{key}.{inner}");
                        self.unknown = self.unknown.or(call.unknown.map(within));
                        self.unknown_null = self.unknown_null.or(call.unknown_null.map(within));
                    }
                },
                other => {
                    let ignored = IGNORED.contains(&other);
                    match entries.next_value()? {
                        Skipped::Null | Skipped::Scalar if ignored => {}
                        Skipped::Null => _ = self.unknown_null.get_or_insert(key),
                        Skipped::Scalar | Skipped::Nested => _ = self.unknown.get_or_insert(key),
                    }
                }
            }
        }
        Ok(self)
    }
}

/// Refuses a second key for the same thing.
fn put<T, E: de::Error>(
    place: &mut Option<(String, T)>,
    key: String,
    value: T,
    what: &str,
) -> Result<(), E> {
    if let Some((first, _)) = place {
        return Err(E::custom(format_args!(
            "fields `{first}` and `{key}` both give {what} of the call; give one of them"
        )));
    }
    *place = Some((key, value));
    Ok(())
}

/// What stands under `function`: a name, or an object with name and arguments.
enum Function {
    Nothing,
    Name(String),
    Call(Parts),
}

impl<'de> Deserialize<'de> for Function {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NameOrCall)
    }
}

struct NameOrCall;

impl<'de> Visitor<'de> for NameOrCall {
    type Value = Function;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a tool's name, or a call with its name")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Function, E> {
        Ok(Function::Nothing)
    }

    fn visit_none<E: de::Error>(self) -> Result<Function, E> {
        Ok(Function::Nothing)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Function, D::Error> {
        Function::deserialize(deserializer)
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Function, E> {
        Ok(Function::Name(name.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Function, A::Error> {
        let parts = Parts { inside: true, ..Parts::default() };
        parts.with_entries(entries).map(Function::Call)
    }
}

/// What kind of value stood under a key that is not read.
enum Skipped {
    Null,
    Scalar,
    Nested,
}

impl<'de> Deserialize<'de> for Skipped {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Skip)
    }
}

struct Skip;

impl<'de> Visitor<'de> for Skip {
    type Value = Skipped;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Skipped, E> {
        Ok(Skipped::Null)
    }

    fn visit_none<E: de::Error>(self) -> Result<Skipped, E> {
        Ok(Skipped::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Skipped, D::Error> {
        Skipped::deserialize(deserializer)
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<Skipped, E> {
        Ok(Skipped::Scalar)
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<Skipped, E> {
        Ok(Skipped::Scalar)
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<Skipped, E> {
        Ok(Skipped::Scalar)
    }

    fn visit_i128<E: de::Error>(self, _: i128) -> Result<Skipped, E> {
        Ok(Skipped::Scalar)
    }

    fn visit_u128<E: de::Error>(self, _: u128) -> Result<Skipped, E> {
        Ok(Skipped::Scalar)
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Skipped, E> {
        Ok(Skipped::Scalar)
    }

    fn visit_str<E: de::Error>(self, _: &str) -> Result<Skipped, E> {
        Ok(Skipped::Scalar)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Skipped, A::Error> {
        while entries.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Skipped::Nested)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Skipped, A::Error> {
        while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Skipped::Nested)
    }
}

/// Whether arguments say nothing, so that the call's may stand elsewhere.
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

/// Arguments as a log has them: a text that holds no object stays as it is.
fn lenient(arguments: Value) -> Value {
    match arguments {
        Value::Null => Value::Map(BTreeMap::new()),
        Value::Text(text) => from_text(&text).unwrap_or(Value::Text(text)),
        arguments => arguments,
    }
}

/// The arguments that a text holds as JSON, or what is wrong with it.
fn from_text(text: &str) -> Result<Value, String> {
    if text.trim_ascii().is_empty() {
        return Ok(Value::Map(BTreeMap::new()));
    }
    match serde_json::from_str(text) {
        Ok(Value::Null) => Ok(Value::Map(BTreeMap::new())),
        Ok(Value::Map(arguments)) => Ok(Value::Map(arguments)),
        Ok(_) => Err("the text holds JSON of another kind".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    fn read(text: &str) -> ToolCall {
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn refused(text: &str) -> String {
        serde_json::from_str::<ToolCall>(text).unwrap_err().to_string()
    }

    fn bare(name: &str) -> ToolCall {
        ToolCall { name: name.to_owned(), arguments: Value::Map(BTreeMap::new()) }
    }

    #[test]
    fn calls_without_arguments_are_alike_however_that_was_written() {
        let none = ["{}", "null", r#""""#, r#""  ""#, r#""{}""#, r#""null""#];
        assert_eq!(read(r#"{"name":"look"}"#), bare("look"));
        for key in ARGUMENTS {
            for arguments in none {
                let text = format!(r#"{{"name":"look","{key}":{arguments}}}"#);
                assert_eq!(read(&text), bare("look"), "{text}");
            }
        }
        assert_eq!(read(r#"{"function":{"name":"look"},"custom":null}"#), bare("look"));
        assert_eq!(read(r#"{"function":"look","id":null}"#), bare("look"));
        assert_ne!(read(r#"{"name":"look","args":"9f2c"}"#), bare("look"));
    }

    #[test]
    fn only_an_object_with_a_name_is_a_call() {
        for text in [r#"{"args":{}}"#, r#"["look",{}]"#, r#"["look"]"#, r#""look""#, "null", "[]"] {
            assert!(serde_json::from_str::<ToolCall>(text).is_err(), "{text}");
        }
        assert!(refused("7").contains("expected a call with its name"));
        assert!(refused("{}").starts_with("missing field `name`"));
        assert!(refused(r#"{"function":{"arguments":"{}"}}"#).starts_with("missing field `name`"));
        assert!(refused(r#"{"function":7}"#).contains("expected a tool's name, or a call"));
    }

    #[test]
    fn what_is_written_is_read_and_what_is_unknown_is_ignored_beside_arguments() {
        let call = read(r#"{"id":7,"name":"look","matched":true,"arguments":{"at":[1,null]}}"#);
        assert_eq!(read(&serde_json::to_string(&call).unwrap()), call);
        let metadata = r#"{"id":1,"call_id":2,"tool_call_id":3,"index":4,"type":5,"status":6,"requestor":7,"ok":8,"name":"look"}"#;
        assert_eq!(read(metadata), bare("look"));
    }

    #[test]
    fn a_call_whose_arguments_may_be_under_an_unknown_key_is_refused() {
        for (text, key) in [
            (r#"{"name":"pay","payload":{"amount":5}}"#, "payload"),
            (r#"{"name":"pay","Args":null}"#, "Args"),
            (r#"{"function":{"name":"pay","body":1}}"#, "function.body"),
            (r#"{"function":{"name":"pay","function":{}}}"#, "function.function"),
        ] {
            let error = refused(text);
            assert!(error.starts_with(&format!("unknown field `{key}`")), "{text}: {error}");
        }
    }

    #[test]
    fn two_keys_for_one_thing_are_refused() {
        for (text, first, second) in [
            (r#"{"name":"pay","args":{},"input":{}}"#, "args", "input"),
            (r#"{"name":"pay","parameters":{"a":1},"arguments":null}"#, "parameters", "arguments"),
            (
                r#"{"function":{"name":"pay","arguments":""},"args":{}}"#,
                "function.arguments",
                "args",
            ),
            (r#"{"name":"pay","function":"pay"}"#, "name", "function"),
            (r#"{"function":{"name":"pay"},"name":"pay"}"#, "function.name", "name"),
        ] {
            let error = refused(text);
            let start = format!("fields `{first}` and `{second}` both give");
            assert!(error.starts_with(&start), "{text}: {error}");
        }
    }

    #[test]
    fn a_key_that_stands_twice_is_refused_at_any_depth() {
        for (text, key) in [
            (r#"{"name":"pay","name":"pay"}"#, "name"),
            (r#"{"name":"pay","args":{},"args":{}}"#, "args"),
            (r#"{"name":"pay","id":1,"id":2}"#, "id"),
            (r#"{"name":"pay","args":{"amount":5,"amount":500}}"#, "amount"),
            (r#"{"name":"pay","input":{"to":[{"k":1,"k":1}]}}"#, "k"),
            (r#"{"function":{"name":"pay","name":"pay"}}"#, "name"),
        ] {
            let error = refused(text);
            assert!(error.starts_with(&format!("duplicate field `{key}`")), "{text}: {error}");
        }
    }

    /// Texts that a model wrote and that hold no object.
    const UNFINISHED: [&str; 8] = [
        r#"{"amount":5"#,
        r#"{"amount":5} and more"#,
        r#"{"amount":5,"amount":500}"#,
        r#"{"amount":NaN}"#,
        r#"{"amount":1e400}"#,
        r#"{"note":"\ud800"}"#,
        r#"[5]"#,
        "5",
    ];

    #[test]
    fn a_text_that_holds_no_object_is_kept_in_a_log_and_equals_no_object() {
        for text in UNFINISHED {
            let written = serde_json::to_string(text).unwrap();
            let call = read(&format!(r#"{{"name":"pay","arguments":{written}}}"#));
            assert_eq!(call.arguments, text.into());
            assert_ne!(call, bare("pay"));
            assert_eq!(read(&serde_json::to_string(&call).unwrap()), call);
        }
    }

    #[test]
    fn the_constructor_for_openai_refuses_a_text_that_holds_no_object() {
        for text in UNFINISHED {
            let error = ToolCall::from_openai("pay", text).unwrap_err();
            assert!(matches!(&error, Error::CallArguments { tool, .. } if tool == "pay"));
            assert!(error.to_string().contains("pay"), "{error}");
        }
        let repeated = ToolCall::from_openai("pay", r#"{"k":1,"k":2}"#).unwrap_err().to_string();
        assert!(repeated.contains("duplicate field `k`"), "{repeated}");
        for none in ["", " \n", "null", "{}"] {
            assert_eq!(ToolCall::from_openai("pay", none), Ok(bare("pay")));
        }
    }
}
