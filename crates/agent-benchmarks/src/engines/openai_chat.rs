use std::{
    collections::{BTreeMap, VecDeque},
    io::Cursor,
};

use run_logs::{Arguments, Format, Message, ReadOptions, RecordedCall, Reply, Role, read, to_json};
use trajectory_metrics::tool_calls::Value;

use crate::{error::Error, values::request::Request};

/// A request as the JSON body of OpenAI's chat completions, which many servers take.
///
/// Calls without an id get one. Arguments that are not a JSON object are sent as an object with the
/// field `unreadable_arguments`, because many servers refuse a history with other arguments.
///
/// ```
/// use agent_benchmarks::{Message, Request, Role, openai_chat_body};
///
/// let request = Request::new(vec![Message::new(Role::User, "What is 12 + 6?")]);
/// assert_eq!(
///     openai_chat_body(&request, "my-model"),
///     r#"{"messages":[{"content":"What is 12 + 6?","role":"user"}],"model":"my-model"}"#
/// );
/// ```
#[must_use]
pub fn openai_chat_body(request: &Request, model: &str) -> String {
    let mut body = BTreeMap::from([
        ("model".to_owned(), model.into()),
        ("messages".to_owned(), Value::List(messages(&request.messages))),
    ]);
    let mut set = |name: &str, value: Option<Value>| {
        body.extend(value.map(|value| (name.to_owned(), value)));
    };
    let sampling = &request.sampling;
    set("temperature", sampling.temperature.map(Value::Real));
    set("top_p", sampling.top_p.map(Value::Real));
    set("max_tokens", sampling.max_output_tokens.map(number));
    set("seed", sampling.seed.map(number));
    set("logprobs", request.top_logprobs.map(|_| Value::Bool(true)));
    set("top_logprobs", request.top_logprobs.map(|tokens| number(u64::from(tokens))));
    let tools = || request.tools.iter().map(|tool| tool.function()).collect();
    set("tools", (!request.tools.is_empty()).then(|| Value::List(tools())));
    set("parallel_tool_calls", request.parallel_tool_calls.map(Value::Bool));
    let format = request.response_schema.as_ref().map(|schema| {
        let schema = object([
            ("name", "reply".into()),
            ("strict", Value::Bool(true)),
            ("schema", schema.clone()),
        ]);
        object([("type", "json_schema".into()), ("json_schema", schema)])
    });
    set("response_format", format);
    to_json(&Value::Map(body))
}

/// The reply in the JSON of a response of OpenAI's chat completions.
///
/// Of several choices, the first is taken.
///
/// # Errors
///
/// [`Error::RunLogs`] for text that is not such a response, and [`Error::NoReply`] with the server's
/// message for a response without a reply.
///
/// ```
/// use agent_benchmarks::{Error, StopReason, read_openai_chat};
///
/// let response = br#"{"choices": [{"message": {"role": "assistant", "content": "18"},
///     "finish_reason": "stop"}], "usage": {"prompt_tokens": 9, "completion_tokens": 1}}"#;
/// let reply = read_openai_chat(response)?;
/// assert_eq!((reply.text.as_str(), reply.stop), ("18", Some(StopReason::Completed)));
/// assert_eq!(reply.usage.and_then(|usage| usage.total_tokens()), Some(10));
///
/// let error = read_openai_chat(br#"{"error": {"message": "too many requests"}}"#).unwrap_err();
/// assert!(matches!(&error, Error::NoReply { problem } if problem.contains("too many requests")));
/// # Ok::<(), Error>(())
/// ```
pub fn read_openai_chat(response: &[u8]) -> Result<Reply, Error> {
    let mut runs = read(Cursor::new(response), Format::OpenAiChat, &ReadOptions::default())?;
    let run = runs.next().transpose()?.unwrap_or_default();
    let turn = run.turns.into_iter().next().unwrap_or_default();
    turn.reply.ok_or_else(|| {
        let problem = turn.error.or(run.error);
        Error::NoReply { problem: problem.unwrap_or_else(|| "there is no choice".to_owned()) }
    })
}

/// The messages; those of tools answer the calls of the latest message of the model in their order.
fn messages(messages: &[Message]) -> Vec<Value> {
    let mut open: VecDeque<String> = VecDeque::new();
    let messages = messages.iter().enumerate().map(|(place, message)| {
        let mut fields = vec![("role", message.role.name().into())];
        let text = Value::from(message.text.as_str());
        if message.tool_calls.is_empty() {
            fields.push(("content", text));
        } else {
            let calls = message.tool_calls.iter().enumerate();
            let ids = calls.map(|(position, call)| {
                call.id.clone().unwrap_or_else(|| format!("call_{place}_{position}"))
            });
            open = ids.collect();
            let calls = message.tool_calls.iter().zip(&open).map(|(it, id)| call(it, id));
            fields.push(("tool_calls", Value::List(calls.collect())));
            fields.push(("content", if message.text.is_empty() { Value::Null } else { text }));
        }
        if message.role == Role::Tool {
            let answered = open.pop_front();
            let id = message.tool_call_id.clone().or(answered).unwrap_or_default();
            fields.push(("tool_call_id", id.into()));
        }
        Value::Map(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    });
    messages.collect()
}

fn call(call: &RecordedCall, id: &str) -> Value {
    let arguments = match (&call.written, &call.arguments) {
        (Some(written), Arguments::Parsed(Value::Map(_))) => written.clone(),
        (None, Arguments::Parsed(arguments @ Value::Map(_))) => to_json(arguments),
        (_, Arguments::Parsed(other)) => {
            to_json(&object([("unreadable_arguments", other.clone())]))
        }
        (_, Arguments::Unparsed { text, .. }) => {
            to_json(&object([("unreadable_arguments", text.as_str().into())]))
        }
    };
    let function = object([("name", call.name.as_str().into()), ("arguments", arguments.into())]);
    object([("id", id.into()), ("type", "function".into()), ("function", function)])
}

fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Map(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn number(number: u64) -> Value {
    Value::Integer(i128::from(number))
}
