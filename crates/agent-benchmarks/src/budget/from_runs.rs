use std::borrow::Cow;

use budget_estimation::Rollouts;
use run_logs::{
    Arguments, FactRules, Message, Reply, Role, Run, RunTable, StreamOptions, Turn, to_json,
};

use crate::error::Error;

/// Which tool results a model sees when it is asked about a prefix of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shown {
    /// What the agent saw when it took its last action: the result of an action belongs to the next turn. The paper
    /// and its code read prefixes in this way.
    #[default]
    WhenActing,
    /// What the agent sees before its next action: the view of [`Self::WhenActing`], and the results of the last
    /// completed turn.
    AfterActing,
}

/// Converts runs to rollouts with the observation and the reply of each turn, as input for
/// [`Budget::instance`](super::Budget::instance). `shown` selects the tool results.
///
/// Costs, outcomes, ids, tasks and resources are the same as in [`RunTable::rollouts`]; the key `model` is the model of the
/// agent. The prompts state fresh input and omit the input of whole requests, which counts repeated parts again. Runs without a
/// known outcome and without turns are left out. The content of a turn is the text of its reply and its calls. If the runs were
/// read with requests ([`run_logs::ReadOptions::requests`]), the observation of a turn is the part of its request after the
/// previous reply, and the content before the first turn is the system message.
///
/// ```
/// use agent_benchmarks::{Error, Run};
/// use agent_benchmarks::budget::{FactRules, Shown, rollouts_of_runs};
/// use run_logs::{Reply, Turn, Usage};
///
/// let mut run = Run::new("run 1");
/// run.outcome = Some(true);
/// for (text, tokens) in [("I push the box up.", 12), ("Done.", 3)] {
///     let usage = Usage { output_tokens: Some(tokens), ..Usage::default() };
///     let mut turn = Turn::default();
///     turn.reply = Some(Reply { text: text.to_owned(), usage: Some(usage), ..Reply::default() });
///     run.turns.push(turn);
/// }
/// let policy = FactRules::default();
/// let rollouts = rollouts_of_runs(&[run], &policy, Shown::WhenActing)?;
/// let rollout = rollouts.get(0)?;
/// assert_eq!((rollout.content(1), rollout.turns()), (Some("I push the box up."), 2));
/// assert_eq!(rollout.usage(rollouts.resource("output_tokens")?)?.total(), 15.0);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// [`Error::RunLogs`] for scores that the policy cannot read and costs out of range.
pub fn rollouts_of_runs(runs: &[Run], policy: &FactRules, shown: Shown) -> Result<Rollouts, Error> {
    let table = RunTable::new(runs.iter().cloned().map(Ok), policy, &StreamOptions::default())?;
    let mut rollouts = table.rollouts()?.with_keys(["model"])?;
    let rows = table.rows().iter().map(|row| (&runs[row.index], row));
    let kept = rows.filter(|(_, row)| row.outcome.is_some() && !row.turn_usage.is_empty());
    for (rollout, (run, row)) in kept.enumerate() {
        if let Some(model) = &row.model {
            rollouts.set_key(rollout, "model", model)?;
        }
        let turns: Vec<&Turn> =
            run.agent_turns().filter(|turn| turn.model_calls != Some(0)).collect();
        let first = turns.first().map_or(&[][..], |turn| &turn.request);
        let (system, seen): (Vec<_>, Vec<_>) =
            first.iter().partition(|message| message.role == Role::System);
        let mut observations = vec![said(seen)];
        observations.extend(turns.iter().skip(1).map(|turn| {
            let since = turn.request.iter().rposition(|it| it.role == Role::Assistant);
            said(&turn.request[since.map_or(turn.request.len(), |at| at + 1)..])
        }));
        let mut contents = vec![said(system)];
        contents.extend(turns.iter().map(|turn| turn.reply.as_ref().map_or(String::new(), acted)));
        if shown == Shown::AfterActing {
            for (content, results) in contents.iter_mut().skip(1).zip(&mut observations[1..]) {
                *content = joined([&*content, &std::mem::take(results)]);
            }
        }
        for (turn, content) in contents.into_iter().enumerate().filter(|(_, it)| !it.is_empty()) {
            rollouts.set_content(rollout, turn, content)?;
        }
        for (turn, seen) in (1..).zip(observations).filter(|(_, it)| !it.is_empty()) {
            rollouts.set_observation(rollout, turn, seen)?;
        }
    }
    Ok(rollouts)
}

/// Returns the texts of messages; texts of tools have their role.
fn said<'a>(messages: impl IntoIterator<Item = &'a Message>) -> String {
    joined(messages.into_iter().map(|message| match message.role {
        Role::Tool if !message.text.is_empty() => format!("tool: {}", message.text),
        _ => message.text.clone(),
    }))
}

/// Returns the text of a reply, and its calls.
fn acted(reply: &Reply) -> String {
    let calls = reply.tool_calls.iter().map(|call| {
        let arguments: Cow<'_, str> = match &call.arguments {
            Arguments::Parsed(value) => to_json(value).into(),
            Arguments::Unparsed { text, .. } => text.as_str().into(),
        };
        format!("call {}: {arguments}", call.name)
    });
    joined(std::iter::once(reply.text.clone()).chain(calls))
}

/// Joins the texts that are not empty, one per line.
fn joined<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> String {
    let texts = texts.into_iter().filter(|text| !text.as_ref().is_empty());
    texts.map(|text| text.as_ref().to_owned()).collect::<Vec<_>>().join("\n")
}
