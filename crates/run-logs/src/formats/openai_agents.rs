//! Spans of the OpenAI Agents SDK, as its processors get them: a line for each, and one for each trace.

use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::{Json, fields},
    error::Error,
    format::About,
    formats::{
        chat::response::error_text,
        log_reader::Reader,
        otlp::{DIALECTS, span::Span, spans::Spans, traces},
        token_counts::{Counts, Dialect},
    },
    values::time::seconds_of,
};

/// The reader of these spans.
pub(crate) const READER: Reader = Reader {
    recognizes: |shape| {
        let object = shape.text("object");
        object == Some("trace.span") || (object == Some("trace") && shape.has("workflow_name"))
    },
    open: |log| traces::open(log, |source, limits, _| Spans::lines(source, limits, line), DIALECTS),
    about: About {
        source: "a `TracingProcessor` that writes `span.export()` of each span as a line of a file",
        reads: "model calls, usage, tool calls, errors, times, agents",
        lacks: "text of replies, models and stop reasons of the Responses API; task; outcomes: `--outcomes`; cost: `--prices`",
    },
};

/// Reads a line under the names of OpenTelemetry; `None` if it is not a span.
fn line(json: &mut Json<'_>) -> Result<Option<Span>, Error> {
    let (mut span, mut is_span) = (Span::default(), false);
    fields!(given |json| {
        "object" => is_span = json.text()? == "trace.span",
        "id" => span.id = json.text()?,
        "trace_id" => span.trace = json.text()?,
        "parent_id" => span.parent = json.text()?,
        "started_at" => span.start = time(json)?,
        "ended_at" => span.end = time(json)?,
        "span_data" => data(json, &mut span)?,
        "error" => span.error = error_text(json)?,
    })?;
    Ok(is_span.then_some(span))
}

fn data(json: &mut Json<'_>, span: &mut Span) -> Result<(), Error> {
    let (mut kind, mut name, mut input, mut output, mut usage) = (None, None, None, None, None);
    let mut put = |name: &str, value: Value| _ = span.attributes.insert(name.to_owned(), value);
    fields!(given |json| {
        "type" => kind = Some(json.text()?),
        "name" => name = Some(json.value()?),
        "model" => put("gen_ai.response.model", json.value()?),
        "response_id" => put("gen_ai.response.id", json.value()?),
        "input" => input = Some(json.value()?),
        "output" => output = Some(json.value()?),
        "usage" => usage = Some(Counts::read(json)?.usage(Dialect::OpenAi)),
    })?;
    let (operation, name_of, input_of, output_of) = match kind.as_deref() {
        Some("response" | "generation") => ("chat", None, None, Some("gen_ai.output.messages")),
        Some("function") => {
            ("execute_tool", Some("gen_ai.tool.name"), Some("gen_ai.tool.call.arguments"), None)
        }
        Some("agent") => ("invoke_agent", Some("gen_ai.agent.name"), None, None),
        _ => ("other", None, None, None),
    };
    put("gen_ai.operation.name", Value::Text(operation.to_owned()));
    for (name, value) in [(name_of, name), (input_of, input), (output_of, output)] {
        name.zip(value).into_iter().for_each(|(name, value)| put(name, value));
    }
    let usage = usage.filter(|_| operation == "chat").unwrap_or_default();
    for (name, count) in [
        ("gen_ai.usage.input_tokens", usage.input_tokens),
        ("gen_ai.usage.cache_read.input_tokens", usage.cached_tokens),
        ("gen_ai.usage.cache_creation.input_tokens", usage.cache_write_tokens),
        ("gen_ai.usage.output_tokens", usage.output_tokens),
        ("gen_ai.usage.reasoning.output_tokens", usage.reasoning_tokens),
    ] {
        count.into_iter().for_each(|count| put(name, Value::Integer(count.into())));
    }
    Ok(())
}

/// Reads a time as nanoseconds since 1970; the log has microseconds.
fn time(json: &mut Json<'_>) -> Result<u64, Error> {
    let text = json.text()?;
    let seconds = seconds_of(&text).filter(|seconds| (0.0..1e10).contains(seconds));
    seconds.map(|seconds| (seconds * 1e6).round() as u64 * 1_000).ok_or_else(|| {
        let short: String = text.chars().take(40).collect();
        json.wrong_value(short, "a date and time of RFC 3339")
    })
}
