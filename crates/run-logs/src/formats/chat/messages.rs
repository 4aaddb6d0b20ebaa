use crate::{
    engines::json::reader::{Json, fields},
    error::Error,
    formats::chat::{
        blocks::{Blocks, ToolResult, content},
        calls::{call_list, function},
    },
    read_options::ReadOptions,
    values::run::{Message, RecordedCall, Role},
};

/// A message, with parts that only some formats have.
pub(crate) struct ReadMessage {
    pub(crate) message: Message,
    pub(crate) refusal: Option<String>,
    /// Results of tools, which precede the text.
    pub(crate) results: Vec<ToolResult>,
}

impl ReadMessage {
    /// Returns the messages that were sent: each result of a tool is one message.
    pub(crate) fn sent(self) -> impl Iterator<Item = Message> {
        let Self { message, results, .. } = self;
        let is_empty = message.text.is_empty() && message.tool_calls.is_empty();
        let rest = (results.is_empty() || !is_empty).then_some(message);
        results.into_iter().map(ToolResult::message).chain(rest)
    }
}

/// Reads the messages of a conversation.
pub(crate) fn messages(json: &mut Json<'_>) -> Result<Vec<ReadMessage>, Error> {
    json.list_of(message)
}

/// Reads a message. A message without a role belongs to the model.
pub(crate) fn message(json: &mut Json<'_>) -> Result<ReadMessage, Error> {
    let mut message = Message::new(Role::Assistant, "");
    let mut refusal = None;
    let mut blocks = Blocks::default();
    let mut old_call: Option<RecordedCall> = None;
    fields!(given |json| {
        "role" => message.role = role(json)?,
        "content" => blocks = content(json)?,
        "refusal" => refusal = Some(json.text()?),
        "tool_calls" => message.tool_calls = call_list(json)?,
        "function_call" => old_call = Some(function(json, None)?),
        "tool_call_id" => message.tool_call_id = Some(json.text()?),
    })?;
    message.text = blocks.text;
    message.tool_calls.extend(old_call);
    message.tool_calls.extend(blocks.calls);
    Ok(ReadMessage { message, refusal: refusal.or(blocks.refusal), results: blocks.results })
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

/// Reads the messages of a request if they are wanted: the messages of `messages`, or of `input` in the Responses form.
pub(crate) fn request(json: &mut Json<'_>, options: &ReadOptions) -> Result<Vec<Message>, Error> {
    if !options.requests || json.token()? != b'{' {
        return json.skip().map(|()| Vec::new());
    }
    let mut sent = Vec::new();
    fields!(given |json| {
        "messages" => sent.extend(messages(json)?.into_iter().flat_map(ReadMessage::sent)),
        "instructions" if json.token()? == b'"' => {
            sent.insert(0, Message::new(Role::System, json.text()?));
        },
        "input" => match json.token()? {
            b'"' => sent.push(Message::new(Role::User, json.text()?)),
            _ => json.list(|json| {
                let message = message(json)?.message;
                // Items without text, such as reasoning, are not messages.
                if !message.text.is_empty() {
                    sent.push(message);
                }
                Ok(())
            })?,
        },
    })?;
    Ok(sent)
}
