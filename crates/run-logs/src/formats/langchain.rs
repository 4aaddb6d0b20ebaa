//! Messages of LangChain and LangGraph.

use std::iter;

use crate::{
    engines::json::reader::{Json, fields},
    error::{Error, Problem},
    format::{About, ReadOptions},
    formats::{
        chat::{
            document::CallsById,
            logprobs::{tokens, tokens_of},
            messages::{CallFields, ToolResult, content},
        },
        copies::usage_of,
        log_reader::{Log, Opened, Reader, Shape},
        token_counts::{Counts, Dialect},
    },
    values::{
        run::{Arguments, Message, RecordedCall, Reply, Role, Run, Turn, Usage},
        tokens::Tokens,
    },
};

/// The reader of conversations.
pub(crate) const READER: Reader = Reader {
    recognizes,
    open: |log: Log<'_>| {
        if !log.shape.is_list || log.shape.has("messages") {
            return log.documents(conversation);
        }
        // Each document is the list of messages of one conversation.
        let (mut json, mut number) = (Json::new(log.source, log.options.limits), 0);
        let mut next = move || {
            number += 1;
            let more = json.next_document()?;
            more.then(|| list(&mut json, number, &log.options)).transpose()
        };
        Ok(Opened::new(log.format, iter::from_fn(move || next().transpose())))
    },
    about: About {
        source: "save `langchain_core.load.dumps(result)`, or the messages' `model_dump()`, one conversation per line",
        reads: "text, calls and their errors, usage, stop reason, log-probabilities if requested",
        lacks: "task and outcome: `--outcomes`; cost: `--prices`; times; which agent of several spoke",
    },
};

/// Returns the role of a message, by its type or the name of its class, such as `AIMessageChunk`.
fn role(name: &str) -> Option<Role> {
    match name.trim_end_matches("Chunk").trim_end_matches("Message") {
        "human" | "Human" => Some(Role::User),
        "ai" | "AI" => Some(Role::Assistant),
        "system" | "System" | "developer" => Some(Role::System),
        "tool" | "Tool" | "function" | "Function" => Some(Role::Tool),
        _ => None,
    }
}

fn recognizes(shape: &Shape) -> bool {
    let in_list = |key| shape.has_key("messages", key);
    let is_typed = shape.text("type").and_then(role).is_some();
    (in_list("lc") && in_list("kwargs"))
        || (in_list("type") && (in_list("content") || in_list("data")) && !in_list("role"))
        || (shape.is_list && shape.has_all(&["lc", "kwargs"]))
        || (shape.is_list && is_typed && (shape.has("content") || shape.has("data")))
}

/// Reads a conversation: an object with messages.
fn conversation(json: &mut Json<'_>, number: u64, options: &ReadOptions) -> Result<Run, Error> {
    let (mut run, mut id, mut thread) = (None, None, None);
    fields!(given |json| {
        "id" if matches!(json.token()?, b'"' | b'0'..=b'9') => id = Some(json.name()?),
        "thread_id" if matches!(json.token()?, b'"' | b'0'..=b'9') => thread = Some(json.name()?),
        "messages" => run = Some(list(json, number, options)?),
    })?;
    let mut run = run.ok_or_else(|| json.error_at("messages", Problem::Missing))?;
    if let Some(id) = id.or(thread).filter(|id| !id.is_empty()) {
        (run.id, run.is_numbered) = (id, false);
    }
    Ok(run)
}

/// Reads the messages of a run, which has its number as id.
fn list(json: &mut Json<'_>, number: u64, options: &ReadOptions) -> Result<Run, Error> {
    let mut run = Run { id: number.to_string(), is_numbered: true, ..Run::default() };
    let (mut seen, mut calls_by_id) = (Vec::<Message>::new(), CallsById::default());
    json.list(|json| {
        let mut read = Read::default();
        read.message(json)?;
        let role = read.role.ok_or_else(|| json.error_at("type", Problem::Missing))?;
        let Read { mut reply, calls, model, call, status, usage, .. } = read;
        if !calls.is_empty() {
            reply.tool_calls = calls;
        }
        let mut message = Message::new(role, reply.text.clone());
        if options.requests {
            message.tool_calls.clone_from(&reply.tool_calls);
        }
        if role == Role::Assistant {
            json.hold(size_of::<Turn>() + seen.iter().map(Message::size).sum::<usize>())?;
            reply.tokens = tokens_of(read.tokens, &reply.text);
            reply.usage = usage;
            run.turns.push(Turn {
                model,
                request: seen.clone(),
                reply: Some(reply),
                ..Turn::default()
            });
        } else if role == Role::Tool {
            let is_error = status.map(|status| status == "error");
            message.tool_call_id.clone_from(&call);
            calls_by_id.note(&mut run.turns, &ToolResult { call, text: reply.text, is_error });
        }
        if options.requests {
            seen.push(message);
        }
        Ok(())
    })?;
    run.model = run.turns.iter().find_map(|turn| turn.model.clone());
    run.usage = usage_of(&run);
    Ok(run)
}

