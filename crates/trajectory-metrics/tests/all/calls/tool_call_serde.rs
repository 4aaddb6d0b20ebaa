use std::collections::BTreeMap;
use trajectory_metrics::tool_calls::{ToolCall, Value};

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
fn calls_without_arguments_are_equal_however_they_are_written() {
    let none = ["{}", "null", r#""""#, r#""  ""#, r#""{}""#, r#""null""#];
    assert_eq!(read(r#"{"name":"look"}"#), bare("look"));
    for key in ["args", "arguments", "input", "parameters"] {
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
    assert!(refused(r#"{"function":7}"#).starts_with("field `function` is neither"));
    assert!(refused(r#"{"name":7}"#).starts_with("field `name` is not a text"));
}

#[test]
fn a_written_call_is_read_back_and_unknown_keys_are_ignored_beside_arguments() {
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
fn two_keys_for_the_name_or_the_arguments_are_refused() {
    for (text, first, second) in [
        (r#"{"name":"pay","args":{},"input":{}}"#, "args", "input"),
        (r#"{"name":"pay","parameters":{"a":1},"arguments":null}"#, "arguments", "parameters"),
        (r#"{"function":{"name":"pay","arguments":""},"args":{}}"#, "args", "function.arguments"),
        (r#"{"name":"pay","function":"pay"}"#, "function", "name"),
        (r#"{"function":{"name":"pay"},"name":"pay"}"#, "function.name", "name"),
    ] {
        let error = refused(text);
        let start = format!("fields `{first}` and `{second}` both give");
        assert!(error.starts_with(&start), "{text}: {error}");
    }
}

#[test]
fn a_key_that_occurs_twice_is_refused_at_any_depth() {
    for (text, key) in [
        (r#"{"name":"pay","name":"pay"}"#, "name"),
        (r#"{"name":"pay","args":{},"args":{}}"#, "args"),
        (r#"{"name":"pay","id":1,"id":2}"#, "id"),
        (r#"{"name":"pay","args":{"a":1},"note":{"b":1,"b":2}}"#, "b"),
        (r#"{"name":"pay","args":{"amount":5,"amount":500}}"#, "amount"),
        (r#"{"name":"pay","input":{"to":[{"k":1,"k":1}]}}"#, "k"),
        (r#"{"function":{"name":"pay","name":"pay"}}"#, "name"),
    ] {
        let error = refused(text);
        assert!(error.starts_with(&format!("duplicate field `{key}`")), "{text}: {error}");
    }
}

/// Arguments that a model wrote as text and that hold no JSON object.
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
        let start = "the arguments of a call of \"pay\" are no JSON object: ";
        assert!(error.to_string().starts_with(start), "{error}");
    }
    let repeated = ToolCall::from_openai("pay", r#"{"k":1,"k":2}"#).unwrap_err().to_string();
    assert!(repeated.contains("duplicate field `k`"), "{repeated}");
    for none in ["", " \n", "null", "{}"] {
        assert_eq!(ToolCall::from_openai("pay", none), Ok(bare("pay")));
    }
}
