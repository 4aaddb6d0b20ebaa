//! One call in the spellings of several tools is one call, and what differs in one of them differs
//! in all.
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use trajectory_metrics::tool_calls::{
    MatchMode, ToolCall, Value, call_matcher_from_fn, match_calls,
};

/// Values that are easily taken for each other, and values that hold them.
fn arguments() -> impl Strategy<Value = serde_json::Map<String, Json>> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        (-3..4_i64).prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        (u64::MAX - 3..=u64::MAX).prop_map(Json::from),
        any::<f64>()
            .prop_filter("JSON has no others", |real| real.is_finite())
            .prop_map(Json::from),
        prop::sample::select(vec![
            "",
            "null",
            "{}",
            "5",
            "{\"amount\":5}",
            "\"",
            "\\",
            "ü\u{1f600}"
        ])
        .prop_map(Json::from),
        "[a-z\"\\\\{}]{0,6}".prop_map(Json::from),
    ];
    let value = leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Json::from),
            prop::collection::btree_map("[a-c]{0,2}", inner, 0..3)
                .prop_map(|entries| Json::Object(entries.into_iter().collect())),
        ]
    });
    prop::collection::btree_map("[a-z.]{0,6}", value, 0..5)
        .prop_map(|entries| entries.into_iter().collect())
}

/// Our own, OpenAI's in its message and by itself, Anthropic's, LangChain's and that of templates.
fn spellings(name: &str, arguments: &serde_json::Map<String, Json>) -> [Json; 6] {
    let text = serde_json::to_string(arguments).unwrap();
    [
        json!({"name": name, "args": arguments}),
        json!({"id": "c", "type": "function", "function": {"name": name, "arguments": text}}),
        json!({"type": "function_call", "call_id": "c", "name": name, "arguments": text}),
        json!({"type": "tool_use", "id": "c", "name": name, "input": arguments}),
        json!({"name": name, "parameters": arguments}),
        json!({"id": "c", "function": name, "arguments": arguments, "parse_error": null}),
    ]
}

