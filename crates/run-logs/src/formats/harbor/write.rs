use std::collections::BTreeMap;

use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::writing::to_json,
    formats::harbor::trajectory::{self, map, number, sum},
    values::{
        run::{Arguments, Caller, RecordedCall, Reply, Run, Score, Turn, Usage, text_of},
        tokens::Tokens,
    },
};

/// The version of the format that is written.
const VERSION: &str = "ATIF-v1.8";

/// Writes a run as a trajectory of the Agent Trajectory Interchange Format, version 1.8, in JSON.
///
/// Each turn of the agent is a step. Turns of a subagent, of a grader, of a simulated user and of failed attempts are embedded
/// trajectories, so that other tools do not attribute them to the agent. Scores are in `extra.scores` by name. Some facts for
/// which the format has no field are under `extra.run_logs`, where [`read`](crate::read) finds them again:
///
/// | of | keys |
/// |---|---|
/// | the trajectory | `task`, `trial`, `outcome`, `stop`, `horizon`, `limit`, `error`, `excluded`, `usage`, `metadata` |
/// | a step | `turn` (its position in the run), `failed` (it has no reply), `error`, `refusal`, `stop` |
/// | a call | `ok`, `error`, `without_id`; `arguments`, or `unparsed` with its `problem`, in place of arguments that are not an object |
///
/// An embedded trajectory has a mark that distinguishes it from the trajectory of a subagent. Everything else that the format
/// cannot express is left out: messages of requests, texts of tokens, replies after the first, expected calls, and arguments as
/// they were written.
///
/// ```
/// use std::io::Cursor;
/// use run_logs::{Error, Format, ReadOptions, Reply, Run, Turn, read, to_atif};
///
/// let mut run = Run::new("sample-1");
/// run.outcome = Some(true);
/// let mut turn = Turn::default();
/// turn.reply = Some(Reply { text: "18".to_owned(), ..Reply::default() });
/// run.turns.push(turn);
///
/// let text = to_atif(&run);
/// let mut runs = read(Cursor::new(text), Format::Auto, &ReadOptions::default())?;
/// let back = runs.next().expect("one run")?;
/// assert_eq!((runs.format(), back.outcome), (Format::Atif, Some(true)));
/// assert_eq!(back.turns, run.turns);
/// # Ok::<(), Error>(())
/// ```
#[must_use]
pub fn to_atif(run: &Run) -> String {
    let mut own = Vec::new();
    let mut others: Vec<(&Caller, Vec<(usize, &Turn)>)> = Vec::new();
    for (position, turn) in run.turns.iter().enumerate() {
        if turn.caller == Caller::Agent {
            own.push((position, turn));
        } else {
            match others.iter_mut().find(|(caller, _)| **caller == turn.caller) {
                Some((_, turns)) => turns.push((position, turn)),
                None => others.push((&turn.caller, vec![(position, turn)])),
            }
        }
    }
    let described = |name: &str| {
        let text = run.metadata.get(name).and_then(text_of);
        Some(text.unwrap_or("unknown").into())
    };
    let agent = map([
        ("name", described("agent")),
        ("version", described("agent_version")),
        ("model_name", text(&run.model)),
    ]);
    // Totals of a trajectory leave out its subagents.
    let totals = if others.is_empty() { run.usage.clone() } else { step_usage(&own) };
    let mut fields = vec![
        ("session_id", Some(run.id.as_str().into())),
        ("agent", Some(agent)),
        ("steps", Some(steps(&own, run.model.as_deref()))),
        ("final_metrics", Some(final_metrics(&totals, own.len()))),
        ("extra", Some(map([("run_logs", Some(kept_run(run))), ("scores", scores(run))]))),
    ];
    if !others.is_empty() {
        let embedded = others.iter().enumerate();
        let embedded =
            embedded.map(|(number, (caller, turns))| embedded_turns(number, caller, turns));
        fields.push(("subagent_trajectories", Some(embedded.collect::<Vec<_>>().into())));
    }
    // The version, which identifies the format, comes first.
    let mut text = format!("{{\"schema_version\":\"{VERSION}\"");
    for (name, field) in fields {
        if let Some(field) = field {
            text.push_str(",\"");
            text.push_str(name);
            text.push_str("\":");
            text.push_str(&to_json(&field));
        }
    }
    text.push('}');
    text
}

