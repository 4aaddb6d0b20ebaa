use std::io::Read;

use censoring::StopReason;
use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::{Json, fields},
    error::{Error, Problem},
    formats::tau2::{
        conversation::Conversation,
        header::{Action, Header, action},
    },
    read_options::ReadOptions,
    values::run::{Caller, Run, RunLimit, Score, Usage},
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
            run.metadata.insert("domain".to_owned(), domain.as_str().into());
            // Domains number their tasks alike.
            run.task = run.task.map(|task| format!("{domain}/{task}"));
        }
        run.metadata.insert("termination_reason".to_owned(), ended.into());
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
        "user_cost" | "duration" | "seed" => {
            run.metadata.insert(field.to_owned(), json.value()?);
        },
    })?;
    run.id = id.ok_or_else(|| json.error_at("id", Problem::Missing))?;
    run.uuid = Some(run.id.clone());
    let ended = ended.ok_or_else(|| json.error_at("termination_reason", Problem::Missing))?;
    run.turns = messages.or(ticks).map(|conversation| conversation.turns).unwrap_or_default();
    run.usage = Usage { cost_usd: agent_cost, ..usage_of(&run) };
    Ok(Simulation { run, ended, checks, failure })
}

/// Returns the total usage of the agent's calls; a count is known if it is known for each of them.
fn usage_of(run: &Run) -> Usage {
    let replies = run.agent_turns().filter_map(|turn| turn.reply.as_ref());
    let usages = replies.map(|reply| reply.usage.clone().unwrap_or_default());
    usages.reduce(|sum, usage| sum.plus(&usage)).unwrap_or_default()
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
        "reward_basis" | "reward_breakdown" => {
            run.metadata.insert(field.to_owned(), json.value()?);
        },
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