/// A message while it is read.
#[derive(Default)]
struct Read {
    role: Option<Role>,
    reply: Reply,
    calls: Vec<RecordedCall>,
    tokens: Option<Tokens>,
    usage: Option<Usage>,
    model: Option<String>,
    /// The call that a tool answers, and whether it worked.
    call: Option<String>,
    status: Option<String>,
}

impl Read {
    /// Reads a message, whose fields may be inside `kwargs` or `data`.
    fn message(&mut self, json: &mut Json<'_>) -> Result<(), Error> {
        fields!(given |json| {
            "type" | "role" => {
                let kind = json.text()?;
                // A dumped message has the type "constructor"; its class is at the end of its id.
                self.role = role(&kind).or(self.role);
            },
            "id" if json.token()? == b'[' => json.list(|json| {
                self.role = role(&json.text()?).or(self.role);
                Ok(())
            })?,
            "kwargs" | "data" => self.message(json)?,
            "content" => self.reply.text = {
                let (said, _) = content(json)?;
                self.reply.tool_calls = said.tool_calls;
                said.text
            },
            "tool_calls" | "invalid_tool_calls" => json.list(|json| self.call(json))?,
            "usage_metadata" => {
                let cost_usd = self.usage.as_ref().and_then(|usage| usage.cost_usd);
                self.usage = Some(Usage { cost_usd, ..usage(json)? });
            },
            "response_metadata" => self.response(json)?,
            "tool_call_id" => self.call = Some(json.name()?),
            "status" if json.token()? == b'"' => self.status = Some(json.text()?),
        })
    }

    /// Reads a call. One whose arguments could not be read has an error.
    fn call(&mut self, json: &mut Json<'_>) -> Result<(), Error> {
        json.hold(size_of::<RecordedCall>())?;
        let (mut call, mut error, mut kind) = (CallFields::default(), None, None);
        fields!(|json, field| {
            "id" => call.id = json.optional(Json::name)?,
            "error" => error = json.optional(Json::text)?,
            "type" => kind = json.optional(Json::text)?,
            in CallFields::FIELDS => call.field(json, field)?,
        })?;
        let mut call = call.finish(json)?;
        if kind.as_deref() == Some("invalid_tool_call") {
            let problem = error.unwrap_or_else(|| "the arguments are invalid".to_owned());
            if let Some(text) = call.written.take() {
                call.arguments = Arguments::Unparsed { text, problem: problem.clone() };
            }
            (call.ok, call.error) = (Some(false), Some(problem));
        }
        self.calls.push(call);
        Ok(())
    }

    /// Reads the provider's data on its reply.
    fn response(&mut self, json: &mut Json<'_>) -> Result<(), Error> {
        fields!(given |json| {
            "id" if json.token()? == b'"' => self.reply.id = Some(json.text()?),
            "model_name" | "model" if json.token()? == b'"' => self.model = Some(json.text()?),
            "finish_reason" | "stop_reason" | "done_reason" if json.token()? == b'"' => {
                self.reply.stop = Some(json.text()?.into());
            },
            "logprobs" if json.token()? == b'{' => fields!(given |json| {
                "content" => self.tokens = Some(tokens(json)?),
            })?,
            "token_usage" if json.token()? == b'{' => {
                let read = Counts::read(json)?.usage(Dialect::OpenAi);
                let cost_usd = read.cost_usd;
                let usage = self.usage.take().unwrap_or(read);
                self.usage = Some(Usage { cost_usd, ..usage });
            },
        })
    }
}

/// Reads `usage_metadata`.
fn usage(json: &mut Json<'_>) -> Result<Usage, Error> {
    let (mut counts, mut written) = (Counts::default(), None);
    fields!(given |json, field| {
        "input_token_details" => fields!(given |json| {
            "cache_read" => counts.field(json, "cache_read_input_tokens")?,
            // The counts by lifetime replace the count of all writes, which is then 0.
            "cache_creation" | "ephemeral_5m_input_tokens" | "ephemeral_1h_input_tokens" => {
                written = json.count()?.checked_add(written.unwrap_or(0));
            },
        })?,
        "output_token_details" => fields!(given |json| {
            "reasoning" => counts.field(json, "reasoning_tokens")?,
        })?,
        in Counts::FIELDS => counts.field(json, field)?,
    })?;
    Ok(Usage { cache_write_tokens: written, ..counts.usage(Dialect::OpenAi) })
}