fn step_usage(turns: &[(usize, &Turn)]) -> Usage {
    sum(turns.iter().filter_map(|(_, turn)| turn.usage()))
}

/// Returns the steps; a trajectory has at least one.
fn steps(turns: &[(usize, &Turn)], model: Option<&str>) -> Value {
    if turns.is_empty() {
        let empty = [
            ("step_id", Some(Value::Integer(1))),
            ("source", Some("system".into())),
            ("message", Some("".into())),
        ];
        return vec![map(empty)].into();
    }
    let steps = turns.iter().enumerate();
    let steps = steps.map(|(index, (position, turn))| step(index + 1, *position, turn, model));
    steps.collect::<Vec<_>>().into()
}

fn final_metrics(totals: &Usage, n_steps: usize) -> Value {
    map([
        ("total_prompt_tokens", totals.input_tokens.map(number)),
        ("total_completion_tokens", totals.output_tokens.map(number)),
        ("total_cached_tokens", totals.cached_tokens.map(number)),
        ("total_cost_usd", totals.cost_usd.map(Value::Real)),
        ("total_steps", Some(number(n_steps.max(1) as u64))),
    ])
}

/// Returns the trajectory of the callers other than the agent.
fn embedded_turns(number: usize, caller: &Caller, turns: &[(usize, &Turn)]) -> Value {
    let role;
    let name = match caller {
        Caller::Agent => "agent",
        Caller::Subagent(name) => name,
        Caller::Grader => "grader",
        Caller::User => "user",
        Caller::FailedAttempt => "failed attempt",
        Caller::Role(name) => {
            role = format!("{}{name}", trajectory::ROLE);
            &role
        }
    };
    // A mark that distinguishes these callers from subagents of the same name.
    let is_marked = trajectory::caller(name).as_ref() == Some(caller);
    let mark = is_marked.then(|| map([("run_logs", Some(map([])))]));
    let agent = map([("name", Some(name.into())), ("version", Some("unknown".into()))]);
    map([
        ("schema_version", Some(VERSION.into())),
        ("trajectory_id", Some(format!("{name} {}", number + 1).into())),
        ("agent", Some(agent)),
        ("steps", Some(steps(turns, None))),
        ("final_metrics", Some(final_metrics(&step_usage(turns), turns.len()))),
        ("extra", mark),
    ])
}

/// Returns the data added to the trajectory.
fn kept_run(run: &Run) -> Value {
    let limit = run.limit.as_ref().map(|limit| {
        map([
            ("type", Some(limit.kind.as_str().into())),
            ("limit", limit.limit.map(Value::Real)),
            ("reason", text(&limit.reason)),
        ])
    });
    map([
        ("task", text(&run.task)),
        ("trial", run.trial.map(number)),
        ("outcome", run.outcome.map(Value::Bool)),
        ("stop", run.stop.as_ref().map(|stop| stop.to_string().into())),
        ("horizon", run.horizon.map(number)),
        ("started", run.started.map(Value::Real)),
        ("seconds", run.seconds.map(Value::Real)),
        ("limit", limit),
        ("error", text(&run.error)),
        ("excluded", text(&run.excluded)),
        // The format's totals leave out subagents, and a sum of steps skips unknown counts.
        ("usage", Some(metrics(&run.usage, None))),
        ("metadata", (!run.metadata.is_empty()).then(|| run.metadata.clone().into())),
    ])
}

/// Returns the scores by name.
fn scores(run: &Run) -> Option<Value> {
    let scores = run.scores.iter().map(|(name, score)| (name.clone(), score_value(score)));
    let scores: BTreeMap<String, Value> = scores.collect();
    (!scores.is_empty()).then(|| scores.into())
}

fn score_value(score: &Score) -> Value {
    map([
        ("value", Some(score.value.clone())),
        ("answer", text(&score.answer)),
        ("explanation", text(&score.explanation)),
        ("metadata", (!score.metadata.is_empty()).then(|| score.metadata.clone().into())),
    ])
}

pub(crate) fn text(text: &Option<String>) -> Option<Value> {
    text.as_deref().map(Value::from)
}

