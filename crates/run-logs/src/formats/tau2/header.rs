use std::collections::BTreeMap;

use trajectory_metrics::tool_calls::{ToolCall, Value};

use crate::{
    engines::json::reader::Json,
    error::{Error, Problem},
    values::{caller::Caller, expected_call::ExpectedCall},
};

/// What the head of the results says of all simulations.
#[derive(Debug, Default)]
pub(crate) struct Header {
    /// The model of the agent, and that of the simulated user.
    pub(crate) agent: Option<String>,
    pub(crate) user: Option<String>,
    pub(crate) domain: Option<String>,
    pub(crate) max_steps: Option<u64>,
    /// The expected actions by task.
    pub(crate) tasks: BTreeMap<String, Vec<Action>>,
}

/// A call that a task expects, and its name within the task.
#[derive(Clone, Debug)]
pub(crate) struct Action {
    pub(crate) id: Option<String>,
    pub(crate) call: ExpectedCall,
}

impl Header {
    /// Reads `info`.
    pub(crate) fn read_info(&mut self, json: &mut Json<'_>) -> Result<(), Error> {
        const INFO: &[&str] = &["max_steps", "agent_info", "user_info", "environment_info"];
        json.object(INFO, |json, field| {
            if json.null()? {
                return Ok(());
            }
            match field {
                "max_steps" => self.max_steps = Some(json.count()?),
                "agent_info" => self.agent = one_text(json, &["llm"])?,
                "user_info" => self.user = one_text(json, &["llm"])?,
                _ => self.domain = one_text(json, &["domain_name"])?,
            }
            Ok(())
        })
    }

    /// Reads `tasks`.
    pub(crate) fn read_tasks(&mut self, json: &mut Json<'_>) -> Result<(), Error> {
        json.list(|json| {
            let (mut id, mut actions) = (None, Vec::new());
            json.object(&["id", "evaluation_criteria"], |json, field| {
                if field == "id" {
                    id = Some(json.name()?);
                    return Ok(());
                }
                json.optional(|json| {
                    json.object(&["actions"], |json, _| {
                        actions = json.optional(action_list)?.unwrap_or_default();
                        Ok(())
                    })
                })
                .map(drop)
            })?;
            let id = id.ok_or_else(|| json.error_at("id", Problem::Missing))?;
            self.tasks.insert(id, actions);
            Ok(())
        })
    }
}

fn one_text(json: &mut Json<'_>, field: &'static [&'static str]) -> Result<Option<String>, Error> {
    let mut text = None;
    json.object(field, |json, _| {
        text = json.optional(Json::text)?;
        Ok(())
    })?;
    Ok(text)
}

fn action_list(json: &mut Json<'_>) -> Result<Vec<Action>, Error> {
    json.list_of(action)
}

/// Reads an expected action.
pub(crate) fn action(json: &mut Json<'_>) -> Result<Action, Error> {
    const ACTION: &[&str] = &["action_id", "requestor", "name", "arguments", "compare_args"];
    let (mut id, mut name, mut caller, mut compared) = (None, None, Caller::Agent, None);
    let mut arguments = Value::Map(BTreeMap::new());
    json.object(ACTION, |json, field| {
        match field {
            "action_id" => id = json.optional(Json::name)?,
            "requestor" => caller = requestor(json)?.unwrap_or_default(),
            "name" => name = Some(json.text()?),
            "arguments" => arguments = Value::Map(json.value_map()?),
            _ => compared = json.optional(texts)?,
        }
        Ok(())
    })?;
    let name = name.ok_or_else(|| json.error_at("name", Problem::Missing))?;
    let call = ExpectedCall { caller, call: ToolCall { name, arguments }, compared, matched: None };
    Ok(Action { id, call })
}

fn texts(json: &mut Json<'_>) -> Result<Vec<String>, Error> {
    json.list_of(Json::text)
}

/// Reads who calls a tool: `assistant` or `user`.
pub(crate) fn requestor(json: &mut Json<'_>) -> Result<Option<Caller>, Error> {
    json.optional(|json| {
        json.word("assistant or user", |word| match word {
            "assistant" => Some(Caller::Agent),
            "user" => Some(Caller::User),
            _ => None,
        })
    })
}
