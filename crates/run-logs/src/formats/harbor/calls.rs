use std::collections::BTreeMap;

use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::Json,
    error::{Error, Problem},
    values::recorded_call::{Arguments, RecordedCall},
};

/// What our own writer keeps of a call beyond the format.
#[derive(Debug, Default)]
struct Kept {
    /// Arguments that are not an object.
    arguments: Option<Arguments>,
    is_nameless: bool,
    written: Option<String>,
    ok: Option<bool>,
    error: Option<String>,
}

/// Reads `tool_calls`.
pub(crate) fn tool_calls(json: &mut Json<'_>) -> Result<Vec<RecordedCall>, Error> {
    const CALL: &[&str] = &["tool_call_id", "function_name", "arguments", "extra"];
    let mut calls = Vec::new();
    json.list(|json| {
        json.hold(size_of::<RecordedCall>())?;
        let (mut id, mut name, mut kept) = (None, None, Kept::default());
        let mut arguments = Arguments::Parsed(Value::Map(BTreeMap::new()));
        json.object(&[CALL], |json, field| {
            if json.null()? {
                return Ok(());
            }
            match field {
                "tool_call_id" => id = Some(json.name()?).filter(|id| !id.is_empty()),
                "function_name" => name = Some(json.text()?),
                "arguments" => arguments = self::arguments(json)?,
                _ => kept = kept_call(json)?.unwrap_or_default(),
            }
            Ok(())
        })?;
        let name = name.ok_or_else(|| json.error_at("function_name", Problem::Missing))?;
        let mut call = RecordedCall::new(name, kept.arguments.unwrap_or(arguments));
        call.id = id.filter(|_| !kept.is_nameless);
        (call.written, call.ok, call.error) = (kept.written, kept.ok, kept.error);
        calls.push(call);
        Ok(())
    })?;
    Ok(calls)
}

/// Reads arguments: an object. Some writers keep text that they could not read.
fn arguments(json: &mut Json<'_>) -> Result<Arguments, Error> {
    match json.token()? {
        b'{' => Ok(Arguments::Parsed(Value::Map(json.value_map()?))),
        b'"' => Ok(Arguments::from_text(json.text()?, json.limits)),
        _ => Err(json.type_error("an object")),
    }
}

/// Reads `extra` of a call.
fn kept_call(json: &mut Json<'_>) -> Result<Option<Kept>, Error> {
    const KEPT: &[&str] =
        &["arguments", "unparsed", "problem", "without_id", "written", "ok", "error"];
    if json.token()? != b'{' {
        return json.skip().map(|()| None);
    }
    let mut found = None;
    json.object(&[&["run_logs"]], |json, _| {
        if json.token()? != b'{' {
            return json.skip();
        }
        let (mut kept, mut unparsed, mut problem) = (Kept::default(), None, String::new());
        json.object(&[KEPT], |json, field| {
            match field {
                "arguments" => kept.arguments = Some(Arguments::Parsed(json.value()?)),
                "unparsed" => unparsed = Some(json.text()?),
                "problem" => problem = json.text()?,
                "without_id" => kept.is_nameless = json.boolean()?,
                "written" => kept.written = Some(json.text()?),
                "ok" => kept.ok = Some(json.boolean()?),
                _ => kept.error = Some(json.text()?),
            }
            Ok(())
        })?;
        if let Some(text) = unparsed {
            kept.arguments = Some(Arguments::Unparsed { text, problem });
        }
        found = Some(kept);
        Ok(())
    })?;
    Ok(found)
}
