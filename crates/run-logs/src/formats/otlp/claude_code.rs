//! Claude Code's telemetry: records of its events, and spans if its tracing is switched on.

use std::collections::HashMap;

use crate::{
    error::Error,
    formats::{
        otlp::{
            attributes::Kind,
            reading::Reading,
            span::{Span, real, text, whole},
            step::{Dialect, NO_DIALECT, Step},
        },
        token_counts::{Counts, Dialect as Rule},
    },
    values::run::{Caller, Reply},
};

pub(crate) const DIALECT: Dialect = Dialect {
    names: &[
        "agent_id",
        "cache_creation_tokens",
        "cache_read_tokens",
        "cost_usd",
        "duration_ms",
        "error",
        "input_tokens",
        "model",
        "output_tokens",
        "query_source",
        "request_id",
        "response",
        "stop_reason",
        "success",
        "tool_input",
        "tool_name",
        "tool_parameters",
        "tool_use_id",
    ],
    read,
    prepare,
    ..NO_DIALECT
};

/// How the names of its spans and records start.
pub(crate) const PREFIX: &str = "claude_code.";

/// A call is both a record and a span: the record has its cost and its purpose. The text of a reply is a record of its own, after
/// that of the call.
fn prepare(spans: &mut [Span]) {
    let is_record = |span: &Span| span.is_event && span.name == "claude_code.api_request";
    if !spans.iter().any(is_record) {
        return;
    }
    let mut calls: HashMap<Option<String>, usize> = HashMap::new();
    for at in 0..spans.len() {
        let Some(span) = spans.get_mut(at) else { continue };
        let source = span.get("query_source").and_then(text);
        match span.name.strip_prefix(PREFIX) {
            Some("api_request") => _ = calls.insert(source, at),
            Some("llm_request" | "tool" | "tool.execution") => span.name = PREFIX.to_owned(),
            Some("assistant_response") => {
                let said = span.attributes.remove("response");
                let call = calls.remove(&source).and_then(|at| spans.get_mut(at));
                if let (Some(call), Some(said)) = (call, said) {
                    call.attributes.insert("response".to_owned(), said);
                }
            }
            _ => {}
        }
    }
}

fn read(span: &Span, step: &mut Step, reading: &mut Reading) -> Result<(), Error> {
    let get = |name: &str| span.get(name).and_then(text);
    let is_own = span.name.starts_with(PREFIX);
    step.kind = match span.name.strip_prefix(PREFIX) {
        Some("api_request" | "api_error" | "llm_request") => Some(Kind::ModelCall),
        Some("tool_result" | "tool" | "tool.execution") => Some(Kind::Tool),
        _ if is_own => None,
        _ => step.kind,
    };
    if !is_own || step.kind.is_none() {
        return Ok(());
    }
    let is_failure = get("success").as_deref() == Some("false") || span.name.ends_with("api_error");
    if is_failure {
        step.error = step.error.take().or(get("error")).or(Some(String::new()));
    }
    let time = span.get("duration_ms").and_then(real).filter(|time| *time >= 0.0);
    step.seconds = time.map(|time| time / 1e3).or(step.seconds);
    if span.is_event
        && let Some(seconds) = step.seconds
    {
        // A record is written at the end.
        step.start = span.start.saturating_sub((seconds * 1e9) as u64);
    }
    if step.kind == Some(Kind::Tool) {
        step.name = get("tool_name");
        step.id = get("tool_use_id").or(step.id.take());
        step.arguments = ["tool_input", "tool_parameters"]
            .iter()
            .find_map(|name| span.get(name))
            .map(|it| reading.arguments(it));
        return Ok(());
    }
    let count = |name: &str| span.get(name).and_then(whole);
    let counts = [
        count("input_tokens"),
        count("output_tokens"),
        None,
        count("cache_read_tokens"),
        count("cache_creation_tokens"),
        None,
    ];
    let cost = span.get("cost_usd").and_then(real).filter(|cost| *cost >= 0.0);
    step.usage = Counts::of(counts, cost).usage(Rule::CacheBeside);
    step.model = get("model").or(step.model.take());
    step.id = get("request_id");
    let agent = get("agent_id").or_else(|| get("agent.name"));
    let source = get("query_source");
    step.caller = match (agent, source.as_deref()) {
        (_, Some(source)) if source == "sdk" || source.starts_with("repl_main_thread") => {
            Some(Caller::Agent)
        }
        (Some(agent), _) => Some(Caller::Subagent(agent)),
        (_, Some(source)) => Some(match source.strip_prefix("agent:") {
            Some(agent) => Caller::Subagent(agent.to_owned()),
            None => Caller::Role(source.to_owned()),
        }),
        (None, None) => None,
    };
    if step.error.is_none() {
        let reply = Reply::from(get("response").unwrap_or_default());
        step.reply = Some(Reply { stop: get("stop_reason").map(Into::into), ..reply });
    }
    Ok(())
}
