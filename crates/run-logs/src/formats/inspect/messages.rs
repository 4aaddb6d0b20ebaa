use std::collections::{BTreeMap, BTreeSet};

use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::{Json, fields},
    error::{Error, Problem},
    formats::{
        chat::{logprobs, messages::role},
        token_counts::{Counts, Dialect},
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

/// Long texts of a sample, referred to by hash, or by position in a sample in chunks.
#[derive(Default)]
pub(crate) struct Attachments {
    texts: BTreeMap<String, String>,
    /// The hashes that the events refer to.
    wanted: BTreeSet<String>,
    /// Whether all events have been read, so that only wanted texts are kept.
    complete: bool,
}

/// Returns the hash in a reference. Old logs write `tc://`.
fn hash(text: &str) -> Option<&str> {
    text.strip_prefix("attachment://").or_else(|| text.strip_prefix("tc://"))
}

impl Attachments {
    /// Notes that a text may be a reference.
    pub(crate) fn want(&mut self, text: &str) {
        if let Some(hash) = hash(text) {
            self.wanted.insert(hash.to_owned());
        }
    }

    /// Notes every text in a value that may be a reference.
    pub(crate) fn want_in(&mut self, value: &Value) {
        match value {
            Value::Text(text) => self.want(text),
            Value::List(values) => values.iter().for_each(|value| self.want_in(value)),
            Value::Map(values) => values.values().for_each(|value| self.want_in(value)),
            _ => {}
        }
    }

    /// From here on, only wanted texts are kept.
    pub(crate) fn complete(&mut self) {
        self.complete = true;
    }

    /// Reads `attachments`.
    pub(crate) fn read(&mut self, json: &mut Json<'_>) -> Result<(), Error> {
        json.map(|json, key| self.read_text(json, key))
    }

    /// Reads one text.
    pub(crate) fn read_text(&mut self, json: &mut Json<'_>, key: String) -> Result<(), Error> {
        if self.complete && !self.wanted.contains(&key) {
            return json.skip();
        }
        let text = json.text()?;
        match self.texts.insert(key, text) {
            None => Ok(()),
            Some(_) => {
                let key = "an attachment".to_owned();
                Err(json.error(Problem::DuplicateKey { key }))
            }
        }
    }

    /// Replaces a reference by its text, which the run then holds once more. A reference to a missing text stays unchanged, as in
    /// inspect_ai.
    pub(crate) fn resolve(&self, json: &mut Json<'_>, text: &mut String) -> Result<(), Error> {
        if let Some(long) = hash(text).and_then(|hash| self.texts.get(hash)) {
            json.hold(long.len())?;
            text.clone_from(long);
        }
        Ok(())
    }

    /// Replaces the references among several texts.
    pub(crate) fn resolve_all<'t>(
        &self,
        json: &mut Json<'_>,
        texts: impl IntoIterator<Item = &'t mut String>,
    ) -> Result<(), Error> {
        texts.into_iter().try_for_each(|text| self.resolve(json, text))
    }

    /// Replaces the references in a value.
    fn resolve_in(&self, json: &mut Json<'_>, value: &mut Value) -> Result<(), Error> {
        match value {
            Value::Text(text) => self.resolve(json, text),
            Value::List(values) => {
                values.iter_mut().try_for_each(|value| self.resolve_in(json, value))
            }
            Value::Map(values) => {
                values.values_mut().try_for_each(|value| self.resolve_in(json, value))
            }
            _ => Ok(()),
        }
    }

    /// Replaces the references in the arguments of a call.
    pub(crate) fn resolve_arguments(
        &self,
        json: &mut Json<'_>,
        arguments: &mut Arguments,
    ) -> Result<(), Error> {
        match arguments {
            Arguments::Parsed(value) => self.resolve_in(json, value),
            Arguments::Unparsed { .. } => Ok(()),
        }
    }
}
