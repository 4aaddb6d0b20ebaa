use crate::{
    engines::json::reader::{Json, fields},
    error::Error,
    formats::chat::{logprobs::more_tokens, messages::CallFields},
    values::{run::Reply, tokens::Tokens},
};

/// Reads `output` of the Responses form: messages and calls. Other items, such as reasoning, are skipped.
///
/// The reply has tokens if each of its texts has tokens.
pub(crate) fn output(json: &mut Json<'_>) -> Result<Reply, Error> {
    let mut reply = Reply::default();
    let mut tokens = Spoken::default();
    json.list(|json| item(json, &mut reply, &mut tokens))?;
    reply.tokens = tokens.tokens.filter(|_| !tokens.is_partial);
    Ok(reply)
}

/// The tokens of all texts.
#[derive(Default)]
struct Spoken {
    tokens: Option<Tokens>,
    /// Whether a text has no tokens.
    is_partial: bool,
}

fn item(json: &mut Json<'_>, reply: &mut Reply, tokens: &mut Spoken) -> Result<(), Error> {
    json.hold(size_of::<Reply>())?;
    let (mut kind, mut call) = (None, CallFields::default());
    fields!(|json, field| {
        "type" => kind = json.optional(Json::text)?,
        // The id of the item differs from the id of the call.
        "call_id" => call.id = json.optional(Json::name)?,
        "content" if json.token()? == b'[' => json.list(|json| part(json, reply, tokens))?,
        "content" => json.skip()?,
        // Other tools have names and inputs of other types.
        "arguments" | "input" if json.token()? != b'"' => json.skip()?,
        in CallFields::FIELDS => call.field(json, field)?,
    })?;
    if matches!(kind.as_deref(), Some("function_call" | "custom_tool_call")) {
        reply.tool_calls.push(call.finish(json)?);
    }
    Ok(())
}

/// Reads a part of a message: text with its log-probabilities, or a refusal.
fn part(json: &mut Json<'_>, reply: &mut Reply, tokens: &mut Spoken) -> Result<(), Error> {
    let (mut kind, mut text, mut refusal) = (None, None, None);
    let (mut read, mut is_listed) = (Tokens::default(), false);
    fields!(given |json| {
        "type" => kind = Some(json.text()?),
        "text" => text = Some(json.text()?),
        "refusal" => refusal = Some(json.text()?),
        "logprobs" => {
            is_listed = true;
            more_tokens(json, &mut read)?;
        },
    })?;
    if let Some(refusal) = refusal {
        reply.refusal.get_or_insert_default().push_str(&refusal);
    }
    // Texts of reasoning have another kind.
    let is_text = kind.as_deref().is_none_or(|kind| kind == "output_text");
    if let (Some(text), true) = (text, is_text) {
        tokens.is_partial |= read.is_empty() && !text.is_empty();
        if is_listed {
            tokens.tokens.get_or_insert_default().append(&read);
        }
        reply.text.push_str(&text);
    }
    Ok(())
}
