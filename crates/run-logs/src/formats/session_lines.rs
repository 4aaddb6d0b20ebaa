use std::collections::{BTreeMap, HashMap};

use crate::{
    engines::json::reader::Json,
    error::Error,
    formats::copies::usage_of,
    values::{
        run::{Run, Turn, Usage},
        time::between,
    },
};

/// Reads the lines of a session, all of them as one run. Returns whether the last line is cut off, because the program was killed
/// or is still writing; that line is dropped.
pub(crate) fn session_lines<'a>(
    json: &mut Json<'a>,
    mut read: impl FnMut(&mut Json<'a>) -> Result<(), Error>,
) -> Result<bool, Error> {
    while json.next_line()? {
        match read(json) {
            Err(error) if error.is_cut() => return Ok(true),
            read => read?,
        }
    }
    Ok(false)
}

/// Returns a finite number of at least 0: sums overflow, and texts may hold any number.
pub(crate) fn amount(number: f64) -> Option<f64> {
    Some(number).filter(|number| number.is_finite() && *number >= 0.0)
}

/// The time from the first line of a session to its last one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Span {
    first: Option<f64>,
    last: Option<f64>,
}

impl Span {
    /// Adds the time of a line, in seconds.
    pub(crate) fn add(&mut self, time: f64) {
        self.first = self.first.or(Some(time));
        self.last = Some(self.last.map_or(time, |last| last.max(time)));
    }

    /// Returns whether it begins after a time.
    pub(crate) fn is_after(self, time: Option<f64>) -> bool {
        self.first.zip(time).is_some_and(|(first, time)| time < first)
    }

    /// Returns the time of its first line, in seconds.
    pub(crate) const fn start(self) -> Option<f64> {
        self.first
    }

    /// Returns its length in seconds, without the digits that were lost in the times.
    pub(crate) fn seconds(self) -> Option<f64> {
        amount((between(self.first, self.last)? * 1e6).round() / 1e6)
    }
}

/// Completes a run of which the turns are known: its model, its usage, and the usage of the program's own calls.
pub(crate) fn complete(run: &mut Run, n_unfinished: usize, is_cut: bool) {
    let model = run.agent_turns().find_map(|turn| turn.model.clone());
    run.model = model;
    run.usage = usage_of(run);
    // The program names a session once and for all, so that a backup of its file is a copy of the run.
    run.uuid = Some(run.id.clone());
    for turn in &run.turns {
        if let (Some(role), Some(usage)) = (turn.caller.role(), turn.usage()) {
            let by_model: &mut BTreeMap<String, Usage> =
                run.other_usage.entry(role.to_owned()).or_default();
            let model = turn.model.clone().unwrap_or_default();
            let sum = by_model.get(&model).map_or_else(|| usage.clone(), |sum| sum.plus(usage));
            by_model.insert(model, sum);
        }
    }
    if n_unfinished > 0 {
        run.note("n_unfinished_replies", n_unfinished as i64);
    }
    if is_cut {
        run.note("incomplete_last_line", true);
    }
}

/// Returns turns in an order in which the turns of a subagent follow the turn that called it. `started` has the positions of the
/// subagents by the call that started them; each is placed once, and those that nobody called stand at the end. The first list of
/// turns is that of the agent.
pub(crate) fn in_order(
    threads: Vec<Vec<Turn>>,
    started: &HashMap<String, Vec<usize>>,
) -> Vec<Turn> {
    let mut threads: Vec<_> = threads.into_iter().map(|turns| Some(turns.into_iter())).collect();
    let mut turns = Vec::new();
    for at in 0..threads.len() {
        let mut open: Vec<_> = threads[at].take().into_iter().collect();
        while let Some(innermost) = open.last_mut() {
            let Some(turn) = innermost.next() else {
                open.pop();
                continue;
            };
            let calls = turn.calls().iter().rev();
            let inner = calls.filter_map(|call| started.get(call.id.as_ref()?));
            let inner = inner.flat_map(|agents| agents.iter().rev());
            open.extend(inner.filter_map(|at| threads.get_mut(*at).and_then(Option::take)));
            turns.push(turn);
        }
    }
    turns
}
