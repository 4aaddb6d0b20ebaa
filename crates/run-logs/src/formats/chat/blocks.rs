use crate::{
    engines::json::reader::{Json, fields},
    error::{Error, Problem},
    formats::chat::calls::arguments,
    values::run::{Arguments, Message, RecordedCall, Role},
};

/// The content of a message: the parts of OpenAI's forms, and the blocks of Anthropic's.
///
/// Reasoning is not part of the text. Images and other parts are left out.
#[derive(Default)]
pub(crate) struct Blocks {
    pub(crate) text: String,
    pub(crate) refusal: Option<String>,
    pub(crate) calls: Vec<RecordedCall>,
    pub(crate) results: Vec<ToolResult>,
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

/// Reads content: text, null, or a list of parts.
pub(crate) fn content(json: &mut Json<'_>) -> Result<Blocks, Error> {
    let mut blocks = Blocks::default();
    match json.token()? {
        b'n' => _ = json.null()?,
        b'"' => blocks.text = json.text()?,
        b'[' => json.list(|json| block(json, &mut blocks))?,
        _ => return Err(json.type_error("a string, a list of parts or null")),
    }
    Ok(blocks)
}

fn block(json: &mut Json<'_>, blocks: &mut Blocks) -> Result<(), Error> {
    if json.token()? == b'"' {
        blocks.text.push_str(&json.text()?);
        return Ok(());
    }
    let (mut kind, mut id, mut name, mut input) = (None, None, None, None);
    let mut result = ToolResult { call: None, text: String::new(), is_error: None };
    fields!(|json| {
        "text" => blocks.text.push_str(&json.optional(Json::text)?.unwrap_or_default()),
        "refusal" => {
            let refusal = json.optional(Json::text)?.unwrap_or_default();
            blocks.refusal.get_or_insert_default().push_str(&refusal);
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
        let (arguments, written) = input.unwrap_or_else(|| (Arguments::empty(), None));
        let mut call = RecordedCall::new(name, arguments);
        (call.id, call.written) = (id, written);
        blocks.calls.push(call);
    } else if kind.as_deref() == Some("tool_result") {
        json.hold(size_of::<ToolResult>())?;
        blocks.results.push(result);
    }
    Ok(())
}

/// Reads a text; parts of other forms may have values of other types in the same fields.
fn word(json: &mut Json<'_>) -> Result<Option<String>, Error> {
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
