use std::collections::BTreeMap;

use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::{Json, fields},
    error::{Error, Problem},
    formats::{
        counts::{Counts, Dialect},
        tau2::header::requestor,
    },
    values::run::{Arguments, Caller, RecordedCall, Role, Usage},
};

/// A message of the agent, of the simulated user, or of the system.
#[derive(Debug, Default)]
pub(crate) struct Said {
    pub(crate) text: String,
    /// The calls, and who makes them.
    pub(crate) calls: Vec<(RecordedCall, Caller)>,
    pub(crate) usage: Option<Usage>,
}

/// A result of a tool.
#[derive(Debug)]
pub(crate) struct ToolResult {
    pub(crate) id: String,
    pub(crate) caller: Caller,
    pub(crate) text: String,
    pub(crate) is_error: bool,
}

/// The content of one entry of the messages.
#[derive(Debug)]
pub(crate) enum Entry {
    Said(Role, Said),
    Results(Vec<ToolResult>),
}

/// Reads a message of any role.
pub(crate) fn entry(json: &mut Json<'_>) -> Result<Entry, Error> {
    json.hold(size_of::<Entry>())?;
    let (mut role, mut said, mut is_audio) = (None, Said::default(), false);
    let (mut id, mut caller, mut is_error, mut several) = (String::new(), None, false, None);
    let (mut used, mut cost) = (None, None);
    fields!(given |json| {
        "role" => role = Some(self::role(json)?),
        "content" => said.text = json.text()?,
        "tool_calls" => said.calls = calls(json)?,
        "cost" => cost = Some(json.amount()?),
        "usage" => used = Some(Counts::read(json)?.usage(Dialect::OpenAi)),
        "is_audio" => is_audio = json.boolean()?,
        "id" => id = json.name()?,
        "requestor" => caller = requestor(json)?,
        "error" => is_error = json.boolean()?,
        "tool_messages" => several = Some(results(json)?),
    })?;
    let role = role.ok_or_else(|| json.error_at("role", Problem::Missing))?;
    if used.is_some() || cost.is_some() {
        let used = used.unwrap_or_default();
        said.usage = Some(Usage { cost_usd: cost.or(used.cost_usd), ..used });
    }
    // The content of a spoken message is encoded audio.
    if is_audio {
        said.text.clear();
    }
    Ok(match (role, several) {
        (Role::Tool, Some(results)) => Entry::Results(results),
        (Role::Tool, None) => {
            let caller = caller.unwrap_or_default();
            Entry::Results(vec![ToolResult { id, caller, text: said.text, is_error }])
        }
        (role, _) => Entry::Said(role, said),
    })
}

fn role(json: &mut Json<'_>) -> Result<Role, Error> {
    json.word("system, user, assistant or tool", |word| match word {
        "system" => Some(Role::System),
        "user" => Some(Role::User),
        "assistant" => Some(Role::Assistant),
        "tool" => Some(Role::Tool),
        _ => None,
    })
}

/// Reads results of tools.
pub(crate) fn results(json: &mut Json<'_>) -> Result<Vec<ToolResult>, Error> {
    let mut results = Vec::new();
    json.list(|json| {
        let found = entry(json)?;
        match found {
            Entry::Results(found) => results.extend(found),
            Entry::Said(..) => {
                let (value, expected) = ("another role".to_owned(), "tool");
                return Err(json.error_at("role", Problem::Value { value, expected }));
            }
        }
        Ok(())
    })?;
    Ok(results)
}

/// Reads `tool_calls`, and who makes each call.
pub(crate) fn calls(json: &mut Json<'_>) -> Result<Vec<(RecordedCall, Caller)>, Error> {
    let mut calls = Vec::new();
    json.list(|json| {
        json.hold(size_of::<RecordedCall>())?;
        let (mut id, mut name, mut caller) = (None, None, None);
        let mut arguments = Arguments::Parsed(Value::Map(BTreeMap::new()));
        fields!(|json| {
            "id" => id = json.optional(Json::name)?.filter(|id| !id.is_empty()),
            "name" => name = Some(json.text()?),
            "arguments" => arguments = Arguments::Parsed(Value::Map(json.value_map()?)),
            "requestor" => caller = requestor(json)?,
        })?;
        let name = name.ok_or_else(|| json.error_at("name", Problem::Missing))?;
        let mut call = RecordedCall::new(name, arguments);
        call.id = id;
        calls.push((call, caller.unwrap_or_default()));
        Ok(())
    })?;
    Ok(calls)
}
