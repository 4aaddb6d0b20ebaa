use std::collections::BTreeMap;

use trajectory_metrics::tool_calls::Value;

use crate::{
    error::Error,
    formats::otlp::{reading::Reading, span::text},
    values::run::{Arguments, RecordedCall, Reply},
};

/// Returns the message of a model that a value holds: a text, parts, or content and calls as in a chat.
pub(crate) fn reply(message: &Value, reading: &mut Reading) -> Result<Reply, Error> {
    let Value::Map(fields) = message else { return Ok(text(message).unwrap_or_default().into()) };
    let mut reply = Reply::default();
    for parts in ["parts", "content", "tool_calls"].iter().filter_map(|name| fields.get(*name)) {
        match parts {
            Value::Text(text) => reply.text.push_str(text),
            Value::List(parts) => parts.iter().for_each(|it| part(it, &mut reply, reading)),
            _ => {}
        }
    }
    reply.stop = fields.get("finish_reason").and_then(text).map(Into::into);
    Ok(reply)
}

/// Reads a part of a message. Reasoning is not part of the text.
fn part(part: &Value, reply: &mut Reply, reading: &mut Reading) {
    let Value::Map(fields) = part else { return };
    let get = |map: &BTreeMap<String, Value>, names: &[&str]| {
        names.iter().find_map(|name| map.get(*name)).cloned()
    };
    let function = match fields.get("function") {
        Some(Value::Map(function)) => function,
        _ => fields,
    };
    match fields.get("type").and_then(text).as_deref() {
        Some("text" | "output_text") => {
            let said = get(fields, &["content", "text"]).as_ref().and_then(text);
            reply.text.push_str(&said.unwrap_or_default());
        }
        Some("refusal") => {
            reply.refusal = get(fields, &["content", "refusal"]).as_ref().and_then(text);
        }
        // Some programs leave the type out.
        Some("tool_call" | "tool_use" | "function" | "function_call") | None => {
            let Some(name) = function.get("name").and_then(text) else { return };
            let arguments = get(function, &["arguments", "input", "args"]).unwrap_or(Value::Null);
            let mut call = RecordedCall::new(name, reading.arguments(&arguments));
            if let (Value::Text(text), Arguments::Parsed(_)) = (arguments, &call.arguments) {
                call.written = Some(text);
            }
            call.id = get(fields, &["id", "call_id"]).as_ref().and_then(text);
            reply.tool_calls.push(call);
        }
        _ => {}
    }
}
