use crate::{
    engines::json::reader::Json,
    error::Error,
    formats::chat::calls::{call_list, function},
    read_options::ReadOptions,
    values::{
        message::{Message, Role},
        recorded_call::RecordedCall,
    },
};

/// A message and its refusal.
pub(crate) type Read = (Message, Option<String>);

/// Reads the messages of a conversation.
pub(crate) fn messages(json: &mut Json<'_>) -> Result<Vec<Read>, Error> {
    json.list_of(message)
}

/// Reads a message. Without a role it is the model's.
pub(crate) fn message(json: &mut Json<'_>) -> Result<Read, Error> {
    const MESSAGE: &[&str] =
        &["role", "content", "refusal", "tool_calls", "function_call", "tool_call_id"];
    let mut message = Message::new(Role::Assistant, "");
    let mut refusal = None;
    let mut old_call: Option<RecordedCall> = None;
    json.object(MESSAGE, |json, field| {
        match field {
            "role" => message.role = json.optional(role)?.unwrap_or(Role::Assistant),
            "content" => content(json, &mut message.text, &mut refusal)?,
            "refusal" => {
                let text = json.optional(Json::text)?;
                refusal = text.or(refusal.take());
            }
            "tool_calls" => {
                message.tool_calls = json.optional(call_list)?.unwrap_or_default();
            }
            "function_call" => old_call = json.optional(|json| function(json, None))?,
            _ => message.tool_call_id = json.optional(Json::text)?,
        }
        Ok(())
    })?;
    message.tool_calls.extend(old_call);
    Ok((message, refusal))
}

fn role(json: &mut Json<'_>) -> Result<Role, Error> {
    let expected = "system, developer, user, assistant, model, tool or function";
    json.word(expected, |word| match word {
        "system" | "developer" => Some(Role::System),
        "user" => Some(Role::User),
        "assistant" | "model" => Some(Role::Assistant),
        "tool" | "function" => Some(Role::Tool),
        _ => None,
    })
}

/// Reads content: text, null, or a list of parts, of which the texts and refusals are kept.
fn content(
    json: &mut Json<'_>,
    text: &mut String,
    refusal: &mut Option<String>,
) -> Result<(), Error> {
    match json.token()? {
        b'n' => json.null().map(drop),
        b'"' => {
            *text = json.text()?;
            Ok(())
        }
        b'[' => json.list(|json| {
            if json.token()? == b'"' {
                text.push_str(&json.text()?);
                return Ok(());
            }
            json.object(&["text", "refusal"], |json, field| {
                let part = json.optional(Json::text)?.unwrap_or_default();
                match field {
                    "text" => text.push_str(&part),
                    _ => refusal.get_or_insert_default().push_str(&part),
                }
                Ok(())
            })
        }),
        _ => Err(json.type_error("a string, a list of parts or null")),
    }
}

/// Reads the messages of a request if they are asked for: those of `messages`, or of `input` in the
/// Responses form.
pub(crate) fn request(json: &mut Json<'_>, options: &ReadOptions) -> Result<Vec<Message>, Error> {
    if !options.requests() || json.token()? != b'{' {
        return json.skip().map(|()| Vec::new());
    }
    let mut sent = Vec::new();
    json.object(&["instructions", "messages", "input"], |json, field| {
        if json.null()? {
            return Ok(());
        }
        match (field, json.token()?) {
            ("messages", _) => sent.extend(messages(json)?.into_iter().map(|(message, _)| message)),
            ("instructions", b'"') => sent.insert(0, Message::new(Role::System, json.text()?)),
            ("input", b'"') => sent.push(Message::new(Role::User, json.text()?)),
            ("input", _) => json.list(|json| {
                let (message, _) = message(json)?;
                // Items without text, such as reasoning, are not messages.
                if !message.text.is_empty() {
                    sent.push(message);
                }
                Ok(())
            })?,
            _ => json.skip()?,
        }
        Ok(())
    })?;
    Ok(sent)
}
