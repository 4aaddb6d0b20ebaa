use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::{Json, fields, named_fields},
    error::{Error, Problem},
    format::ReadOptions,
    values::run::{Arguments, Message, RecordedCall, Reply, Role},
};

/// A message, with parts that only some formats have.
pub(crate) struct ReadMessage {
    pub(crate) role: Role,
    /// The text, refusal and calls of the message.
    pub(crate) said: Reply,
    /// Results of tools, which precede the text.
    pub(crate) results: Vec<ToolResult>,
    tool_call_id: Option<String>,
}

impl ReadMessage {
    /// Returns the messages that were sent: each result of a tool is one message.
    pub(crate) fn sent(self) -> impl Iterator<Item = Message> {
        let Self { role, said: Reply { text, tool_calls, .. }, results, tool_call_id } = self;
        let is_empty = text.is_empty() && tool_calls.is_empty();
        let message = Message { role, text, tool_calls, tool_call_id };
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
    let (mut role, mut said, mut results) = (Role::Assistant, Reply::default(), Vec::new());
    let (mut calls, mut old_call, mut refusal) = (Vec::new(), None, None);
    let mut tool_call_id = None;
    fields!(given |json| {
        "role" => role = self::role(json)?,
        "content" => (said, results) = content(json)?,
        "refusal" => refusal = Some(json.text()?),
        "tool_calls" => calls = call_list(json)?,
        "function_call" => old_call = Some(function(json, None)?),
        "tool_call_id" => tool_call_id = Some(json.text()?),
    })?;
    calls.extend(old_call);
    calls.append(&mut said.tool_calls);
    let said = Reply { refusal: refusal.or(said.refusal), tool_calls: calls, ..said };
    Ok(ReadMessage { role, said, results, tool_call_id })
}

/// Reads the role of a message, under any of the names that formats of chats have for it.
pub(crate) fn role(json: &mut Json<'_>) -> Result<Role, Error> {
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
                let message = message(json)?;
                // Items without text, such as reasoning, are not messages.
                if !message.said.text.is_empty() {
                    sent.extend(message.sent().last());
                }
                Ok(())
            })?,
        },
    })?;
    Ok(sent)
}

/// The result of a tool, as a block of a message.
pub(crate) struct ToolResult {
    pub(crate) call: Option<String>,
    pub(crate) text: String,
    /// Whether the tool failed; `None` if the log does not say.
    pub(crate) is_error: Option<bool>,
}

impl ToolResult {
    /// Returns the result as a separate message.
    pub(crate) fn message(self) -> Message {
        Message { tool_call_id: self.call, ..Message::new(Role::Tool, self.text) }
    }
}

/// Reads the content of a message: text, null, or a list of the parts of OpenAI's forms and the blocks of Anthropic's, with the
/// results of tools in it.
///
/// Reasoning is not part of the text. Images and other parts are left out.
pub(crate) fn content(json: &mut Json<'_>) -> Result<(Reply, Vec<ToolResult>), Error> {
    let (mut said, mut results) = (Reply::default(), Vec::new());
    match json.token()? {
        b'n' => _ = json.null()?,
        b'"' => said.text = json.text()?,
        b'[' => json.list(|json| block(json, &mut said, &mut results))?,
        _ => return Err(json.type_error("a string, a list of parts or null")),
    }
    Ok((said, results))
}

fn block(
    json: &mut Json<'_>,
    said: &mut Reply,
    results: &mut Vec<ToolResult>,
) -> Result<(), Error> {
    if json.token()? == b'"' {
        said.text.push_str(&json.text()?);
        return Ok(());
    }
    let (mut kind, mut id, mut name, mut input) = (None, None, None, None);
    let mut result = ToolResult { call: None, text: String::new(), is_error: None };
    fields!(|json| {
        "text" => said.text.push_str(&json.optional(Json::text)?.unwrap_or_default()),
        "refusal" => {
            let refusal = json.optional(Json::text)?.unwrap_or_default();
            said.refusal.get_or_insert_default().push_str(&refusal);
        },
        "type" => kind = word(json)?,
        "id" => id = word(json)?,
        "name" => name = word(json)?,
        "input" => input = Some(arguments(json)?),
        "tool_use_id" => result.call = word(json)?,
        "content" => result_text(json, &mut result.text)?,
        "is_error" if matches!(json.token()?, b't' | b'f') => {
            result.is_error = Some(json.boolean()?);
        },
    })?;
    // Such as `tool_use`, and `server_tool_use` for a tool that the provider runs.
    if kind.as_deref().is_some_and(|kind| kind.ends_with("tool_use")) {
        json.hold(size_of::<RecordedCall>())?;
        let name = name.ok_or_else(|| json.error_at("name", Problem::Missing))?;
        let (arguments, written) = input.unwrap_or_default();
        let mut call = RecordedCall::new(name, arguments);
        (call.id, call.written) = (id, written);
        said.tool_calls.push(call);
    } else if kind.as_deref() == Some("tool_result") {
        json.hold(size_of::<ToolResult>())?;
        results.push(result);
    }
    Ok(())
}

