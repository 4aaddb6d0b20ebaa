use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::{Json, fields, named_fields},
    error::Error,
    formats::{
        chat::messages::{CallFields, content, word},
        session_lines::amount,
    },
    values::{
        run::{Arguments, Reply, Usage, number_of, text_of},
        time::seconds_of,
    },
};

/// One line of a rollout. The names of the fields of its kinds do not collide.
#[derive(Default)]
pub(crate) struct Line {
    pub(crate) kind: String,
    pub(crate) time: Option<f64>,
    /// The number of the last item that the model had read: items of one response have the same.
    pub(crate) read_to: Option<u64>,
    pub(crate) payload: Payload,
}

/// The content of a line.
#[derive(Default)]
pub(crate) struct Payload {
    pub(crate) kind: Option<String>,
    pub(crate) id: Option<String>,
    pub(crate) forked_from: Option<String>,
    pub(crate) version: Option<String>,
    /// The name of the subagent, in the head of its file.
    pub(crate) agent: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) turn: Option<String>,
    pub(crate) thread: Option<String>,
    pub(crate) role: Option<String>,
    pub(crate) said: Reply,
    pub(crate) call: CallFields,
    pub(crate) action: Option<Arguments>,
    /// The call that an output or an event belongs to.
    pub(crate) call_id: Option<String>,
    pub(crate) output: Option<Output>,
    pub(crate) item: Item,
    pub(crate) response: Option<String>,
    pub(crate) usage: Option<Usage>,
    pub(crate) total: Option<Usage>,
    pub(crate) last: Option<Usage>,
    pub(crate) reason: Option<String>,
    pub(crate) error: Option<Failure>,
    pub(crate) message: Option<String>,
    pub(crate) token_budget: Option<u64>,
}

/// What the output of a tool says about its success.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Output {
    pub(crate) ok: Option<bool>,
    pub(crate) seconds: Option<f64>,
    /// The start of the text.
    pub(crate) text: String,
}

/// An event about a tool that has ended.
#[derive(Default)]
pub(crate) struct Item {
    pub(crate) kind: Option<String>,
    pub(crate) id: Option<String>,
    pub(crate) ok: Option<bool>,
    pub(crate) seconds: Option<f64>,
    /// The threads that were started.
    pub(crate) started: Vec<String>,
    pub(crate) tool: Option<String>,
}

/// The error that ended a turn.
#[derive(Default)]
pub(crate) struct Failure {
    pub(crate) message: Option<String>,
    pub(crate) kind: Option<String>,
}

/// Reads a line.
pub(crate) fn line(json: &mut Json<'_>) -> Result<Line, Error> {
    let mut line = Line::default();
    fields!(|json, field| {
        "type" => line.kind = json.text()?,
        "timestamp" => line.time = word(json)?.and_then(|time| seconds_of(&time)),
        "payload" if json.token()? == b'{' => line.payload = payload(json)?,
        "metadata" if json.token()? == b'{' => fields!(given |json| {
            "sampled_through_sequence" => line.read_to = Some(json.count()?),
        })?,
    })?;
    Ok(line)
}

fn payload(json: &mut Json<'_>) -> Result<Payload, Error> {
    let mut payload = Payload::default();
    let (mut started, mut completed) = (None, None);
    fields!(|json, field| {
        "type" => payload.kind = word(json)?,
        "id" => payload.id = word(json)?,
        "forked_from_id" => payload.forked_from = word(json)?,
        "cli_version" => payload.version = word(json)?,
        "source" if json.token()? == b'{' => payload.agent = source(json)?,
        "model" => payload.model = word(json)?,
        "turn_id" => payload.turn = word(json)?,
        "thread_id" => payload.thread = word(json)?,
        "role" => payload.role = word(json)?,
        "content" if matches!(json.token()?, b'[' | b'"') => payload.said = content(json)?.0,
        "name" if json.token()? == b'"' => payload.call.field(json, field)?,
        "arguments" | "input" if json.token()? == b'"' => payload.call.field(json, field)?,
        "action" if json.token()? == b'{' => payload.action = Some(Arguments::Parsed(json.value()?)),
        "call_id" => payload.call_id = word(json)?,
        "output" => payload.output = Some(output(json)?),
        "item" if json.token()? == b'{' => payload.item = item(json)?,
        "exit_code" | "success" | "duration" | "status" | "result" => payload.item.field(json, field)?,
        "started_at_ms" if json.token()?.is_ascii_digit() => started = Some(json.amount()?),
        "completed_at_ms" if json.token()?.is_ascii_digit() => completed = Some(json.amount()?),
        "response_id" => payload.response = word(json)?,
        "usage" if json.token()? == b'{' => payload.usage = Some(usage(json)?),
        "info" if json.token()? == b'{' => fields!(given |json| {
            "total_token_usage" => payload.total = Some(usage(json)?),
            "last_token_usage" => payload.last = Some(usage(json)?),
        })?,
        "reason" => payload.reason = word(json)?,
        "error" if json.token()? == b'{' => payload.error = Some(failure(json)?),
        "message" => payload.message = word(json)?,
        "goal" if json.token()? == b'{' => fields!(given |json| {
            "token_budget" | "tokenBudget" => payload.token_budget = Some(json.count()?),
        })?,
    })?;
    if payload.item.seconds.is_none() {
        let between = completed.zip(started).map(|(end, start)| (end - start) / 1000.0);
        payload.item.seconds = between.and_then(amount);
    }
    Ok(payload)
}

