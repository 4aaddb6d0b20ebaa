//! Recorded exchanges and conversations: their forms, what is data and what is an error.

use std::io::Cursor;

use censoring::StopReason;
use run_logs::{Arguments, Format, Problem, ReadLimits, ReadOptions, Role, Run, Usage, read};
use trajectory_metrics::tool_calls::Value;

use crate::common::{all, fault, limited, reply, runs, too_large, with_requests};

/// The line, the field path and the problem of the only error.
fn refusal(text: &str) -> (Option<u64>, String, Problem) {
    let (place, problem) = fault(all(text, Format::Exchanges, &ReadOptions::default()));
    (place.line, place.field, problem)
}

const EXCHANGE: &str = r#"{"id": 7, "task": "sums", "trial": 2, "outcome": true, "stop": "max_steps", "horizon": 9,
    "turns": [
        {"request": {"messages": [{"role": "user", "content": "What is 1 + 1?"}], "tools": [{"deep": [[[]]]}]},
         "response": {"id": "r1", "model": "m", "choices": [{"finish_reason": "tool_calls", "message": {"content": null,
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "add", "arguments": "{\"a\": 1, \"b\": 1}"}}]}}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5, "cost": 0.25}}},
        {"request": {}, "response": null, "error": {"message": "timeout"}},
        {"response": {"model": "m", "choices": [{"index": 0, "message": {"content": [{"type": "text", "text": "It is "}, {"type": "text", "text": "2."}]},
            "finish_reason": "length"}], "usage": {"prompt_tokens": 20, "completion_tokens": 3, "cost": 0.5}}}
    ]}"#;