/// Reads a text; parts of other forms may have values of other types in the same fields.
pub(crate) fn word(json: &mut Json<'_>) -> Result<Option<String>, Error> {
    if json.token()? == b'"' { json.text().map(Some) } else { json.skip().map(|()| None) }
}

/// Reads the result of a tool: text, or a list of blocks, of which the texts are kept.
fn result_text(json: &mut Json<'_>, text: &mut String) -> Result<(), Error> {
    match json.token()? {
        b'"' => *text = json.text()?,
        b'[' => json.list(|json| {
            if json.token()? != b'{' {
                return json.skip();
            }
            fields!(|json| { "text" => text.push_str(&word(json)?.unwrap_or_default()), })
        })?,
        _ => json.skip()?,
    }
    Ok(())
}

/// Reads `tool_calls`.
pub(crate) fn call_list(json: &mut Json<'_>) -> Result<Vec<RecordedCall>, Error> {
    json.list_of(call)
}

/// Reads a call: `{"id", "function": {"name", "arguments"}}`, or `custom` with an `input`.
fn call(json: &mut Json<'_>) -> Result<RecordedCall, Error> {
    let (mut id, mut call) = (None, None);
    fields!(given |json| {
        "id" => id = Some(json.name()?),
        "function" | "custom" => call = Some(function(json, None)?),
    })?;
    let mut call = call.ok_or_else(|| json.error_at("function", Problem::Missing))?;
    call.id = id.or(call.id);
    Ok(call)
}

/// Reads the name of a called function and its arguments. `id` is the field that holds the call's id.
pub(crate) fn function(
    json: &mut Json<'_>,
    id: Option<&'static str>,
) -> Result<RecordedCall, Error> {
    let mut call = CallFields::default();
    fields!(|json, field| {
        "id" | "call_id" if Some(field) == id => call.id = json.optional(Json::name)?,
        in CallFields::FIELDS => call.field(json, field)?,
    })?;
    call.finish(json)
}

/// A call while its fields are read.
#[derive(Default)]
pub(crate) struct CallFields {
    pub(crate) id: Option<String>,
    name: Option<String>,
    arguments: Option<Arguments>,
    written: Option<String>,
}

impl CallFields {
    named_fields! {
        /// Reads a field other than the id.
        pub(crate) const FIELDS, fn field(&mut self, json: &mut Json<'_>, field: &str), |json, field| {
            "name" => self.name = json.optional(Json::text)?,
            "arguments" | "args" => {
                let (arguments, written) = arguments(json)?;
                (self.arguments, self.written) = (Some(arguments), written);
            },
            "input" => {
                let input = json.optional(Json::text)?.unwrap_or_default();
                self.arguments = Some(Arguments::Parsed(Value::Text(input)));
            },
        }
    }

    /// Returns the call, or an error at the name that is missing.
    pub(crate) fn finish(self, json: &Json<'_>) -> Result<RecordedCall, Error> {
        let name = self.name.ok_or_else(|| json.error_at("name", Problem::Missing))?;
        let mut call = RecordedCall::new(name, self.arguments.unwrap_or_default());
        (call.id, call.written) = (self.id, self.written);
        Ok(call)
    }
}

/// Reads arguments: the text of a model, which need not be JSON, or a value already parsed by its server. Text that was parsed is
/// returned, too.
pub(crate) fn arguments(json: &mut Json<'_>) -> Result<(Arguments, Option<String>), Error> {
    if json.token()? == b'"' {
        let text = json.text()?;
        json.hold(text.len())?;
        let arguments = Arguments::from_text(text.clone(), json.limits);
        let is_parsed = matches!(arguments, Arguments::Parsed(_));
        return Ok((arguments, is_parsed.then_some(text)));
    }
    let arguments = match json.value()? {
        Value::Null => Arguments::default(),
        value => Arguments::Parsed(value),
    };
    Ok((arguments, None))
}