/// Reads where a thread comes from: the name of the subagent, if it is one.
fn source(json: &mut Json<'_>) -> Result<Option<String>, Error> {
    let mut name = None;
    fields!(|json| {
        "subagent" if json.token()? != b'{' => name = word(json)?,
        "subagent" => fields!(|json| {
            "thread_spawn" if json.token()? == b'{' => {
                let (mut role, mut nickname) = (None, None);
                fields!(|json| {
                    "agent_role" => role = word(json)?,
                    "agent_nickname" => nickname = word(json)?,
                })?;
                name = role.or(nickname).or_else(|| Some("subagent".to_owned()));
            },
            "other" => name = word(json)?,
        })?,
    })?;
    Ok(name)
}

/// Reads counts: cached tokens are part of the input, and reasoning is part of the output.
fn usage(json: &mut Json<'_>) -> Result<Usage, Error> {
    let mut usage = Usage::default();
    fields!(given |json| {
        "input_tokens" => usage.input_tokens = Some(json.count()?),
        "cached_input_tokens" => usage.cached_tokens = Some(json.count()?),
        "cache_write_input_tokens" => usage.cache_write_tokens = Some(json.count()?),
        "output_tokens" => usage.output_tokens = Some(json.count()?),
        "reasoning_output_tokens" => usage.reasoning_tokens = Some(json.count()?),
    })?;
    Ok(usage)
}

fn failure(json: &mut Json<'_>) -> Result<Failure, Error> {
    let mut failure = Failure::default();
    fields!(|json| {
        "message" => failure.message = word(json)?,
        "codex_error_info" if json.token()? == b'{' => json.map(|json, key| {
            failure.kind = Some(key);
            json.skip()
        })?,
        "codex_error_info" => failure.kind = word(json)?,
    })?;
    Ok(failure)
}

fn item(json: &mut Json<'_>) -> Result<Item, Error> {
    let mut item = Item::default();
    fields!(|json, field| {
        "type" => item.kind = word(json)?,
        "id" => item.id = word(json)?,
        "tool" => item.tool = word(json)?,
        "receiver_thread_ids" if json.token()? == b'[' => item.started = json.list_of(Json::text)?,
        in Item::FIELDS => item.field(json, field)?,
    })?;
    Ok(item)
}

impl Item {
    named_fields! {
        /// Reads how a tool ended.
        const FIELDS, fn field(&mut self, json: &mut Json<'_>, field: &str), |json, field| {
            "exit_code" if json.token()? == b'-' || json.token()?.is_ascii_digit() => {
                self.ok = Some(json.real()? == 0.0);
            },
            "success" if matches!(json.token()?, b't' | b'f') => self.ok = Some(json.boolean()?),
            "status" => {
                let status = word(json)?;
                self.ok = self.ok.or(match status.as_deref() {
                    Some("completed") => Some(true),
                    Some("failed" | "declined") => Some(false),
                    _ => None,
                });
            },
            "result" if json.token()? == b'{' => fields!(|json| {
                "Ok" => {
                    json.skip()?;
                    self.ok = Some(true);
                },
                "Err" => {
                    json.skip()?;
                    self.ok = Some(false);
                },
            })?,
            "duration" if json.token()? == b'{' => {
                let mut seconds = 0.0;
                fields!(given |json| {
                    "secs" => seconds += json.amount()?,
                    "nanos" => seconds += json.amount()? / 1e9,
                })?;
                self.seconds = amount(seconds);
            },
        }
    }
}

/// Reads the output of a tool: text, parts, or an object with them.
fn output(json: &mut Json<'_>) -> Result<Output, Error> {
    let mut text = String::new();
    let mut success = None;
    match json.token()? {
        b'"' | b'[' => text = content(json)?.0.text,
        b'{' => fields!(|json| {
            "content" | "output" if json.token()? == b'"' => text = json.text()?,
            "success" if matches!(json.token()?, b't' | b'f') => success = Some(json.boolean()?),
        })?,
        _ => json.skip()?,
    }
    let output = output_of(&text, json);
    Ok(Output { ok: success.or(output.ok), ..output })
}

/// Returns the facts in the text of an output: the exit code of a command and its time, in the words of several versions.
fn output_of(text: &str, json: &Json<'_>) -> Output {
    let short = |text: &str| text.chars().take(500).collect();
    if let Arguments::Parsed(Value::Map(fields)) =
        Arguments::from_text(text.to_owned(), json.limits)
        && let Some(Value::Map(about)) = fields.get("metadata")
    {
        let number = |name| about.get(name).and_then(number_of);
        let text = fields.get("output").and_then(text_of).map(short).unwrap_or_default();
        let ok = number("exit_code").map(|code| code == 0.0);
        return Output { ok, seconds: number("duration_seconds").and_then(amount), text };
    }
    let before = text.split("\nOutput:").next().unwrap_or_default();
    let after = |name: &str| before.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let code = after("Process exited with code ").or_else(|| after("Exit code: "));
    let is_refused = [
        "unsupported call: ",
        "unsupported custom tool call: ",
        "failed to parse function arguments: ",
    ]
    .iter()
    .any(|start| text.starts_with(start));
    let ok = code.and_then(|code| code.parse().ok()).map(|code: i64| code == 0);
    let seconds = after("Wall time: ").and_then(|time| time.strip_suffix(" seconds")?.parse().ok());
    let seconds = seconds.and_then(amount);
    Output { ok: ok.or(is_refused.then_some(false)), seconds, text: short(text) }
}
