use std::borrow::Cow;

use budget_estimation::Rollouts;
use run_logs::{
    Arguments, OutcomePolicy, Reply, Role, Run, RunTable, StreamOptions, Turn, to_json,
};

use crate::error::Error;

/// The rollouts of runs, with what each turn said, for [`Budget::instance`](super::Budget::instance).
///
/// Costs, outcomes, ids and tasks are those of [`RunTable::rollouts`], with its resources; the
/// prompts state fresh input and leave out that of whole requests, which counts what is sent again. Runs without a known outcome and without turns are left out. The
/// content of a turn is the text of its reply, its calls, and the answers to them if the runs were read
/// with requests ([`run_logs::ReadOptions::requests`]). The content before the first turn is what
/// its request says.
///
/// ```
/// use agent_benchmarks::{Error, Run};
/// use agent_benchmarks::budget::{AtLimit, OutcomePolicy, rollouts_of_runs};
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
/// let rollouts = rollouts_of_runs(&[run], &OutcomePolicy::new(AtLimit::Scored))?;
/// let rollout = rollouts.get(0)?;
/// assert_eq!((rollout.content(1), rollout.turns()), (Some("I push the box up."), 2));
/// assert_eq!(rollout.total(rollouts.resource("output_tokens")?)?, 15.0);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// [`Error::RunLogs`] for scores that the policy cannot read and costs out of range.
pub fn rollouts_of_runs(runs: &[Run], policy: &OutcomePolicy) -> Result<Rollouts, Error> {
    let table = RunTable::new(runs.iter().cloned().map(Ok), policy, &StreamOptions::default())?;
    let mut rollouts = table.rollouts()?;
    let rows = runs.iter().zip(table.rows());
    let kept = rows.filter(|(_, row)| row.outcome.is_some() && !row.turn_usage.is_empty());
    for (rollout, (run, _)) in kept.enumerate() {
        let turns: Vec<&Turn> =
            run.agent_turns().filter(|turn| turn.model_calls != Some(0)).collect();
        if let Some(task) =
            turns.first().map(|turn| said(&turn.request)).filter(|it| !it.is_empty())
        {
            rollouts.set_content(rollout, 0, task)?;
        }
        for (place, turn) in turns.iter().enumerate() {
            let mut parts: Vec<Cow<'_, str>> = Vec::new();
            if let Some(reply) = &turn.reply {
                parts.extend(reply_parts(reply));
            }
            if let Some(next) = turns.get(place + 1) {
                let since = next.request.iter().rposition(|it| it.role == Role::Assistant);
                let answers = said(&next.request[since.map_or(next.request.len(), |at| at + 1)..]);
                parts.push(answers.into());
            }
            parts.retain(|part| !part.is_empty());
            if !parts.is_empty() {
                rollouts.set_content(rollout, place + 1, parts.join("\n"))?;
            }
        }
    }
    Ok(rollouts)
}

fn said(messages: &[run_logs::Message]) -> String {
    let lines = messages.iter().filter(|message| !message.text.is_empty());
    let lines: Vec<String> =
        lines.map(|message| format!("{}: {}", message.role.name(), message.text)).collect();
    lines.join("\n")
}

fn reply_parts(reply: &Reply) -> impl Iterator<Item = Cow<'_, str>> {
    let calls = reply.tool_calls.iter().map(|call| {
        let arguments: Cow<'_, str> = match &call.arguments {
            Arguments::Parsed(value) => to_json(value).into(),
            Arguments::Unparsed { text, .. } => text.as_str().into(),
        };
        format!("call {}: {arguments}", call.name).into()
    });
    std::iter::once(Cow::from(reply.text.as_str())).chain(calls)
}
