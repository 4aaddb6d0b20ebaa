use std::collections::BTreeMap;

use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::{Json, fields},
    error::Error,
    formats::{
        chat::messages::{ToolResult, content, word},
        token_counts::{Counts, Dialect},
    },
    values::{
        run::{Reply, Usage},
        time::seconds_of,
    },
};

/// One line of a session, in either form.
#[derive(Default)]
pub(crate) struct Line {
    pub(crate) kind: String,
    pub(crate) subtype: Option<String>,
    pub(crate) session: Option<String>,
    pub(crate) uuid: Option<String>,
    pub(crate) parent: Option<String>,
    /// The subagent that the line belongs to: its id, or the call that started it in the printed form.
    pub(crate) agent: Option<String>,
    pub(crate) caller: Option<String>,
    pub(crate) agent_type: Option<String>,
    pub(crate) is_sidechain: bool,
    pub(crate) time: Option<f64>,
    pub(crate) version: Option<String>,
    /// The error of a call of the provider.
    pub(crate) error: Option<String>,
    pub(crate) is_error: bool,
    /// Whether the line holds the summary of a compaction.
    pub(crate) is_summary: bool,
    /// Whether the line is copied from another session.
    pub(crate) is_copied: bool,
    /// The seconds of a compaction.
    pub(crate) compaction: Option<f64>,
    /// The kind of an attachment, and what it says about limits.
    pub(crate) attachment: Option<String>,
    pub(crate) most_turns: Option<f64>,
    pub(crate) budget_usd: Option<f64>,
    pub(crate) message: Option<Message>,
    /// What the program notes about the result of a tool: the agent that it started, and the time.
    pub(crate) started: Option<String>,
    pub(crate) tool_seconds: Option<f64>,
    pub(crate) end: End,
}

/// The message of a line.
#[derive(Default)]
pub(crate) struct Message {
    pub(crate) id: Option<String>,
    pub(crate) model: Option<String>,
    /// Text and calls; its usage is not known to be complete.
    pub(crate) said: Reply,
    pub(crate) results: Vec<ToolResult>,
    pub(crate) is_refusal: bool,
}

/// The end of a printed session.
#[derive(Default)]
pub(crate) struct End {
    pub(crate) seconds: Option<f64>,
    pub(crate) cost_usd: Option<f64>,
    pub(crate) by_model: BTreeMap<String, Usage>,
    pub(crate) reason: Option<String>,
    pub(crate) stop: Option<String>,
    pub(crate) text: Option<String>,
    pub(crate) errors: Vec<String>,
}

/// Reads a line. Lines of other kinds may have values of other types in the same fields, which are passed over.
pub(crate) fn line(json: &mut Json<'_>) -> Result<Line, Error> {
    let mut line = Line::default();
    fields!(|json, field| {
        "type" => line.kind = json.text()?,
        "subtype" => line.subtype = word(json)?,
        "sessionId" | "session_id" => line.session = word(json)?,
        "uuid" => line.uuid = word(json)?,
        "parentUuid" => line.parent = word(json)?,
        "agentId" => line.agent = word(json)?,
        "parent_tool_use_id" => line.caller = word(json)?,
        "attributionAgent" | "subagent_type" => line.agent_type = word(json)?,
        "isSidechain" if json.token()? == b't' => line.is_sidechain = json.boolean()?,
        "timestamp" => line.time = word(json)?.and_then(|time| seconds_of(&time)),
        "version" | "claude_code_version" => line.version = word(json)?,
        "error" => line.error = error(json)?,
        "isApiErrorMessage" | "is_error" if matches!(json.token()?, b't' | b'f') => {
            line.is_error = json.boolean()?;
        },
        "isCompactSummary" if json.token()? == b't' => line.is_summary = json.boolean()?,
        "forkedFrom" => {
            line.is_copied = json.token()? != b'n';
            json.skip()?;
        },
        "compactMetadata" | "compact_metadata" if json.token()? == b'{' => fields!(given |json| {
            "durationMs" | "duration_ms" => line.compaction = Some(json.amount()? / 1000.0),
        })?,
        "attachment" if json.token()? == b'{' => fields!(given |json| {
            "type" => line.attachment = word(json)?,
            "maxTurns" if json.token()?.is_ascii_digit() => {
                line.most_turns = Some(json.count()? as f64);
            },
            "total" => line.budget_usd = json.amount_or_other()?,
        })?,
        "message" if json.token()? == b'{' => line.message = Some(message(json)?),
        "toolUseResult" | "tool_use_result" if json.token()? == b'{' => {
            fields!(given |json| {
                "agentId" => line.started = word(json)?,
                "totalDurationMs" | "durationMs" if json.token()?.is_ascii_digit() => {
                    line.tool_seconds = Some(json.amount()? / 1000.0);
                },
                "durationSeconds" if json.token()?.is_ascii_digit() => {
                    line.tool_seconds = Some(json.amount()?);
                },
            })?;
        },
        "duration_ms" => line.end.seconds = json.amount_or_other()?.map(|time| time / 1000.0),
        "total_cost_usd" => line.end.cost_usd = json.amount_or_other()?,
        "modelUsage" if json.token()? == b'{' => line.end.by_model = json.entries(model_usage)?,
        "terminal_reason" => line.end.reason = word(json)?,
        "stop_reason" => line.end.stop = word(json)?,
        "result" => line.end.text = word(json)?,
        "errors" if json.token()? == b'[' => json.list(|json| {
            line.end.errors.extend(word(json)?);
            Ok(())
        })?,
    })?;
    Ok(line)
}

