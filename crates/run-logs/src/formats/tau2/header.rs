use std::collections::BTreeMap;

use trajectory_metrics::tool_calls::{ToolCall, Value};

use crate::{
    engines::json::reader::{Json, fields},
    error::{Error, Problem},
    values::run::{Caller, ExpectedCall},
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
        fields!(given |json| {
            "max_steps" => self.max_steps = Some(json.count()?),
            "agent_info" => {
                fields!(|json| { "llm" => self.agent = json.optional(Json::text)?, })?;
            },
            "user_info" => {
                fields!(|json| { "llm" => self.user = json.optional(Json::text)?, })?;
            },
            "environment_info" => {
                fields!(|json| { "domain_name" => self.domain = json.optional(Json::text)?, })?;
            },
        })
    }

    /// Reads `tasks`.
    pub(crate) fn read_tasks(&mut self, json: &mut Json<'_>) -> Result<(), Error> {
        json.list(|json| {
            let (mut id, mut actions) = (None, Vec::new());
            fields!(|json| {
                "id" => id = Some(json.name()?),
                "evaluation_criteria" => json.optional(|json| {
                    fields!(given |json| { "actions" => actions = json.list_of(action)?, })
                })?,
            })?;
            let id = id.ok_or_else(|| json.error_at("id", Problem::Missing))?;
            self.tasks.insert(id, actions);
            Ok(())
        })
    }
}

/// Reads an expected action.
pub(crate) fn action(json: &mut Json<'_>) -> Result<Action, Error> {
    let (mut id, mut name, mut caller, mut compared) = (None, None, Caller::Agent, None);
    let mut arguments = Value::Map(BTreeMap::new());
    fields!(|json| {
        "action_id" => id = json.optional(Json::name)?,
        "requestor" => caller = requestor(json)?.unwrap_or_default(),
        "name" => name = Some(json.text()?),
        "arguments" => arguments = Value::Map(json.value_map()?),
        "compare_args" => compared = json.optional(|json| json.list_of(Json::text))?,
    })?;
    let name = name.ok_or_else(|| json.error_at("name", Problem::Missing))?;
    let call = ExpectedCall { caller, call: ToolCall { name, arguments }, compared, matched: None };
    Ok(Action { id, call })
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
