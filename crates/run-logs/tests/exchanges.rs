//! Recorded exchanges and conversations: their forms, what is data and what is an error.
#![allow(clippy::panic, clippy::unwrap_used)]

use std::io::Cursor;

use censoring::StopReason;
use run_logs::{
    Arguments, Error, Format, Problem, ReadLimits, ReadOptions, Role, Run, Usage, read,
};
use trajectory_metrics::tool_calls::Value;

fn with(text: &str, format: Format, options: &ReadOptions) -> Result<Vec<Run>, Error> {
    read(Cursor::new(text.as_bytes()), format, options)?.collect()
}

fn runs(text: &str) -> Vec<Run> {
    with(text, Format::Auto, &ReadOptions::default()).unwrap()
}

/// The line, the field path and the problem of the only error.
fn refusal(text: &str) -> (Option<u64>, String, Problem) {
    match with(text, Format::Exchanges, &ReadOptions::default()) {
        Err(Error::Invalid { place, problem }) => (place.line, place.field.clone(), problem),
        other => panic!("{text}: {other:?}"),
    }
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
    let options = ReadOptions::default().with_requests(true);
    let runs = with(EXCHANGE, Format::Auto, &options).unwrap();
    let [question] = runs[0].turns[0].request.as_slice() else { panic!("{:?}", runs[0].turns) };
    assert_eq!((question.role, question.text.as_str()), (Role::User, "What is 1 + 1?"));
    assert!(self::runs(EXCHANGE)[0].turns[0].request.is_empty());
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
        assert_eq!(runs[0].turns[0].reply.as_ref().unwrap().text, "hi");
    }
}

#[test]
fn a_conversation_has_a_turn_for_each_message_of_the_model() {
    let text = r#"{"messages": [
        {"role": "developer", "content": "Be brief."}, {"role": "user", "content": ["a", {"type": "text", "text": "b"}, {"type": "image_url", "image_url": {}}]},
        {"role": "assistant", "content": null, "function_call": {"name": "old", "arguments": "{"}},
        {"role": "tool", "tool_call_id": "c", "content": "x"},
        {"role": "assistant", "content": "done", "refusal": "no"}]}"#;
    let options = ReadOptions::default().with_requests(true);
    let runs = with(text, Format::Auto, &options).unwrap();
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
            r#"{"id": "b", "outcome": 1}"#.to_owned(),
            "outcome".to_owned(),
            ty("a boolean", "a number"),
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
        let runs = runs(&line(text));
        let reply = runs[0].turns[0].reply.as_ref().unwrap();
        assert!(matches!(reply.tool_calls[0].arguments, Arguments::Unparsed { .. }), "{text}");
    }
    for empty in [r#""""#, "null", r#""null""#, "{}"] {
        let runs = runs(&line(empty));
        let reply = runs[0].turns[0].reply.as_ref().unwrap();
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
    let reply = runs[0].turns[0].reply.as_ref().unwrap();
    assert!(matches!(reply.tool_calls[0].arguments, Arguments::Unparsed { .. }));

    let limits = ReadLimits::default().with_max_string(1_000);
    let options = ReadOptions::default().with_limits(limits);
    let long = "x".repeat(1_001);
    let read = |text: &str| with(text, Format::Exchanges, &options).map(|runs| runs.len());
    let kept = format!(
        r#"{{"turns": [{{"response": {{"choices": [{{"message": {{"content": "{long}"}}}}]}}}}]}}"#
    );
    let error = read(&kept).unwrap_err();
    assert!(
        matches!(&error, Error::Invalid { problem: Problem::StringTooLong { limit: 1_000 }, .. }),
        "{error}"
    );
    // A string that is not kept is passed over.
    assert_eq!(read(&format!(r#"{{"note": "{long}", "turns": []}}"#)), Ok(1));
}

#[test]
fn a_cut_off_file_is_an_error_at_every_byte_and_no_panic() {
    let whole = runs(EXCHANGE).len();
    assert_eq!(whole, 1);
    for end in 1..EXCHANGE.len() {
        let cut = with(&EXCHANGE[..end], Format::Exchanges, &ReadOptions::default());
        assert!(
            matches!(&cut, Err(Error::Invalid { problem: Problem::Truncated, .. })),
            "{end}: {cut:?}"
        );
    }
}
