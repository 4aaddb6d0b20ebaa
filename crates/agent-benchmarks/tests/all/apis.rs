//! The formats of servers are those of the official clients, and replies of each mean the same.

use std::{collections::BTreeMap, sync::mpsc};

use agent_benchmarks::{
    Api, Arguments, Error, Message, Parameter, ParameterKind, RecordedCall, Request, Role,
    Sampling, StopReason, ToolDefinition, Value,
    client::{ApiKey, AskError, Client, ClientSettings},
};
use serde_json::{Value as Json, json};

use crate::server::{Served, serve};

fn golden() -> Json {
    serde_json::from_str(include_str!("../golden/apis.json")).unwrap()
}

fn value(json: Json) -> Value {
    serde_json::from_value(json).unwrap()
}

/// The dialogue of the golden file.
fn request() -> Request {
    let call = |id: &str, number| {
        let arguments = Arguments::Parsed(value(json!({"a": number})));
        let mut call = RecordedCall::new("add", arguments);
        call.id = Some(id.to_owned());
        call
    };
    let mut calls = Message::new(Role::Assistant, "");
    calls.tool_calls = vec![call("c1", 12), call("c2", 6)];
    let mut request = Request::new(vec![
        Message::new(Role::System, "Add."),
        Message::new(Role::User, "What is 12 + 6?"),
        calls,
        // The second result says which call it answers, and the first one follows from the order.
        Message::new(Role::Tool, "12"),
        Message {
            tool_call_id: Some("c2".to_owned()),
            ..Message::new(Role::Tool, "There is no such number.")
        },
        Message::new(Role::User, "Go on."),
        Message::new(Role::Assistant, "18"),
        Message::new(Role::User, "Sure?"),
    ]);
    request.tools.push(ToolDefinition {
        name: "add".to_owned(),
        description: "Adds.".to_owned(),
        parameters: vec![Parameter::new("a", "The first number.", ParameterKind::Integer)],
        takes_more: false,
    });
    request.sampling = Sampling {
        temperature: Some(0.5),
        top_p: Some(0.9),
        max_output_tokens: Some(64),
        seed: Some(7),
        reasoning_effort: Some("low".to_owned()),
    };
    request.parallel_tool_calls = Some(false);
    request.top_logprobs = Some(5);
    request.response_schema = Some(value(json!({
        "type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"],
        "additionalProperties": false,
    })));
    request
}

#[test]
fn replies_of_all_formats_mean_the_same() {
    for api in Api::ALL {
        let read = |name: &str| {
            let response = golden()["replies"][api.name()][name].to_string();
            api.read_reply(response.as_bytes()).unwrap()
        };
        let text = read("text");
        assert_eq!((text.text.as_str(), &text.stop), ("18", &Some(StopReason::Completed)), "{api}");
        let usage = text.usage.unwrap();
        let counts = (usage.input_tokens, usage.cached_tokens, usage.output_tokens);
        assert_eq!(counts, (Some(30), Some(10), Some(5)), "{api}");
        if api == Api::OpenAiResponses {
            let tokens = text.tokens.unwrap();
            assert_eq!(tokens.get(0).unwrap().alternative_logprobs, [-0.5, -1.0]);
        }
        let call = read("call");
        let [made] = &call.tool_calls[..] else { panic!("{api}: one call") };
        assert_eq!((made.name.as_str(), made.id.as_deref()), ("add", Some("c1")), "{api}");
        assert_eq!(made.arguments, Arguments::Parsed(value(json!({"a": 12}))), "{api}");
        assert_eq!(read("cut off").stop, Some(StopReason::MaxTokens), "{api}");

        let refused = api.read_reply(br#"{"type": "error", "error": {"message": "overloaded"}}"#);
        assert!(
            matches!(refused, Err(Error::Invalid { problem }) if problem.ends_with(": overloaded")),
            "{api}"
        );
        assert!(matches!(api.read_reply(b"<html>"), Err(Error::RunLogs(_))), "{api}");
    }
}

#[test]
fn a_client_of_each_format_sends_the_headers_of_the_official_one_and_reads_the_reply() {
    for api in Api::ALL {
        let golden = golden();
        let response = golden["replies"][api.name()]["text"].to_string();
        let (said, (send, sent)) = (response.clone(), mpsc::channel());
        let (url, _) = serve(move |asked| {
            send.send(asked).unwrap();
            Served::Json(said.clone())
        });
        let settings = ClientSettings { api, ..ClientSettings::default() };
        let client = Client::new(&url, "m", Some(ApiKey::new("key")), settings).unwrap();
        assert_eq!(client.ask(&request()).unwrap(), response.as_bytes(), "{api}");
        assert_eq!(client.body(&request()), Ok(api.body(&request(), "m")), "{api}");
        let spent = client.spent();
        assert_eq!([spent.input_tokens, spent.output_tokens], [30, 5], "{api}");
        let asked = sent.recv().unwrap();
        let golden = &golden["requests"][api.name()];
        assert_eq!(asked.body, golden["body"], "{api}");
        let first = format!("POST {} ", golden["path"].as_str().unwrap());
        assert!(asked.head.starts_with(&first), "{}", asked.head);
        let keys: BTreeMap<String, String> = serde_json::from_value(golden["key"].clone()).unwrap();
        for (name, value) in keys {
            let found = asked.header(&name).unwrap_or_else(|| panic!("{api}: {name}"));
            assert!(found.eq_ignore_ascii_case(&value), "{api}: {found}");
        }
    }
}

#[test]
fn a_body_takes_fields_that_the_request_does_not_set_and_no_others() {
    let body = |name: &str, max_completion_tokens| {
        let extra_body = BTreeMap::from([(name.to_owned(), Value::Integer(20))]);
        let settings = ClientSettings {
            attempts: 1,
            extra_body,
            max_completion_tokens,
            ..ClientSettings::default()
        };
        let client = Client::new("http://127.0.0.1:9/v1", "m", None, settings).unwrap();
        let refused = client.ask(&request());
        client.body(&request()).inspect_err(|_| assert!(matches!(refused, Err(AskError::Stop(_)))))
    };
    let sent: Json = serde_json::from_str(&body("top_k", true).unwrap()).unwrap();
    assert_eq!((&sent["top_k"], &sent["max_completion_tokens"]), (&json!(20), &json!(64)));
    assert!(sent.get("max_tokens").is_none());
    for name in ["temperature", "model", "stream", "n"] {
        let error = body(name, false).unwrap_err();
        assert!(error.to_string().starts_with(&format!("the extra field {name:?}")), "{error:?}");
    }
}
