use std::{collections::BTreeMap, io::Read, sync::Arc};

use censoring::StopReason;
use trajectory_metrics::tool_calls::{ToolCall, Value};

use crate::{
    engines::json::reader::{Json, fields},
    error::{Error, Problem},
    format::ReadOptions,
    formats::{
        copies::usage_of,
        tau2::conversation::{Conversation, requestor},
    },
    values::{
        evaluation::Evaluation,
        run::{Caller, ExpectedCall, Run, RunLimit, Score, Usage},
    },
};

/// Reads the run of a file that holds one simulation.
pub(crate) fn alone(
    source: impl Read,
    options: ReadOptions,
) -> impl Iterator<Item = Result<Run, Error>> {
    let mut source = Some(source);
    std::iter::from_fn(move || {
        let mut json = Json::new(source.take()?, options.limits);
        let read = simulation(&mut json, &options);
        Some(read.and_then(|read| json.end().map(|()| read.into_run(&Header::default()))))
    })
}

/// A simulation, excluding the facts from the head of the results.
#[derive(Debug)]
pub(crate) struct Simulation {
    run: Run,
    ended: String,
    /// The expected calls that the benchmark looked for.
    checks: Vec<Action>,
    /// A failure outside the agent.
    failure: Option<String>,
}

impl Simulation {
    /// Returns the run, with the facts from the head of the results.
    pub(crate) fn into_run(self, header: &Header) -> Run {
        let Self { mut run, ended, checks, failure } = self;
        for turn in &mut run.turns {
            let model = if turn.caller == Caller::User { &header.user } else { &header.agent };
            turn.model.clone_from(model);
        }
        run.model.clone_from(&header.agent);
        run.evaluation.clone_from(&header.evaluation);
        let task = run.task.as_ref().and_then(|task| header.tasks.get(task));
        run.expected_calls = expected(task, checks).map(|action| action.call).collect();
        end(&mut run, &ended, failure, header);
        if let Some(domain) = &header.domain {
            run.note("domain", domain.as_str());
            // Domains number their tasks alike.
            run.task = run.task.map(|task| format!("{domain}/{task}"));
        }
        run.note("termination_reason", ended);
        run
    }
}

/// Reads one simulation.
pub(crate) fn simulation(json: &mut Json<'_>, options: &ReadOptions) -> Result<Simulation, Error> {
    let (mut id, mut run, mut ended) = (None, Run::default(), None);
    let (mut messages, mut ticks) = (None, None);
    let (mut checks, mut agent_cost, mut failure) = (Vec::new(), None, None);
    fields!(given |json, field| {
        "id" => {
            let name = json.name()?;
            json.place_mut().sample = Some(name.clone());
            id = Some(name);
        },
        "task_id" => run.task = Some(json.name()?),
        "trial" => run.trial = Some(json.count()?),
        "termination_reason" => ended = Some(json.text()?),
        "agent_cost" => agent_cost = Some(json.amount()?),
        "reward_info" => checks = reward_info(json, &mut run)?,
        "messages" => messages.insert(Conversation::new(options)).read_messages(json)?,
        "ticks" => ticks.insert(Conversation::new(options)).read_ticks(json)?,
        "info" => failure = failure_text(json)?,
        "duration" if json.token()?.is_ascii_digit() => run.seconds = Some(json.amount()?),
        "user_cost" | "seed" => run.note(field, json.value()?),
    })?;
    run.id = id.ok_or_else(|| json.error_at("id", Problem::Missing))?;
    run.uuid = Some(run.id.clone());
    let ended = ended.ok_or_else(|| json.error_at("termination_reason", Problem::Missing))?;
    run.turns = messages.or(ticks).map(|conversation| conversation.turns).unwrap_or_default();
    run.usage = Usage { cost_usd: agent_cost, ..usage_of(&run) };
    Ok(Simulation { run, ended, checks, failure })
}

/// Sets the facts that follow from the reason for a simulation's end.
fn end(run: &mut Run, ended: &str, failure: Option<String>, header: &Header) {
    run.stop = Some(StopReason::from(ended.to_owned()));
    let limit = match ended {
        "max_steps" => Some(header.max_steps.map(|steps| steps as f64)),
        "timeout" | "context_window_exceeded" => Some(None),
        _ => None,
    };
    run.limit = limit.map(|limit| RunLimit { kind: ended.to_owned(), limit, reason: None });
    // The benchmark counts every other end; its reward is 0 where the conversation did not finish.
    if ended == "infrastructure_error" {
        run.excluded = Some(ended.to_owned());
        run.error = Some(failure.unwrap_or_else(|| ended.to_owned()));
        run.outcome = None;
    } else {
        run.error = failure;
    }
}

/// Returns the expected calls of a task, with the benchmark's findings. Without the task, the calls are taken from the
/// benchmark's checks.
fn expected(task: Option<&Vec<Action>>, checks: Vec<Action>) -> impl Iterator<Item = Action> {
    let mut actions = task.cloned().unwrap_or_default();
    if actions.is_empty() {
        return checks.into_iter();
    }
    for (position, action) in actions.iter_mut().enumerate() {
        let by_id = checks.iter().find(|check| check.id.is_some() && check.id == action.id);
        let check = by_id.or_else(|| checks.get(position).filter(|check| check.id.is_none()));
        action.call.matched = check.and_then(|check| check.call.matched);
    }
    actions.into_iter()
}

/// Reads `reward_info`: the reward, and which expected calls were made.
fn reward_info(json: &mut Json<'_>, run: &mut Run) -> Result<Vec<Action>, Error> {
    let mut checks = Vec::new();
    fields!(given |json, field| {
        "reward" => {
            let reward = json.any_real()?;
            let value = if reward.is_nan() { Value::Null } else { reward.into() };
            run.scores.insert("reward".to_owned(), Score { value, ..Score::default() });
        },
        "action_checks" => json.list(|json| {
            let (mut found, mut matched) = (None, None);
            fields!(|json| {
                "action" => found = Some(action(json)?),
                "action_match" => matched = json.optional(Json::boolean)?,
            })?;
            let mut check = found.ok_or_else(|| json.error_at("action", Problem::Missing))?;
            check.call.matched = matched;
            checks.push(check);
            Ok(())
        })?,
        "reward_basis" | "reward_breakdown" => run.note(field, json.value()?),
    })?;
    Ok(checks)
}

/// Reads the error in `info`.
fn failure_text(json: &mut Json<'_>) -> Result<Option<String>, Error> {
    if json.token()? != b'{' {
        return json.skip().map(|()| None);
    }
    let mut failure = None;
    fields!(|json| { "error" if json.token()? == b'"' => failure = Some(json.text()?), })?;
    Ok(failure)
}

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

    /// Makes the evaluation of all simulations from the head.
    pub(crate) fn complete(&mut self) {
        let n_tasks = Some(self.tasks.len() as u64).filter(|tasks| *tasks > 0);
        self.evaluation.get_or_insert_with(|| {
            Arc::new(Evaluation {
                task: self.domain.clone(),
                model: self.agent.clone(),
                created: self.created.clone(),
                total_samples: n_tasks.zip(self.n_trials).and_then(|(n, of)| n.checked_mul(of)),
                ..Evaluation::default()
            })
        });
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
