use crate::{
    engines::json::reader::{Json, fields},
    error::Error,
    formats::{
        chat::logprobs,
        counts::{Counts, Dialect},
        inspect::messages,
    },
    values::run::{Reply, Usage},
};

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
            let message = messages::message(json)?;
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
