use std::collections::BTreeMap;

use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::writing::push_value,
    formats::harbor::{
        metrics::sum,
        written_run::{kept_run, scores},
        written_step::{map, number, step},
    },
    values::{
        caller::Caller,
        run::{Run, Turn},
        usage::Usage,
    },
};

/// The version of the format that is written.
const VERSION: &str = "ATIF-v1.8";

/// A run as a trajectory of the Agent Trajectory Interchange Format, version 1.8, in JSON.
///
/// Each turn of the agent is a step. Turns of a subagent, of a grader, of a simulated user and of
/// failed attempts are embedded trajectories, so that other tools do not take them for the agent's.
/// Scores are in `extra.scores` by name. What the format has no field for is in `extra.run_logs` of
/// the trajectory and of its steps, and reading the text with [`read`](crate::read) gives the same
/// run, except that messages of requests are left out and that numbers that are not finite become
/// null.
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
/// assert_eq!((runs.format(), runs.next()), (Format::Atif, Some(Ok(run))));
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
    let text_of = |name: &str, default: &str| match run.metadata.get(name) {
        Some(Value::Text(text)) => text.clone(),
        _ => default.to_owned(),
    };
    let mut agent = BTreeMap::from([
        ("name".to_owned(), text_of("agent", "unknown").into()),
        ("version".to_owned(), text_of("agent_version", "unknown").into()),
    ]);
    if let Some(model) = &run.model {
        agent.insert("model_name".to_owned(), model.as_str().into());
    }
    // Totals of a trajectory leave out its subagents.
    let totals = if others.is_empty() { run.usage.clone() } else { step_usage(&own) };
    let mut fields = vec![
        ("session_id", Some(run.id.as_str().into())),
        ("agent", Some(agent.into())),
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
    // The version comes first, by which readers know the format.
    let mut text = format!("{{\"schema_version\":\"{VERSION}\"");
    for (name, field) in fields {
        if let Some(field) = field {
            text.push_str(",\"");
            text.push_str(name);
            text.push_str("\":");
            push_value(&mut text, &field);
        }
    }
    text.push('}');
    text
}

fn step_usage(turns: &[(usize, &Turn)]) -> Usage {
    let replies = turns.iter().filter_map(|(_, turn)| turn.reply.as_ref());
    sum(replies.filter_map(|reply| reply.usage.as_ref()))
}

/// The steps; a trajectory has at least one.
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

/// The trajectory of those who are not the agent.
fn embedded_turns(number: usize, caller: &Caller, turns: &[(usize, &Turn)]) -> Value {
    let (name, kept) = match caller {
        Caller::Agent => ("agent", Some("agent")),
        Caller::Subagent(name) => (name.as_str(), None),
        Caller::Grader => ("grader", Some("grader")),
        Caller::User => ("user", Some("user")),
        Caller::FailedAttempt => ("failed attempt", Some("failed_attempt")),
    };
    let agent = map([("name", Some(name.into())), ("version", Some("unknown".into()))]);
    let kept = kept.map(|word| map([("run_logs", Some(map([("caller", Some(word.into()))])))]));
    map([
        ("schema_version", Some(VERSION.into())),
        ("trajectory_id", Some(format!("{name} {}", number + 1).into())),
        ("agent", Some(agent)),
        ("steps", Some(steps(turns, None))),
        ("final_metrics", Some(final_metrics(&step_usage(turns), turns.len()))),
        ("extra", kept),
    ])
}
