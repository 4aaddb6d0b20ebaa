use std::collections::BTreeMap;

use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::{Json, fields},
    error::{Error, Problem},
    formats::{
        chat::logprobs,
        counts::{Counts, Dialect},
    },
    values::run::{Arguments, Message, RecordedCall, Reply, Role, Usage},
};

/// A message before references to attachments are resolved: each part of its text may be a reference.
pub(crate) struct Parts {
    pub(crate) texts: Vec<String>,
    pub(crate) message: Message,
}

/// Reads a message.
pub(crate) fn message(json: &mut Json<'_>) -> Result<Parts, Error> {
    let mut texts = Vec::new();
    let mut message = Message::new(Role::Assistant, "");
    fields!(|json| {
        "role" => message.role = role(json)?,
        "content" => content(json, &mut texts)?,
        "tool_calls" => {
            let calls = json.optional(|json| json.list_of(call))?;
            message.tool_calls = calls.unwrap_or_default();
        },
        "tool_call_id" => message.tool_call_id = json.optional(Json::name)?,
    })?;
    Ok(Parts { texts, message })
}

fn role(json: &mut Json<'_>) -> Result<Role, Error> {
    json.word("system, developer, user, assistant or tool", |word| match word {
        "system" | "developer" => Some(Role::System),
        "user" => Some(Role::User),
        "assistant" => Some(Role::Assistant),
        "tool" => Some(Role::Tool),
        _ => None,
    })
}

/// Reads the content of a message: a text, or a list of parts, of which the text parts are kept.
fn content(json: &mut Json<'_>, texts: &mut Vec<String>) -> Result<(), Error> {
    match json.token()? {
        b'[' => json.list(|json| {
            if json.token()? == b'"' {
                texts.push(json.text()?);
                return Ok(());
            }
            let (mut is_text, mut text) = (false, None);
            fields!(|json| {
                "type" => is_text = json.text()? == "text",
                "text" => text = json.optional(Json::text)?,
            })?;
            texts.extend(text.filter(|_| is_text));
            Ok(())
        }),
        b'n' => json.null().map(drop),
        _ => {
            texts.push(json.text()?);
            Ok(())
        }
    }
}

/// Reads a call. A call whose arguments could not be parsed has failed; its arguments are taken from the log, usually the text
/// under the name of the tool.
fn call(json: &mut Json<'_>) -> Result<RecordedCall, Error> {
    let (mut id, mut name, mut problem) = (None, None, None);
    let mut arguments = Value::Map(BTreeMap::new());
    fields!(|json| {
        "id" => id = json.optional(Json::name)?,
        "function" => name = Some(json.text()?),
        "arguments" => {
            arguments = json.optional(Json::value)?.unwrap_or(Value::Map(BTreeMap::new()));
        },
        "parse_error" => problem = json.optional(Json::text)?,
    })?;
    let name = name.ok_or_else(|| json.error_at("function", Problem::Missing))?;
    let mut call = RecordedCall::new(name, Arguments::Parsed(arguments));
    call.id = id;
    call.ok = problem.as_ref().map(|_| false);
    call.error = problem;
    Ok(call)
}

/// The output of a model call before references to attachments are resolved.
#[derive(Default)]
pub(crate) struct Output {
    /// The parts of the reply's text.
    pub(crate) texts: Vec<String>,
    /// The reply without its text; `None` without a choice.
    pub(crate) reply: Option<Reply>,
}

/// Reads an output; of several choices, the first.
pub(crate) fn output(json: &mut Json<'_>) -> Result<Output, Error> {
    let mut output = Output::default();
    let mut used = None;
    fields!(given |json| {
        "choices" => json.list(|json| match output.reply {
            Some(_) => json.skip(),
            None => choice(json, &mut output),
        })?,
        "usage" => used = Some(usage(json)?),
    })?;
    if let Some(reply) = &mut output.reply {
        reply.usage = used;
    }
    Ok(output)
}

fn choice(json: &mut Json<'_>, output: &mut Output) -> Result<(), Error> {
    let mut reply = Reply::default();
    fields!(|json| {
        "message" => {
            let message = message(json)?;
            output.texts = message.texts;
            reply.tool_calls = message.message.tool_calls;
        },
        "stop_reason" => reply.stop = json.optional(Json::text)?.map(Into::into),
        "logprobs" => json.optional(|json| {
            fields!(|json| { "content" => reply.tokens = json.optional(logprobs::tokens)?, })
        })?,
    })?;
    output.reply = Some(reply);
    Ok(())
}

/// Reads the usage of a model. `input_tokens` usually excludes cache reads and writes.
pub(crate) fn usage(json: &mut Json<'_>) -> Result<Usage, Error> {
    Ok(Counts::read(json)?.usage(Dialect::CacheBeside))
}

/// Returns the usage of a sample that called no model.
pub(crate) fn nothing() -> Usage {
    Usage {
        input_tokens: Some(0),
        cached_tokens: Some(0),
        cache_write_tokens: Some(0),
        output_tokens: Some(0),
        ..Usage::default()
    }
}