fn read(spelling: &Json) -> ToolCall {
    // Through a text, as a log is read.
    let text = serde_json::to_string(spelling).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Another value than the one given.
fn changed(value: &Json) -> Json {
    match value {
        Json::Null => json!(0),
        Json::Bool(value) => json!(!value),
        Json::Number(number) if number.as_f64() == Some(0.0) => json!(1),
        Json::Number(_) => json!(0),
        Json::String(text) => json!(format!("{text}x")),
        Json::Array(values) => match values.split_last() {
            Some((last, rest)) => {
                let mut values = rest.to_vec();
                values.push(changed(last));
                Json::Array(values)
            }
            None => json!([null]),
        },
        Json::Object(entries) => {
            let mut entries = entries.clone();
            match entries.iter().next().map(|(name, value)| (name.clone(), changed(value))) {
                Some((name, value)) => entries.insert(name, value),
                None => entries.insert("new".to_owned(), Json::Null),
            };
            Json::Object(entries)
        }
    }
}

/// Whether two calls are one, by every way of comparing them.
fn same(a: &ToolCall, b: &ToolCall) -> bool {
    let equal = call_matcher_from_fn(|a: &&ToolCall, b: &&ToolCall| a == b);
    let matched = match_calls(&[a], &[b], &equal).unwrap();
    assert_eq!(matched.is_match(MatchMode::Exact), a == b);
    assert_eq!(a.cmp(b).is_eq(), a == b);
    a == b
}

proptest! {
    #[test]
    fn a_call_is_the_same_in_every_spelling_and_another_if_any_argument_differs(
        name in "[a-z_.-]{1,8}",
        arguments in arguments(),
    ) {
        let spelled = spellings(&name, &arguments);
        let calls = spelled.each_ref().map(read);
        for call in &calls {
            prop_assert!(same(call, &calls[0]), "{:?}", spelled);
            prop_assert!(same(&read(&serde_json::to_value(call).unwrap()), call));
        }
        let text = serde_json::to_string(&arguments).unwrap();
        prop_assert_eq!(&ToolCall::from_openai(name.as_str(), &text).unwrap(), &calls[0]);

        // Each argument changed, each removed, one added, and the name changed.
        let mut others = Vec::new();
        for (key, value) in &arguments {
            let mut other = arguments.clone();
            other.insert(key.clone(), changed(value));
            others.push((name.clone(), other));
            let mut other = arguments.clone();
            other.remove(key);
            others.push((name.clone(), other));
        }
        let mut more = arguments.clone();
        more.insert("a new one".to_owned(), Json::Null);
        others.push((name.clone(), more));
        others.push((format!("{name}x"), arguments));
        for (name, arguments) in others {
            for other in &spellings(&name, &arguments) {
                for (call, spelling) in calls.iter().zip(&spelled) {
                    prop_assert!(!same(&read(other), call), "{} {}", other, spelling);
                }
            }
        }
    }

    #[test]
    fn a_text_that_is_cut_off_equals_no_call_but_itself(arguments in arguments(), at in 1..60_usize) {
        let text = serde_json::to_string(&arguments).unwrap();
        let cut: String = text.chars().take(at.min(text.chars().count() - 1)).collect();
        let whole = ToolCall::from_openai("pay", &text).unwrap();
        let cut_off = read(&json!({"name": "pay", "arguments": cut}));
        prop_assert_eq!(&cut_off.arguments, &Value::from(cut.as_str()));
        prop_assert!(!same(&cut_off, &whole));
        let nested = read(&json!({"function": {"name": "pay", "arguments": cut}}));
        prop_assert!(same(&cut_off, &nested));
        prop_assert!(ToolCall::from_openai("pay", &cut).is_err());
    }
}

fn refusal(text: &str) -> String {
    match serde_json::from_str::<ToolCall>(text) {
        Ok(call) => panic!("{text}: {call:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn arguments_under_an_unknown_key_are_refused_where_the_known_key_holds_none() {
    for none in ["null", "{}", "[]", r#""""#, r#"" ""#, r#""{}""#, r#""null""#, r#""[]""#] {
        for key in ["args", "arguments", "input", "parameters"] {
            for (unknown, value) in
                [("payload", r#"{"amount":5}"#), ("kwargs", r#""{\"amount\":5}""#), ("amount", "5")]
            {
                let starts = format!("unknown field `{unknown}` in a call without arguments");
                for text in [
                    format!(r#"{{"name":"pay","{key}":{none},"{unknown}":{value}}}"#),
                    format!(r#"{{"{unknown}":{value},"name":"pay","{key}":{none}}}"#),
                    format!(r#"{{"name":"pay","note":null,"{unknown}":{value},"{key}":{none}}}"#),
                ] {
                    assert!(refusal(&text).starts_with(&starts), "{text}");
                }
            }
        }
    }
    let nested = r#"{"function":{"name":"pay","arguments":"{}","kwargs":{"amount":5}}}"#;
    assert!(refusal(nested).starts_with("unknown field `function.kwargs`"));
    // What is null holds no arguments, and beside arguments nothing is lost.
    for text in [
        r#"{"name":"look","arguments":{},"parse_error":null}"#,
        r#"{"name":"look","arguments":"","parse_error":null,"view":null}"#,
    ] {
        let call: ToolCall = serde_json::from_str(text).unwrap();
        assert_eq!(call.arguments, Value::Map([].into()), "{text}");
    }
    let beside = r#"{"name":"pay","args":{"amount":5},"payload":{"amount":6},"status":{"a":1}}"#;
    let call: ToolCall = serde_json::from_str(beside).unwrap();
    assert_eq!(call, ToolCall::new("pay", [("amount", 5.into())]));
}

#[test]
fn a_key_that_is_ignored_holds_no_object_or_list_in_a_call_without_arguments() {
    for key in ["id", "call_id", "tool_call_id", "index", "type", "status", "requestor", "ok"] {
        for value in [r#"{"amount":5}"#, "[5]", "{}"] {
            for arguments in ["", r#","args":{}"#] {
                let text = format!(r#"{{"name":"pay","{key}":{value}{arguments}}}"#);
                let error = refusal(&text);
                assert!(error.starts_with(&format!("unknown field `{key}`")), "{text}: {error}");
            }
        }
        let text = format!(r#"{{"name":"look","{key}":"call_1","args":{{}}}}"#);
        assert!(serde_json::from_str::<ToolCall>(&text).is_ok(), "{text}");
    }
}

#[test]
fn a_call_with_very_many_keys_is_read_in_near_linear_time() {
    let keys: String = (0..40_000).map(|key| format!(r#","k{key}":0"#)).collect();
    let start = std::time::Instant::now();
    let call: ToolCall =
        serde_json::from_str(&format!(r#"{{"name":"look","args":{{"at":1}}{keys}}}"#)).unwrap();
    assert_eq!(call, ToolCall::new("look", [("at", 1.into())]));
    // About 0.1 s without optimisation; comparing every pair of keys took more than 10 s.
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}
