//! The conventions of OpenInference, which Phoenix and Arize show.

use std::collections::BTreeMap;

use trajectory_metrics::tool_calls::Value;

use crate::{
    error::Error,
    formats::otlp::{
        attributes::Kind,
        reading::Reading,
        span::{Span, text},
        step::{Dialect, NO_DIALECT, Step},
    },
    values::run::{Arguments, RecordedCall, Reply},
};

pub(crate) const DIALECT: Dialect = Dialect {
    names: &["tool.id", "tool_call.id"],
    inputs: &["input.value"],
    outputs: &["output.value", MESSAGES],
    read,
    ..NO_DIALECT
};

/// The messages of a reply, with a number for each and for each of its parts and calls.
const MESSAGES: &str = "llm.output_messages.";

fn read(span: &Span, step: &mut Step, reading: &mut Reading) -> Result<(), Error> {
    if step.kind == Some(Kind::Tool) {
        let id = ["tool_call.id", "tool.id"].iter().find_map(|name| span.get(name));
        step.id = step.id.take().or(id.and_then(text));
    }
    let flat = messages(span, reading);
    // An output of an unknown form is a text without calls.
    let is_bare =
        |it: &Reply| it.tool_calls.is_empty() && it.tokens.is_none() && it.usage.is_none();
    if flat.is_some() && step.reply.as_ref().is_none_or(is_bare) {
        step.reply = flat;
    }
    Ok(())
}

/// Returns the reply that the flat attributes of messages hold together.
fn messages(span: &Span, reading: &mut Reading) -> Option<Reply> {
    let mut texts: BTreeMap<[usize; 2], &str> = BTreeMap::new();
    let mut kinds: BTreeMap<[usize; 2], &str> = BTreeMap::new();
    let mut calls: BTreeMap<[usize; 2], RecordedCall> = BTreeMap::new();
    for (name, value) in span.attributes.range(MESSAGES.to_owned()..) {
        let Some(rest) = name.strip_prefix(MESSAGES) else { break };
        let parts: Vec<&str> = rest.split('.').collect();
        let [message, "message", field, rest @ ..] = parts.as_slice() else { continue };
        let number = |text: &&str| text.parse().unwrap_or(usize::MAX);
        let at = [number(message), rest.first().map_or(0, number)];
        let Value::Text(text) = value else { continue };
        match (*field, rest) {
            ("content", []) => _ = texts.insert(at, text),
            ("contents", [_, "message_content", "text"]) => _ = texts.insert(at, text),
            ("contents", [_, "message_content", "type"]) => _ = kinds.insert(at, text),
            ("tool_calls", [_, "tool_call", part @ ..]) => {
                let new = || RecordedCall::new("", Arguments::default());
                let call = calls.entry(at).or_insert_with(new);
                match part {
                    ["id"] => call.id = Some(text.clone()),
                    ["function", "name"] => call.name.clone_from(text),
                    ["function", "arguments"] => call.arguments = reading.arguments(value),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    if texts.is_empty() && calls.is_empty() {
        return None;
    }
    let is_said = |at: &[usize; 2]| kinds.get(at).is_none_or(|kind| *kind == "text");
    let mut text = String::new();
    for (at, part) in &texts {
        // A message may have its text as a whole and in parts.
        if is_said(at) && !text.ends_with(part) {
            text.push_str(part);
        }
    }
    Some(Reply { text, tool_calls: calls.into_values().collect(), ..Reply::default() })
}
