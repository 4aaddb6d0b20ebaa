use run_logs::Role;
use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::openai_chat::{Identified, identified, named, number, written_arguments},
    values::{request::Request, tool_definition::object},
};

/// Returns the fields of a body other than the model.
pub(crate) fn fields(request: &Request) -> Vec<(&'static str, Option<Value>)> {
    let sampling = &request.sampling;
    let tools = request.tools.iter().map(|tool| {
        object(vec![
            ("type", "function".into()),
            ("name", tool.name.as_str().into()),
            ("description", tool.description.as_str().into()),
            ("parameters", tool.schema()),
            // A strict function would have to require each of its parameters.
            ("strict", Value::Bool(false)),
        ])
    });
    let tools: Vec<Value> = tools.collect();
    let format = request.response_schema.as_ref().map(|schema| {
        let mut format = named(schema);
        if let Value::Map(fields) = &mut format {
            fields.insert("type".to_owned(), "json_schema".into());
        }
        object(vec![("format", format)])
    });
    let effort = sampling.reasoning_effort.as_deref();
    let logprobs = request.top_logprobs.map(|_| vec!["message.output_text.logprobs".into()]);
    vec![
        ("input", Some(identified(&request.messages).flat_map(items).collect::<Vec<_>>().into())),
        ("store", Some(Value::Bool(false))),
        ("temperature", sampling.temperature.map(Value::Real)),
        ("top_p", sampling.top_p.map(Value::Real)),
        ("max_output_tokens", sampling.max_output_tokens.map(number)),
        ("reasoning", effort.map(|effort| object(vec![("effort", effort.into())]))),
        ("include", logprobs.map(Value::List)),
        ("top_logprobs", request.top_logprobs.map(|tokens| number(u64::from(tokens)))),
        ("tools", (!tools.is_empty()).then(|| tools.into())),
        ("parallel_tool_calls", request.parallel_tool_calls.map(Value::Bool)),
        ("text", format),
    ]
}

/// Returns the items of a message: its text, and each of its calls.
fn items(Identified { message, calls, answers }: Identified<'_>) -> Vec<Value> {
    let text = message.text.as_str();
    if let Some(id) = answers {
        let kind = "function_call_output".into();
        return vec![object(vec![("type", kind), ("call_id", id.into()), ("output", text.into())])];
    }
    let role = if message.role == Role::Tool { "user" } else { message.role.name() };
    let said = object(vec![("role", role.into()), ("content", text.into())]);
    let said = (!text.is_empty() || calls.is_empty()).then_some(said);
    let calls = calls.iter().map(|(id, call)| {
        object(vec![
            ("type", "function_call".into()),
            ("call_id", id.as_str().into()),
            ("name", call.name.as_str().into()),
            ("arguments", written_arguments(call).into()),
        ])
    });
    said.into_iter().chain(calls).collect()
}
