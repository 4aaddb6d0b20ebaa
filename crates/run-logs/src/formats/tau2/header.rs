use std::{collections::BTreeMap, sync::Arc};

use trajectory_metrics::tool_calls::{ToolCall, Value};

use crate::{
    engines::json::reader::{Json, fields},
    error::{Error, Problem},
    values::{
        evaluation::Evaluation,
        run::{Caller, ExpectedCall},
    },
};

/// The facts about all simulations from the head of the results.
#[derive(Debug, Default)]
pub(crate) struct Header {
    /// The model of the agent, and the model of the simulated user.
    pub(crate) agent: Option<String>,
    pub(crate) user: Option<String>,
    pub(crate) domain: Option<String>,
    pub(crate) max_steps: Option<u64>,
    /// The expected actions by task.
    pub(crate) tasks: BTreeMap<String, Vec<Action>>,
    /// The number of planned trials of each task.
    pub(crate) n_trials: Option<u64>,
    /// When the results were made.
    pub(crate) created: Option<String>,
    /// The evaluation of all simulations, once the whole head is read.
    pub(crate) evaluation: Option<Arc<Evaluation>>,
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
            "num_trials" => self.n_trials = Some(json.count()?),
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

    /// Returns the evaluation of all simulations, from the head.
    pub(crate) fn evaluation(&mut self) -> Arc<Evaluation> {
        let n_tasks = Some(self.tasks.len() as u64).filter(|tasks| *tasks > 0);
        let evaluation = self.evaluation.get_or_insert_with(|| {
            Arc::new(Evaluation {
                task: self.domain.clone(),
                model: self.agent.clone(),
                created: self.created.clone(),
                total_samples: n_tasks.zip(self.n_trials).and_then(|(n, of)| n.checked_mul(of)),
                ..Evaluation::default()
            })
        });
        Arc::clone(evaluation)
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

/// Reads the caller of a tool: `assistant` or `user`.
pub(crate) fn requestor(json: &mut Json<'_>) -> Result<Option<Caller>, Error> {
    json.optional(|json| {
        json.word("assistant or user", |word| match word {
            "assistant" => Some(Caller::Agent),
            "user" => Some(Caller::User),
            _ => None,
        })
    })
}
