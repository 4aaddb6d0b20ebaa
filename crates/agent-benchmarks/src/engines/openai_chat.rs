use std::collections::VecDeque;

use run_logs::{Arguments, Message, RecordedCall, Role};
use trajectory_metrics::tool_calls::Value;

use crate::values::{request::Request, tool_definition::object};

/// Returns the fields of a body other than the model.
pub(crate) fn fields(request: &Request) -> Vec<(&'static str, Option<Value>)> {
    let sampling = &request.sampling;
    let tools = || request.tools.iter().map(|tool| tool.function()).collect();
    let format = request
        .response_schema
        .as_ref()
        .map(|schema| object(vec![("type", "json_schema".into()), ("json_schema", named(schema))]));
    vec![
        ("messages", Some(identified(&request.messages).map(message).collect::<Vec<_>>().into())),
        ("temperature", sampling.temperature.map(Value::Real)),
        ("top_p", sampling.top_p.map(Value::Real)),
        ("max_tokens", sampling.max_output_tokens.map(number)),
        ("seed", sampling.seed.map(number)),
        ("reasoning_effort", sampling.reasoning_effort.as_deref().map(Value::from)),
        ("logprobs", request.top_logprobs.map(|_| Value::Bool(true))),
        ("top_logprobs", request.top_logprobs.map(|tokens| number(u64::from(tokens)))),
        ("tools", (!request.tools.is_empty()).then(|| Value::List(tools()))),
        ("parallel_tool_calls", request.parallel_tool_calls.map(Value::Bool)),
        ("response_format", format),
    ]
}

/// Returns a schema of replies with its name.
pub(crate) fn named(schema: &Value) -> Value {
    let strict = Value::Bool(true);
    object(vec![("name", "reply".into()), ("strict", strict), ("schema", schema.clone())])
}

fn message(Identified { message, calls, answers }: Identified<'_>) -> Value {
    // Servers differ in whether the content of a message with calls can be null. All of them accept an empty text.
    let content = message.text.as_str().into();
    let mut fields = vec![("role", message.role.name().into()), ("content", content)];
    if !calls.is_empty() {
        let calls = calls.iter().map(|(id, call)| {
            let name = call.name.as_str().into();
            let arguments = written_arguments(call).into();
            let function = object(vec![("name", name), ("arguments", arguments)]);
            let id = id.as_str().into();
            object(vec![("id", id), ("type", "function".into()), ("function", function)])
        });
        fields.push(("tool_calls", Value::List(calls.collect())));
    }
    fields.extend(answers.map(|id| ("tool_call_id", id.into())));
    object(fields)
}

pub(crate) fn number(number: u64) -> Value {
    Value::Integer(i128::from(number))
}

/// A message with the ids of its calls, or with the id of the call that it answers.
pub(crate) struct Identified<'a> {
    pub(crate) message: &'a Message,
    pub(crate) calls: Vec<(String, &'a RecordedCall)>,
    /// The id of the call that a tool's message answers.
    pub(crate) answers: Option<String>,
}

/// Gives ids to calls without one. By default, tool messages answer the calls of the latest model message in their
/// order.
pub(crate) fn identified(messages: &[Message]) -> impl Iterator<Item = Identified<'_>> {
    let mut open: VecDeque<String> = VecDeque::new();
    messages.iter().enumerate().map(move |(place, message)| {
        let id = |position, call: &RecordedCall| {
            call.id.clone().unwrap_or_else(|| format!("call_{place}_{position}"))
        };
        let calls = message.tool_calls.iter().enumerate();
        let calls: Vec<_> = calls.map(|(position, call)| (id(position, call), call)).collect();
        if !calls.is_empty() {
            open = calls.iter().map(|(id, _)| id.clone()).collect();
        }
        let answers = (message.role == Role::Tool).then(|| {
            let next = open.pop_front();
            message.tool_call_id.clone().or(next).unwrap_or_default()
        });
        Identified { message, calls, answers }
    })
}

/// Returns the arguments of a call as an object.
pub(crate) fn arguments(call: &RecordedCall) -> Value {
    match &call.arguments {
        Arguments::Parsed(arguments @ Value::Map(_)) => arguments.clone(),
        Arguments::Parsed(other) => object(vec![("unreadable_arguments", other.clone())]),
        Arguments::Unparsed { text, .. } => {
            object(vec![("unreadable_arguments", text.as_str().into())])
        }
    }
}

/// Returns the text of arguments: the model's own text if it is an object.
pub(crate) fn written_arguments(call: &RecordedCall) -> String {
    match (&call.written, &call.arguments) {
        (Some(written), Arguments::Parsed(Value::Map(_))) => written.clone(),
        _ => run_logs::to_json(&arguments(call)),
    }
}