/// Returns a turn as the step with this number. A model equal to the trajectory's model is left out.
pub(crate) fn step(id: usize, position: usize, turn: &Turn, model: Option<&str>) -> Value {
    let reply = turn.reply.as_ref();
    let own_model = turn.model.as_deref().filter(|own| Some(*own) != model);
    // A step without a model call has no metrics.
    let metrics = reply.filter(|_| turn.model_calls != Some(0)).and_then(reply_metrics);
    map([
        ("step_id", Some(number(id as u64))),
        ("source", Some("agent".into())),
        ("message", Some(reply.map(|reply| reply.text.as_str()).unwrap_or_default().into())),
        ("model_name", own_model.map(Value::from)),
        ("tool_calls", tool_calls(turn.calls(), position)),
        ("metrics", metrics),
        ("llm_call_count", turn.model_calls.map(number)),
        ("extra", Some(map([("run_logs", Some(kept_step(position, turn)))]))),
    ])
}

fn reply_metrics(reply: &Reply) -> Option<Value> {
    let logprobs = reply.tokens.as_ref().map(Tokens::logprobs);
    // The format cannot represent non-finite numbers.
    let logprobs = logprobs.filter(|logprobs| logprobs.iter().all(|logprob| logprob.is_finite()));
    let logprobs = logprobs.map(|logprobs| {
        Value::List(logprobs.iter().map(|logprob| Value::Real(*logprob)).collect())
    });
    let is_any = reply.usage.is_some() || logprobs.is_some();
    is_any.then(|| metrics(reply.usage.as_ref().unwrap_or(&Usage::default()), logprobs))
}

/// Returns the usage as the metrics of a step.
pub(crate) fn metrics(usage: &Usage, logprobs: Option<Value>) -> Value {
    let details = [usage.cache_write_tokens, usage.reasoning_tokens, usage.total];
    let details = details.iter().any(Option::is_some);
    let details = details.then(|| {
        map([
            ("cache_write_tokens", usage.cache_write_tokens.map(number)),
            ("reasoning_tokens", usage.reasoning_tokens.map(number)),
            ("total_tokens", usage.total.map(number)),
        ])
    });
    map([
        ("prompt_tokens", usage.input_tokens.map(number)),
        ("completion_tokens", usage.output_tokens.map(number)),
        ("cached_tokens", usage.cached_tokens.map(number)),
        ("cost_usd", usage.cost_usd.map(Value::Real)),
        ("logprobs", logprobs),
        ("extra", details),
    ])
}

fn kept_step(position: usize, turn: &Turn) -> Value {
    let reply = turn.reply.as_ref();
    let stop = reply.and_then(|reply| reply.stop.as_ref());
    map([
        ("turn", Some(number(position as u64))),
        ("failed", reply.is_none().then_some(Value::Bool(true))),
        ("error", text(&turn.error)),
        ("refusal", reply.and_then(|reply| text(&reply.refusal))),
        ("stop", stop.map(|stop| stop.to_string().into())),
        ("reply", reply.and_then(|reply| text(&reply.id))),
        ("seconds", turn.seconds.map(Value::Real)),
    ])
}

/// Returns the calls. The format requires an id for each call and arguments that are an object.
fn tool_calls(calls: &[RecordedCall], position: usize) -> Option<Value> {
    let calls = calls.iter().enumerate().map(|(number, call)| {
        let id = call.id.clone().unwrap_or_else(|| format!("{position}.{number}"));
        let without_id = call.id.is_none().then_some(Value::Bool(true));
        let (mut object, mut other) = (Value::Map(BTreeMap::new()), None);
        let (mut unparsed, mut problem) = (None, None);
        match &call.arguments {
            Arguments::Parsed(value @ Value::Map(_)) => object = value.clone(),
            Arguments::Parsed(value) => other = Some(value.clone()),
            Arguments::Unparsed { text, problem: why } => {
                (unparsed, problem) = (Some(text.as_str().into()), Some(why.as_str().into()));
            }
        }
        let kept = map([
            ("arguments", other),
            ("unparsed", unparsed),
            ("problem", problem),
            ("without_id", without_id),
            ("ok", call.ok.map(Value::Bool)),
            ("seconds", call.seconds.map(Value::Real)),
            ("error", text(&call.error)),
        ]);
        map([
            ("tool_call_id", Some(id.into())),
            ("function_name", Some(call.name.as_str().into())),
            ("arguments", Some(object)),
            ("extra", (kept != map([])).then(|| map([("run_logs", Some(kept))]))),
        ])
    });
    let calls: Vec<Value> = calls.collect();
    (!calls.is_empty()).then(|| calls.into())
}
