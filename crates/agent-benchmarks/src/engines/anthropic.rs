use run_logs::Role;
use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::openai_chat::{Identified, arguments, identified, number},
    values::{request::Request, tool_definition::object},
};

/// The maximum number of tokens of a reply if a request does not set it: the format requires a number.
const TOKENS: u64 = 4_096;

/// Returns the fields of a body other than the model.
///
/// The system messages at the beginning become the system prompt. Consecutive messages of one side become one message of several
/// blocks; the results of tools belong to the user's side. Empty texts are left out, because the format refuses them.
pub(crate) fn fields(request: &Request) -> Vec<(&'static str, Option<Value>)> {
    let sampling = &request.sampling;
    let is_system = |role: &Role| *role == Role::System;
    let first = request.messages.iter().take_while(|message| is_system(&message.role));
    let system: Vec<&str> = first.map(|message| message.text.as_str()).collect();
    let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in identified(&request.messages).skip(system.len()) {
        let role = match message.message.role {
            Role::Tool => "user",
            role => role.name(),
        };
        let blocks = blocks(message);
        match messages.last_mut() {
            Some((last, before)) if *last == role => before.extend(blocks),
            _ if blocks.is_empty() => {}
            _ => messages.push((role, blocks)),
        }
    }
    let messages = messages.into_iter().map(|(role, blocks)| {
        object(vec![("role", role.into()), ("content", Value::List(blocks))])
    });
    let tools = request.tools.iter().map(|tool| {
        object(vec![
            ("name", tool.name.as_str().into()),
            ("description", tool.description.as_str().into()),
            ("input_schema", tool.schema()),
        ])
    });
    let tools: Vec<Value> = tools.collect();
    // The format refuses a choice without tools.
    let choice = request.parallel_tool_calls.filter(|_| !tools.is_empty()).map(choice);
    let format = request.response_schema.as_ref().map(|schema| {
        ("format", object(vec![("type", "json_schema".into()), ("schema", schema.clone())]))
    });
    let effort = sampling.reasoning_effort.as_deref().map(|effort| ("effort", effort.into()));
    let output: Vec<_> = format.into_iter().chain(effort).collect();
    vec![
        ("messages", Some(messages.collect::<Vec<_>>().into())),
        ("system", (!system.is_empty()).then(|| system.join("\n\n").into())),
        ("max_tokens", Some(number(sampling.max_output_tokens.unwrap_or(TOKENS)))),
        ("tools", (!tools.is_empty()).then(|| tools.into())),
        ("tool_choice", choice),
        ("output_config", (!output.is_empty()).then(|| object(output))),
    ]
}

/// Returns the choice in which the model decides whether to call tools; if `parallel` is false, it makes only one call at a time.
fn choice(parallel: bool) -> Value {
    object(vec![("type", "auto".into()), ("disable_parallel_tool_use", Value::Bool(!parallel))])
}

fn blocks(Identified { message, calls, answers }: Identified<'_>) -> Vec<Value> {
    let text = message.text.as_str();
    if let Some(id) = answers {
        let kind = "tool_result".into();
        return vec![object(vec![
            ("type", kind),
            ("tool_use_id", id.into()),
            ("content", text.into()),
        ])];
    }
    let said =
        (!text.is_empty()).then(|| object(vec![("type", "text".into()), ("text", text.into())]));
    let calls = calls.iter().map(|(id, call)| {
        object(vec![
            ("type", "tool_use".into()),
            ("id", id.as_str().into()),
            ("name", call.name.as_str().into()),
            ("input", arguments(call)),
        ])
    });
    said.into_iter().chain(calls).collect()
}
