use crate::{
    engines::json::{fields::fields, reader::Json},
    error::{Error, Problem},
    formats::harbor::kept::kept,
    values::recorded_call::{Arguments, RecordedCall},
};

/// Reads `tool_calls`.
pub(crate) fn tool_calls(json: &mut Json<'_>) -> Result<Vec<RecordedCall>, Error> {
    json.list_of(tool_call)
}

fn tool_call(json: &mut Json<'_>) -> Result<RecordedCall, Error> {
    let (mut name, mut call) = (None, RecordedCall::new("", Arguments::empty()));
    let (mut own_arguments, mut is_nameless) = (None, false);
    let (mut unparsed, mut problem) = (None, String::new());
    fields!(given |json| {
        "tool_call_id" => call.id = Some(json.name()?).filter(|id| !id.is_empty()),
        "function_name" => name = Some(json.text()?),
        // An object. Some writers keep text that they could not read.
        "arguments" => call.arguments = match json.token()? {
            b'{' => Arguments::Parsed(json.value()?),
            b'"' => Arguments::from_text(json.text()?, json.limits),
            _ => return Err(json.type_error("an object")),
        },
        "extra" => kept(json, |json| fields!(|json| {
            "arguments" => own_arguments = Some(Arguments::Parsed(json.value()?)),
            "unparsed" => unparsed = Some(json.text()?),
            "problem" => problem = json.text()?,
            "without_id" => is_nameless = json.boolean()?,
            "ok" => call.ok = Some(json.boolean()?),
            "error" => call.error = Some(json.text()?),
        }))?,
    })?;
    call.name = name.ok_or_else(|| json.error_at("function_name", Problem::Missing))?;
    call.id = call.id.filter(|_| !is_nameless);
    call.arguments = match unparsed {
        Some(text) => Arguments::Unparsed { text, problem },
        None => own_arguments.unwrap_or(call.arguments),
    };
    Ok(call)
}