#[test]
fn an_exchange_keeps_task_outcome_stop_calls_and_usage() {
    let [run] = <[Run; 1]>::try_from(runs(EXCHANGE)).unwrap();
    assert_eq!((run.id.as_str(), run.task.as_deref(), run.trial), ("7", Some("sums"), Some(2)));
    assert_eq!((run.outcome, run.horizon), (Some(true), Some(9)));
    assert_eq!((run.stop, run.model.as_deref()), (Some(StopReason::MaxSteps), Some("m")));
    let [called, failed, last] = run.turns.as_slice() else { panic!("{:?}", run.turns) };
    let call = &called.reply.as_ref().unwrap().tool_calls[0];
    assert_eq!((call.name.as_str(), call.id.as_deref()), ("add", Some("c1")));
    assert_eq!(call.written.as_deref(), Some(r#"{"a": 1, "b": 1}"#));
    let fields = [("a".to_owned(), Value::Integer(1)), ("b".to_owned(), Value::Integer(1))];
    assert_eq!(call.arguments, Arguments::Parsed(Value::Map(fields.into())));
    assert_eq!((failed.reply.is_none(), failed.error.as_deref()), (true, Some("timeout")));
    let reply = last.reply.as_ref().unwrap();
    assert_eq!((reply.text.as_str(), &reply.stop), ("It is 2.", &Some(StopReason::MaxTokens)));
    // A call of unknown usage makes the sum unknown.
    assert_eq!(run.usage, Usage::default());
    assert_eq!(reply.usage.as_ref().unwrap().cost_usd, Some(0.5));
}

#[test]
fn requests_are_kept_if_they_are_asked_for() {
    let runs = all(EXCHANGE, Format::Auto, &with_requests()).unwrap();
    let [question] = runs[0].turns[0].request.as_slice() else { panic!("{:?}", runs[0].turns) };
    assert_eq!((question.role, question.text.as_str()), (Role::User, "What is 1 + 1?"));
    assert!(crate::common::runs(EXCHANGE)[0].turns[0].request.is_empty());
}

#[test]
fn the_form_of_the_file_does_not_matter() {
    let line = r#"{"id": "a", "turns": [{"response": {"choices": []}}]}"#;
    for text in [
        format!("{line}\n{line}\n"),
        format!("\u{feff}\n\n{line}\n\n{line}"),
        format!("[{line},\n{line}]"),
        format!("{line} {line}"),
    ] {
        let runs = runs(&text);
        assert_eq!(runs.len(), 2, "{text}");
        assert!(runs.iter().all(|run| run.id == "a" && run.turns.len() == 1));
        assert_eq!(runs[0].turns[0].error.as_deref(), Some("the log has no reply"));
    }
}

#[test]
fn single_exchanges_and_envelopes_are_runs_of_one_turn() {
    let body =
        r#"{"id": "r1", "object": "chat.completion", "choices": [{"message": {"content": "hi"}}]}"#;
    for (text, id, format) in [
        (body.to_owned(), "r1", Format::OpenAiChat),
        (format!(r#"{{"id": "x", "request": {{}}, "response": {body}}}"#), "x", Format::Exchanges),
        (
            format!(
                r#"{{"id": "batch_1", "custom_id": "mine", "response": {{"status_code": 200, "body": {body}}}, "error": null}}"#
            ),
            "mine",
            Format::OpenAiChat,
        ),
    ] {
        let read = read(Cursor::new(text.as_bytes()), Format::Auto, &ReadOptions::default());
        let read = read.unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(read.format(), format, "{text}");
        let runs = read.collect::<Result<Vec<_>, _>>().unwrap();
        assert_eq!(runs[0].id, id);
        assert_eq!(reply(&runs[0], 0).text, "hi");
    }
}

#[test]
fn a_conversation_has_a_turn_for_each_message_of_the_model() {
    let text = r#"{"messages": [
        {"role": "developer", "content": "Be brief."}, {"role": "user", "content": ["a", {"type": "text", "text": "b"}, {"type": "image_url", "image_url": {}}]},
        {"role": "assistant", "content": null, "function_call": {"name": "old", "arguments": "{"}},
        {"role": "tool", "tool_call_id": "c", "content": "x"},
        {"role": "assistant", "content": "done", "refusal": "no"}]}"#;
    let runs = all(text, Format::Auto, &with_requests()).unwrap();
    let [first, second] = runs[0].turns.as_slice() else { panic!("{runs:?}") };
    let call = &first.reply.as_ref().unwrap().tool_calls[0];
    assert_eq!(call.name, "old");
    assert!(matches!(&call.arguments, Arguments::Unparsed { text, .. } if text == "{"));
    assert_eq!(first.request.len(), 2);
    assert_eq!(first.request[1].text, "ab");
    assert_eq!(second.request[3].tool_call_id.as_deref(), Some("c"));
    assert_eq!(second.reply.as_ref().unwrap().refusal.as_deref(), Some("no"));
    assert_eq!(runs[0].id, "1");
}

#[test]
fn an_error_names_the_line_and_the_path_of_the_field() {
    let good = r#"{"id": "a", "turns": []}"#;
    let token = |inner: &str| {
        format!(
            r#"{{"id": "b", "turns": [{{}}, {{"response": {{"choices": [{{"logprobs": {{"content": [{{"token": "a", "logprob": -1}}, {inner}]}}}}]}}}}]}}"#
        )
    };
    let path = |field: &str| format!("turns[1].response.choices[0].logprobs.content[1]{field}");
    let ty = |expected, found| Problem::Type { expected, found };
    for (line, field, problem) in [
        (r#"{"id": "b", "turns": {}}"#.to_owned(), "turns".to_owned(), ty("a list", "an object")),
        (
            r#"{"id": "b", "outcome": "yes"}"#.to_owned(),
            "outcome".to_owned(),
            ty("true, false, null or a number", "something else"),
        ),
        (r#"{"id": "b"}"#.to_owned(), "turns".to_owned(), Problem::Missing),
        (
            r#"{"id": "b", "id": "c"}"#.to_owned(),
            "id".to_owned(),
            Problem::DuplicateKey { key: "id".to_owned() },
        ),
        (token(r#"{"token": 5}"#), path(".token"), ty("a string", "a number")),
        (token(r#"{"token": "a"}"#), path(".logprob"), Problem::Missing),
        (token(r#"{"logprob": "x"}"#), path(".logprob"), ty("a number", "a string")),
        (
            token(r#"{"logprob": 1e400}"#),
            path(".logprob"),
            Problem::NumberRange { text: "1e400".to_owned() },
        ),
        (
            token(r#"{"logprob": -1, "bytes": [256]}"#),
            path(".bytes[0]"),
            Problem::Value { value: "256".to_owned(), expected: "a byte, from 0 to 255" },
        ),
        (token(r#"{"token": "\ud800"}"#), path(".token"), Problem::LoneSurrogate),
        (
            token(r#"{"logprob": -1, "top_logprobs": [{"token": "a"}]}"#),
            path(".top_logprobs[0].logprob"),
            Problem::Missing,
        ),
        (
            r#"{"id": "b", "turns": [{"response": {"choices"#.to_owned(),
            "turns[0].response".to_owned(),
            Problem::Truncated,
        ),
    ] {
        let found = refusal(&format!("{good}\n\n{line}"));
        assert_eq!(found, (Some(3), field, problem), "{line}");
    }
}

#[test]
fn arguments_that_are_no_json_are_data_and_a_lone_surrogate_in_the_log_is_an_error() {
    let line = |arguments: &str| {
        format!(
            r#"{{"turns": [{{"response": {{"choices": [{{"message": {{"tool_calls": [{{"function": {{"name": "f", "arguments": {arguments}}}}}]}}}}]}}}}]}}"#
        )
    };
    for text in [r#""{\"a\": \"\\ud800\"}""#, r#""{\"a\": 1e400}""#, r#""{\"a\": 1, \"a\": 2}""#] {
        let runs = runs(line(text));
        let reply = reply(&runs[0], 0);
        assert!(matches!(reply.tool_calls[0].arguments, Arguments::Unparsed { .. }), "{text}");
    }
    for empty in [r#""""#, "null", r#""null""#, "{}"] {
        let runs = runs(line(empty));
        let reply = reply(&runs[0], 0);
        let none = Arguments::Parsed(Value::Map(Default::default()));
        assert_eq!(reply.tool_calls[0].arguments, none, "{empty}");
    }
    let (_, field, problem) = refusal(&line(r#""{\"a\": \"\ud800\"}""#));
    assert_eq!(problem, Problem::LoneSurrogate);
    assert!(field.ends_with("tool_calls[0].function.arguments"), "{field}");
}

#[test]
fn deep_nesting_and_long_strings_are_errors_where_they_are_read_and_where_they_are_not() {
    let deep = "[".repeat(100_000);
    for text in [
        format!(r#"{{"turns": [{{"request": {deep}"#),
        format!(r#"{{"turns": [{{"response": {}"#, r#"{"body": "#.repeat(100_000)),
        format!(r#"{{"other": {deep}"#),
        format!(
            r#"{{"turns": [{{"response": {{"choices": [{{"message": {{"tool_calls": [{{"function": {{"arguments": {deep}"#
        ),
    ] {
        let (_, _, problem) = refusal(&text);
        assert_eq!(problem, Problem::TooDeep { limit: 128 }, "{}", &text[..60]);
    }
    // As text, the depth is the model's and no error of the log.
    let nested = deep + &"]".repeat(100_000);
    let text = format!(
        r#"{{"turns": [{{"response": {{"choices": [{{"message": {{"function_call": {{"name": "f", "arguments": "{nested}"}}}}}}]}}}}]}}"#
    );
    let runs = runs(&text);
    let reply = reply(&runs[0], 0);
    assert!(matches!(reply.tool_calls[0].arguments, Arguments::Unparsed { .. }));

    let options = limited(ReadLimits { max_string: 1_000, ..ReadLimits::default() });
    let long = "x".repeat(1_001);
    let read = |text: &str| all(text, Format::Exchanges, &options).map(|runs| runs.len());
    let kept = format!(
        r#"{{"turns": [{{"response": {{"choices": [{{"message": {{"content": "{long}"}}}}]}}}}]}}"#
    );
    assert_eq!(fault(read(&kept)).1, too_large("a string is longer", 1_000, "bytes"));
    // A string that is not kept is passed over.
    assert_eq!(read(&format!(r#"{{"note": "{long}", "turns": []}}"#)), Ok(1));
}

/// A run of two exchanges in the form of Anthropic's Messages API. The order of the fields of an
/// object has no meaning, so the usage of the second reply comes before what shows its form.
const MESSAGES: &str = r#"{"id": "a", "outcome": true, "turns": [
    {"request": {"system": "Be brief.", "messages": [{"role": "user", "content": "List the files."}]},
     "response": {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": [
        {"type": "thinking", "thinking": "<confidence>0.1</confidence>", "signature": "s"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "text", "text": "ok <confidence>0.8</confidence>"},
        {"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "ls"}},
        {"type": "server_tool_use", "id": "t2", "name": "web_search", "input": {"query": "q"}},
        {"type": "web_search_tool_result", "tool_use_id": "t2", "content": [{"type": "web_search_result", "title": "t"}]}],
      "stop_reason": "tool_use", "stop_sequence": null,
      "usage": {"input_tokens": 12, "cache_creation_input_tokens": 600, "cache_read_input_tokens": 0, "output_tokens": 40,
        "output_tokens_details": {"thinking_tokens": 9}}}},
    {"response": {"usage": {"output_tokens": 5, "cache_creation_input_tokens": null, "cache_read_input_tokens": 612, "input_tokens": 50},
      "stop_reason": "end_turn", "content": [{"type": "text", "text": "Do"}, {"type": "text", "text": "ne."}], "type": "message"}}]}"#;

#[test]
fn a_reply_of_anthropic_keeps_its_text_its_calls_and_its_whole_input() {
    let [run] = <[Run; 1]>::try_from(runs(MESSAGES)).unwrap();
    let [first, second] = run.turns.as_slice() else { panic!("{:?}", run.turns) };
    let reply = first.reply.as_ref().unwrap();
    assert_eq!(reply.text, "ok <confidence>0.8</confidence>");
    let names: Vec<_> = reply.tool_calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(names, ["bash", "web_search"]);
    let command = [("command".to_owned(), Value::Text("ls".to_owned()))];
    assert_eq!(reply.tool_calls[0].arguments, Arguments::Parsed(Value::Map(command.into())));
    assert_eq!(reply.tool_calls[0].id.as_deref(), Some("t1"));
    let usage = reply.usage.as_ref().unwrap();
    assert_eq!((usage.input_tokens, usage.output_tokens), (Some(612), Some(40)));
    assert_eq!((usage.cached_tokens, usage.cache_write_tokens), (Some(0), Some(600)));
    assert_eq!(usage.reasoning_tokens, Some(9));
    let reply = second.reply.as_ref().unwrap();
    assert_eq!((reply.text.as_str(), &reply.stop), ("Done.", &Some(StopReason::Completed)));
    let usage = reply.usage.as_ref().unwrap();
    assert_eq!((usage.input_tokens, usage.cached_tokens), (Some(662), Some(612)));
    assert_eq!(usage.cache_write_tokens, None);
    assert_eq!((run.n_model_calls(), run.usage.input_tokens), (2, Some(1_274)));
    assert_eq!(run.model.as_deref(), Some("claude"));
}

#[test]
fn a_usage_of_the_responses_form_is_not_read_as_anthropics() {
    let text = r#"{"turns": [{"response": {"object": "response", "output": [], "status": "completed",
        "usage": {"input_tokens": 12, "cache_read_input_tokens": 6, "output_tokens": 4}}}]}"#;
    assert_eq!(runs(text)[0].usage.input_tokens, Some(12));
}

#[test]
fn a_reply_of_an_unknown_form_is_an_error_and_no_failed_call() {
    let problem = Problem::Unsupported {
        what: "a reply in none of the forms of OpenAI, Anthropic, Gemini and Ollama",
    };
    for reply in [
        r#"{"generated_text": "hi"}"#,
        r#"{"type": "message", "content": "hi", "usage": {"input_tokens": 5}}"#,
        r#"{"usage": {"input_tokens": 5, "output_tokens": 5}}"#,
        "{}",
    ] {
        let text = format!(r#"{{"id": "b", "turns": [{{"request": {{}}, "response": {reply}}}]}}"#);
        let expected = (Some(1), "turns[0].response".to_owned(), problem.clone());
        assert_eq!(refusal(&text), expected, "{reply}");
        let text = format!(r#"{{"id": "b", "request": {{}}, "response": {reply}}}"#);
        let expected = (Some(1), "response".to_owned(), problem.clone());
        assert_eq!(refusal(&text), expected, "{reply}");
        // With an error beside it, the call failed.
        let text = format!(
            r#"{{"id": "b", "turns": [{{"response": {reply}, "error": "HTTP status 500"}}]}}"#
        );
        assert_eq!(runs(&text)[0].turns[0].error.as_deref(), Some("HTTP status 500"));
    }
    let chunk =
        r#"{"id": "b", "turns": [{"response": {"choices": [{"delta": {"content": "h"}}]}}]}"#;
    let field = "turns[0].response.choices[0].message".to_owned();
    assert_eq!(refusal(chunk), (Some(1), field, Problem::Missing));
}

#[test]
fn a_conversation_of_anthropic_has_calls_and_what_became_of_them() {
    let text = r#"{"model": "claude-x", "messages": [{"role": "user", "content": "Refund A-104."},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Let me see."},
            {"type": "tool_use", "id": "t1", "name": "find", "input": {"order": "A-104"}},
            {"type": "tool_use", "id": "t2", "name": "refund", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t2", "is_error": true, "content": [{"type": "text", "text": "no "}, {"type": "text", "text": "right"}]},
            {"type": "tool_result", "tool_use_id": "t1", "content": "found"}, {"type": "text", "text": "Go on."}]},
        {"role": "assistant", "content": "Done."}]}"#;
    let runs = all(text, Format::Auto, &with_requests()).unwrap();
    assert_eq!(runs[0].model.as_deref(), Some("claude-x"));
    let [first, second] = runs[0].turns.as_slice() else { panic!("{runs:?}") };
    let reply = first.reply.as_ref().unwrap();
    assert_eq!(reply.text, "Let me see.");
    let [find, refund] = reply.tool_calls.as_slice() else { panic!("{reply:?}") };
    assert_eq!((find.name.as_str(), find.ok), ("find", None));
    let wrong = (refund.name.as_str(), refund.ok, refund.error.as_deref());
    assert_eq!(wrong, ("refund", Some(false), Some("no right")));
    let sent: Vec<_> = second.request.iter().map(|m| (m.role.name(), m.text.as_str())).collect();
    let expected = [("user", "Refund A-104."), ("assistant", "Let me see."), ("tool", "no right")];
    assert_eq!(sent[..3], expected);
    assert_eq!(sent[3..], [("tool", "found"), ("user", "Go on.")]);
    assert_eq!(second.request[2].tool_call_id.as_deref(), Some("t2"));
}