/// Reads the error of a call: a word, or an object with a message, which may be in another error.
fn error(json: &mut Json<'_>) -> Result<Option<String>, Error> {
    let (mut value, mut text) = (json.value()?, None);
    while let Value::Map(mut fields) = value {
        if let Some(Value::Text(message)) = fields.remove("message") {
            text = Some(message);
        }
        value = fields.remove("error").unwrap_or_default();
    }
    Ok(if let Value::Text(word) = value { Some(word) } else { text })
}

fn message(json: &mut Json<'_>) -> Result<Message, Error> {
    let (mut message, mut stop, mut counts) = (Message::default(), None, None);
    let (mut said, mut id) = (Reply::default(), None);
    fields!(given |json| {
        "id" => id = word(json)?,
        "model" => message.model = word(json)?,
        "content" => (said, message.results) = content(json)?,
        "stop_reason" => stop = word(json)?,
        "usage" if json.token()? == b'{' => counts = Some(Counts::read(json)?),
    })?;
    message.is_refusal = stop.as_deref() == Some("refusal");
    said.stop = stop.map(Into::into);
    said.usage =
        counts.map(|counts| stated(counts.usage(Dialect::CacheBeside), said.stop.is_some()));
    Ok(Message { id, said, ..message })
}

/// Returns the usage without its placeholders.
///
/// A line that is written before the reply is complete has the counts of the start of the stream: the output is a placeholder, and
/// the input without a cache may be 0 or 1. No prompt is empty. Source: anthropics/claude-code issues 22686 and 28197.
fn stated(usage: Usage, is_complete: bool) -> Usage {
    let cache =
        usage.cached_tokens.unwrap_or(0).saturating_add(usage.cache_write_tokens.unwrap_or(0));
    let is_input = |input: &u64| *input > 1 && (is_complete || input.saturating_sub(cache) > 1);
    let input_tokens = usage.input_tokens.filter(is_input);
    let [output_tokens, reasoning_tokens] =
        [usage.output_tokens, usage.reasoning_tokens].map(|count| count.filter(|_| is_complete));
    Usage { input_tokens, output_tokens, reasoning_tokens, ..usage }
}

/// Reads the usage of a model in the end of a printed session.
fn model_usage(json: &mut Json<'_>) -> Result<Usage, Error> {
    let mut usage = Usage::default();
    let mut input = None;
    fields!(given |json| {
        "inputTokens" => input = Some(json.count()?),
        "outputTokens" => usage.output_tokens = Some(json.count()?),
        "cacheReadInputTokens" => usage.cached_tokens = Some(json.count()?),
        "cacheCreationInputTokens" => usage.cache_write_tokens = Some(json.count()?),
        "costUSD" => usage.cost_usd = Some(json.amount()?),
    })?;
    let cache = [usage.cached_tokens, usage.cache_write_tokens];
    let whole =
        |input: u64| cache.iter().flatten().try_fold(input, |sum, part| sum.checked_add(*part));
    usage.input_tokens = input.and_then(whole);
    Ok(usage)
}
