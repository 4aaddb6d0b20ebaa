use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::{Json, fields, named_fields},
    error::{Error, Problem},
    values::run::{Arguments, RecordedCall},
};

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
        let mut call = RecordedCall::new(name, self.arguments.unwrap_or_else(Arguments::empty));
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
        Value::Null => Arguments::empty(),
        value => Arguments::Parsed(value),
    };
    Ok((arguments, None))
}
