use crate::{
    engines::json::reader::Json,
    error::Error,
    formats::{
        chat::logprobs,
        inspect::{messages, usage::usage},
    },
    values::message::Reply,
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
    json.object(&["choices", "usage"], |json, field| {
        match field {
            "choices" => {
                json.optional(|json| {
                    json.list(|json| {
                        if output.reply.is_some() {
                            return json.skip();
                        }
                        choice(json, &mut output)
                    })
                })?;
            }
            _ => used = json.optional(usage)?,
        }
        Ok(())
    })?;
    if let Some(reply) = &mut output.reply {
        reply.usage = used;
    }
    Ok(output)
}

fn choice(json: &mut Json<'_>, output: &mut Output) -> Result<(), Error> {
    let mut reply = Reply::default();
    json.object(&["message", "stop_reason", "logprobs"], |json, field| {
        match field {
            "message" => {
                let message = messages::message(json)?;
                output.texts = message.texts;
                reply.tool_calls = message.message.tool_calls;
            }
            "stop_reason" => reply.stop = json.optional(Json::text)?.map(Into::into),
            _ => {
                json.optional(|json| {
                    json.object(&["content"], |json, _| {
                        reply.tokens = json.optional(logprobs::tokens)?;
                        Ok(())
                    })
                })?;
            }
        }
        Ok(())
    })?;
    output.reply = Some(reply);
    Ok(())
}
