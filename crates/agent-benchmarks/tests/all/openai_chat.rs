//! A policy on the other side of OpenAI's chat format: the same run comes out as without the format.

use crate::policies::{first, play};
use agent_benchmarks::{
    Arguments, Error, Message, RecordedCall, Reply, Request, Role, StopReason, Value,
    costbench::CostBench, openai_chat_body, read_openai_chat,
};
use serde_json::{Value as Json, json};

/// The response of a server that plays a policy.
pub(crate) fn response(reply: &Reply) -> String {
    let calls: Vec<Json> = reply
        .tool_calls
        .iter()
        .map(|call| {
            let arguments = match &call.arguments {
                Arguments::Parsed(value) => run_logs::to_json(value),
                Arguments::Unparsed { text, .. } => text.clone(),
            };
            let function = json!({"name": call.name, "arguments": arguments});
            json!({"id": call.id, "type": "function", "function": function})
        })
        .collect();
    let mut message = json!({"role": "assistant", "content": reply.text});
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    let reason = if reply.tool_calls.is_empty() { "stop" } else { "tool_calls" };
    let mut body = json!({
        "id": "chatcmpl-1", "object": "chat.completion", "model": "policy",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
    });
    if let Some(usage) = &reply.usage {
        body["usage"] = json!({
            "prompt_tokens": usage.input_tokens, "completion_tokens": usage.output_tokens,
        });
    }
    body.to_string()
}

/// Checks what a strict server checks of a body.
pub(crate) fn check(body: &Json, request: &Request) {
    assert_eq!(body["model"], "policy");
    assert_eq!(body["temperature"], 0.0);
    assert_eq!(body["max_tokens"], 16_384);
    let tools = body["tools"].as_array().unwrap();
    assert_eq!(tools.len(), request.tools.len());
    for tool in tools {
        let schema = &tool["function"]["parameters"];
        let properties = schema["properties"].as_object().unwrap();
        let required = schema["required"].as_array().unwrap();
        assert_eq!((schema["type"].as_str(), required.len()), (Some("object"), properties.len()));
        assert!(required.iter().all(|name| properties.contains_key(name.as_str().unwrap())));
    }
    let mut open: Vec<Json> = Vec::new();
    for message in body["messages"].as_array().unwrap() {
        if message["role"] == "tool" {
            let place = open.iter().position(|id| *id == message["tool_call_id"]);
            open.remove(place.expect("each message of a tool answers a call"));
        } else {
            assert!(open.is_empty(), "all calls are answered before anybody else speaks");
        }
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let arguments = call["function"]["arguments"].as_str().unwrap();
            assert!(serde_json::from_str::<Json>(arguments).unwrap().is_object());
            open.push(call["id"].clone());
        }
    }
    assert!(open.is_empty());
}

#[test]
fn a_reply_with_arguments_that_are_no_json_is_read_and_sent_back_as_an_object() {
    let unparsed = Arguments::Unparsed { text: "{\"a".to_owned(), problem: String::new() };
    let wrong = Reply {
        tool_calls: vec![
            RecordedCall::new("Decide_Location_Preference", unparsed),
            RecordedCall::new("x", Arguments::Parsed(Value::List(vec![]))),
        ],
        ..Reply::default()
    };
    let said = response(&wrong);
    let policy = |request: &Request| {
        check(&serde_json::from_str(&openai_chat_body(request, "policy")).unwrap(), request);
        Ok(read_openai_chat(said.as_bytes()).unwrap())
    };
    let record = play(&first(&CostBench::new(2).unwrap()), policy);
    assert_eq!(record.transcript.calls.len(), 20);
    let names: Vec<_> = record.record.events.iter().map(|event| event.event.name()).collect();
    assert_eq!(names[..3], ["invalid_arguments", "unknown_tool", "several_calls"]);
}

#[test]
fn sampling_log_probabilities_and_a_schema_are_asked_for_only_if_they_are_wanted() {
    let request = Request::new(vec![Message::new(Role::System, "Answer.")]);
    let plain: Json = serde_json::from_str(&openai_chat_body(&request, "m")).unwrap();
    assert_eq!(
        plain,
        json!({"model": "m", "messages": [{"role": "system", "content": "Answer."}]})
    );
}

#[test]
fn log_probabilities_refusals_and_reasons_to_stop_are_read() {
    let response = json!({"choices": [{"finish_reason": "length", "message": {
        "role": "assistant", "content": null, "refusal": "No.",
    }, "logprobs": {"content": [{"token": "No", "logprob": -0.5, "top_logprobs": [
        {"token": "No", "logprob": -0.5}, {"token": "Yes", "logprob": -1.0},
    ]}]}}]});
    let reply = read_openai_chat(response.to_string().as_bytes()).unwrap();
    assert_eq!((reply.refusal.as_deref(), reply.stop), (Some("No."), Some(StopReason::MaxTokens)));
    let tokens = reply.tokens.unwrap();
    assert_eq!(tokens.get(0).unwrap().alternative_logprobs, [-0.5, -1.0]);
}

#[test]
fn what_is_no_response_is_an_error() {
    for (text, is_read) in [
        ("", true),
        ("<html>502 Bad Gateway</html>", false),
        ("{\"choices\": [", false),
        ("{\"choices\": []}", true),
        ("{\"error\": {\"message\": \"overloaded\"}}", true),
    ] {
        let error = read_openai_chat(text.as_bytes()).unwrap_err();
        match is_read {
            true => assert!(matches!(error, Error::Invalid { .. }), "{text}: {error:?}"),
            false => assert!(matches!(error, Error::RunLogs(_)), "{text}: {error:?}"),
        }
    }
}
