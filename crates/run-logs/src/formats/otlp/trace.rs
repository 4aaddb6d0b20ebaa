use std::{
    collections::{HashMap, HashSet, VecDeque},
    mem,
};

use censoring::{StopClass, StopReason};
use trajectory_metrics::tool_calls::Value;

use crate::{
    error::Error,
    format::ReadLimits,
    formats::{
        copies::usage_of,
        otlp::{
            attributes::{Fact, Kind},
            reading::Reading,
            scores,
            span::{PARTS, Span, text},
            step::{Dialect, Step},
            tree::Tree,
        },
    },
    values::run::{Arguments, Caller, RecordedCall, Reply, Run, RunLimit, Turn, Usage},
};

/// The spans of a run.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    pub(crate) id: String,
    pub(crate) spans: Vec<Span>,
    /// Whether the last line of the file is cut off, so that spans may be missing.
    pub(crate) is_cut: bool,
}

/// Makes a run of its spans, in any order; `None` if none of them has to do with an agent. A span that occurs twice counts once.
///
/// It takes time proportional to the number of spans.
pub(crate) fn run(
    trace: Trace,
    limits: ReadLimits,
    dialects: &[Dialect],
) -> Result<Option<Run>, Error> {
    let mut run = Run::new(trace.id);
    let spans = unique(trace.spans, dialects);
    let mut reading = Reading { limits, held: spans.iter().map(Span::size).sum() };
    let mut steps = Vec::with_capacity(spans.len());
    for span in &spans {
        let step = Step::of(span, &mut reading, dialects)?;
        steps.push(step);
        scores::add(span, &mut run.scores);
    }
    if run.scores.is_empty() && steps.iter().all(|step| step.kind.is_none()) {
        return Ok(None);
    }
    let times = spans.iter().zip(&steps).filter(|(span, _)| span.start > 0);
    let first = times.clone().map(|(_, step)| step.start).min();
    let last = times.map(|(span, _)| span.end).max();
    let tree = Tree::new(&spans, &steps);
    let has_call = calls_below(&steps, &tree);
    join_calls(&tree, &mut steps);
    let roots: Vec<usize> = (0..spans.len()).filter(|&at| spans[at].parent.is_empty()).collect();
    run.started = first.map(|first| first as f64 / 1e9);
    run.seconds = match roots.as_slice() {
        &[root] if spans[root].seconds().is_some() => spans[root].seconds(),
        _ => first
            .zip(last)
            .and_then(|(first, last)| last.checked_sub(first))
            .map(|time| time as f64 / 1e9),
    };
    note_end(&spans, &steps, &tree, &mut run);
    add_sums(&spans, &steps, &tree, &has_call, &mut run);
    add_turns(&spans, steps, &tree, &mut run);
    if trace.is_cut {
        run.note("incomplete_last_line", true);
    }
    Ok(Some(run))
}

/// Returns the spans and their events in the order in which they start, each once, with the parts that events hold of them.
fn unique(spans: Vec<Span>, dialects: &[Dialect]) -> Vec<Span> {
    let mut all: Vec<Span> = Vec::with_capacity(spans.len());
    // The id of a span is one of its trace.
    let mut known: HashMap<[String; 2], usize> = HashMap::new();
    let mut events = Vec::new();
    for mut span in spans {
        events.append(&mut span.events);
        if span.is_event {
            events.push(span);
            continue;
        }
        let key = [span.trace.clone(), span.id.clone()];
        match known.get(&key).and_then(|&at| all.get_mut(at)) {
            // A span may be exported while it is open, and again at its end.
            Some(copy) if copy.end <= span.end => *copy = span,
            Some(_) => {}
            None => {
                known.insert(key, all.len());
                all.push(span);
            }
        }
    }
    for mut event in events {
        let [key, parent] = [&event.id, &event.parent].map(|id| [event.trace.clone(), id.clone()]);
        let parent = known.get(&parent).and_then(|&at| all.get_mut(at)).filter(|it| !it.is_event);
        match (event.name.as_str(), parent) {
            ("gen_ai.choice", Some(parent)) => {
                let index = event.get("index").and_then(text).unwrap_or_default();
                let choice =
                    event.attributes.remove("body").unwrap_or(Value::Map(event.attributes));
                parent.attributes.insert(format!("gen_ai.choice.{index}"), choice);
            }
            (name, Some(parent)) if PARTS.contains(&name) => {
                for (name, value) in event.attributes {
                    parent.attributes.entry(name).or_insert(value);
                }
            }
            _ if known.contains_key(&key) => {}
            _ => {
                known.insert(key, all.len());
                all.push(event);
            }
        }
    }
    // The order in the file does not matter.
    all.sort_by(|a, b| (a.start, a.end, &a.id).cmp(&(b.start, b.end, &b.id)));
    for dialect in dialects {
        (dialect.prepare)(&mut all);
    }
    all
}

/// Joins the spans of one call: nested ones of several layers, of which the innermost counts, and model calls with the id of the
/// same reply.
fn join_calls(tree: &Tree, steps: &mut [Step]) {
    let is = |step: &Step, kind| step.kind == Some(kind);
    let mut inner = vec![0_usize; steps.len()];
    for (at, step) in steps.iter().enumerate() {
        if let Some(outer) = tree.call[at] {
            inner[outer] += usize::from(is(step, Kind::ModelCall));
        }
    }
    // The spans to which calls are moved.
    let mut place: Vec<usize> = (0..steps.len()).collect();
    for &at in tree.order.iter().rev() {
        let Some(outer) = tree.call[at].filter(|_| is(&steps[place[at]], Kind::ModelCall)) else {
            continue;
        };
        if inner[outer] == 1 {
            let step = mem::take(&mut steps[outer]);
            place[outer] = place[at];
            steps[place[at]].add(step);
        } else {
            // The sum of several calls.
            steps[outer].kind = None;
        }
    }
    let mut replies: HashMap<String, usize> = HashMap::new();
    for &at in &tree.order {
        let step = &steps[at];
        if is(step, Kind::ModelCall)
            && let Some(id) = step.id.clone()
        {
            let first = *replies.entry(id).or_insert(at);
            let counts = |it: &Step| [it.usage.input_tokens, it.usage.output_tokens];
            let is_same = |(a, b): (Option<u64>, Option<u64>)| a.is_none() || b.is_none() || a == b;
            let (a, b) = (counts(&steps[first]), counts(step));
            if first != at && a.into_iter().zip(b).all(is_same) {
                let step = mem::take(&mut steps[at]);
                steps[first].add(step);
            }
        } else if is(step, Kind::Tool)
            && let Some(outer) = tree.tool[at].map(|outer| place[outer])
        {
            let (a, b) = (&steps[outer], step);
            let is_same =
                if a.id.is_some() && b.id.is_some() { a.id == b.id } else { a.name == b.name };
            if is_same {
                let step = mem::take(&mut steps[at]);
                place[at] = outer;
                steps[outer].add(step);
            }
        }
    }
}

/// Notes the agent, the error and the limit that the span around all others states.
fn note_end(spans: &[Span], steps: &[Step], tree: &Tree, run: &mut Run) {
    let tops = tree.order.iter().copied().filter(|&at| tree.parent[at].is_none());
    let top = tops.clone().max_by_key(|&at| (!spans[at].is_event, spans[at].end));
    // A span around a workflow may be one of an agent, too; the agent is the one that calls models.
    let is_agent = |at: &usize| steps[*at].kind == Some(Kind::Agent);
    let calls = tree.order.iter().filter(|at| steps[**at].kind == Some(Kind::ModelCall));
    let owner = calls.filter_map(|at| tree.owner[*at]).find(is_agent);
    let agent = owner.or_else(|| tree.order.iter().copied().find(is_agent));
    if let Some(name) = agent.and_then(|at| steps[at].name.clone()) {
        run.note("agent", name);
    }
    let stated = |fact| agent.into_iter().chain(top).find_map(|at| spans[at].text(fact));
    run.stop = stated(Fact::AgentStop).map(Into::into);
    let budget = stated(Fact::TokenBudget).and_then(|limit| limit.parse::<f64>().ok());
    let used = stated(Fact::TokenBudgetUsed).and_then(|used| used.parse::<f64>().ok());
    if let Some(limit) = budget {
        run.note("token_budget", limit);
        if used.is_some_and(|used| used >= limit) {
            run.limit =
                Some(RunLimit { kind: "token".to_owned(), limit: Some(limit), reason: None });
        }
    }
    // The outermost span may not say that the agent failed.
    let Some(failed) = top.into_iter().chain(agent).find(|&at| steps[at].error.is_some()) else {
        return;
    };
    let error = steps[failed].error.clone().unwrap_or_default();
    let limit = limit(spans[failed].get("exception.type").and_then(text), &error);
    if let Some(stop) = &limit {
        let (kind, reason) = (stop.to_string(), Some(error.clone()));
        run.limit = run.limit.take().or(Some(RunLimit { kind, limit: None, reason }));
    }
    run.stop = run.stop.take().or(limit).or_else(|| Some(StopReason::Other("error".to_owned())));
    run.error = Some(error);
}

/// Returns the limit that an exception or the start of its message names.
fn limit(exception: Option<String>, message: &str) -> Option<StopReason> {
    let name = exception.as_deref().and_then(|name| name.rsplit('.').next());
    if name == Some("UsageLimitExceeded") {
        // Pydantic AI names the limit in the message.
        let is_of_tokens = message.contains("token");
        return Some(if is_of_tokens { StopReason::MaxTokens } else { StopReason::MaxSteps });
    }
    let start = message.split(':').next().unwrap_or_default().to_owned();
    let reasons = exception.into_iter().chain([start]).map(StopReason::from);
    reasons.into_iter().find(|stop| stop.class() == StopClass::Censored)
}

fn states(step: &Step) -> bool {
    let Usage { input_tokens, output_tokens, total, .. } = &step.usage;
    input_tokens.is_some() || output_tokens.is_some() || total.is_some()
}

/// Returns for each span whether it or one within it is a model call that states its usage.
fn calls_below(steps: &[Step], tree: &Tree) -> Vec<bool> {
    let mut has_call = vec![false; steps.len()];
    for &at in tree.order.iter().rev() {
        has_call[at] |= steps[at].kind == Some(Kind::ModelCall) && states(&steps[at]);
        if let (true, Some(parent)) = (has_call[at], tree.parent[at]) {
            has_call[parent] = true;
        }
    }
    has_call
}

/// Adds the usage that no model call states: sums of agents whose calls were not recorded, and calls of models that are not
/// turns, such as embeddings.
fn add_sums(spans: &[Span], steps: &[Step], tree: &Tree, has_call: &[bool], run: &mut Run) {
    let mut is_counted = vec![false; steps.len()];
    for &at in &tree.order {
        is_counted[at] = tree.parent[at].is_some_and(|parent| is_counted[parent]);
        let is_call = steps[at].kind == Some(Kind::ModelCall);
        if is_call || has_call[at] || is_counted[at] || !states(&steps[at]) {
            continue;
        }
        is_counted[at] = true;
        let usage = &steps[at].usage;
        let stated = spans[at].text(Fact::Kind).unwrap_or_default().to_ascii_lowercase();
        if ["embedding", "embeddings", "reranker"].contains(&stated.as_str()) {
            add_other(&stated, steps[at].model.as_deref(), usage, run);
        } else {
            run.usage = run.usage.and(usage);
            run.note("usage_of_agents", true);
        }
    }
}

/// Adds the usage of a caller other than the agent.
fn add_other(role: &str, model: Option<&str>, usage: &Usage, run: &mut Run) {
    let models = run.other_usage.entry(role.to_owned()).or_default();
    let sum = models.entry(model.unwrap_or("unknown").to_owned()).or_default();
    *sum = sum.and(usage);
}

/// Adds the turns, and the calls of tools to the turns that made them.
fn add_turns(spans: &[Span], steps: Vec<Step>, tree: &Tree, run: &mut Run) {
    let subagents = subagents(spans, &steps, tree);
    let steps = steps.into_iter().enumerate();
    let steps = steps.filter(|(_, step)| matches!(step.kind, Some(Kind::ModelCall | Kind::Tool)));
    let (mut turns, mut tools): (Vec<_>, Vec<_>) =
        steps.partition(|(_, step)| step.kind == Some(Kind::ModelCall));
    turns.sort_by_key(|(_, step)| step.start);
    tools.sort_by_key(|(_, step)| step.start);
    let mut made = Made::default();
    for (at, step) in turns {
        let owner = tree.owner[at];
        let subagent = owner.and_then(|owner| subagents[owner].clone()).map(Caller::Subagent);
        let caller = step.caller.or_else(|| tree.role[at].clone()).or(subagent).unwrap_or_default();
        if let (Some(role), true) = (caller.role(), step.usage != Usage::default()) {
            add_other(role, step.model.as_deref(), &step.usage, run);
        }
        let reply = step.reply.iter();
        reply.for_each(|reply| made.add(owner, step.start, run.turns.len(), reply));
        run.turns.push(Turn {
            model: step.model,
            caller,
            reply: step.reply,
            other_replies: step.other_replies,
            error: step.error,
            seconds: step.seconds,
            ..Turn::default()
        });
    }
    for (at, step) in tools {
        add_tool(step, tree.owner[at], &mut made, run);
    }
    let model = run.agent_turns().find_map(|turn| turn.model.clone());
    run.model = model;
    if run.agent_turns().any(|turn| turn.reply.is_some()) {
        run.usage = usage_of(run).and(&mem::take(&mut run.usage));
    }
}

/// Where calls of tools may have been made.
#[derive(Default)]
struct Made {
    /// The turns with a reply of each owner, and those of all, with their starts and in their order.
    turns: HashMap<Option<usize>, Vec<(u64, usize)>>,
    all: Vec<(u64, usize)>,
    /// The turn of each call with an id, and its place there.
    calls: HashMap<String, (usize, usize)>,
    /// The places of the calls of each name in each turn, and the calls whose ends are known.
    named: HashMap<(usize, String), VecDeque<usize>>,
    ended: HashSet<(usize, usize)>,
}

impl Made {
    fn add(&mut self, owner: Option<usize>, start: u64, turn: usize, reply: &Reply) {
        self.turns.entry(owner).or_default().push((start, turn));
        self.all.push((start, turn));
        for (at, call) in reply.tool_calls.iter().enumerate() {
            self.calls.extend(call.id.clone().map(|id| (id, (turn, at))));
            self.named.entry((turn, call.name.clone())).or_default().push_back(at);
        }
    }

    /// Returns the latest turn of an owner before a time, or else of anyone.
    fn turn(&self, owner: Option<usize>, time: u64) -> Option<usize> {
        let latest = |turns: &Vec<(u64, usize)>| {
            let before = turns.partition_point(|(start, _)| *start <= time);
            before.checked_sub(1).and_then(|at| turns.get(at)).map(|(_, turn)| *turn)
        };
        self.turns.get(&owner).and_then(latest).or_else(|| latest(&self.all))
    }

    /// Returns the first calls of a name in a turn of which no tool is known.
    fn open(&mut self, turn: usize, name: &str) -> impl Iterator<Item = usize> {
        let calls = self.named.entry((turn, name.to_owned())).or_default();
        while calls.front().is_some_and(|at| self.ended.contains(&(turn, *at))) {
            calls.pop_front();
        }
        let (first, ended) = (calls.iter().take(MAX_OPEN).copied(), &self.ended);
        first.filter(move |at| !ended.contains(&(turn, *at)))
    }
}

/// The number of calls of one name that are compared with a tool, so that many of them take linear time.
const MAX_OPEN: usize = 64;

/// Notes the end of a call of a tool, which a reply may hold.
fn add_tool(step: Step, owner: Option<usize>, made: &mut Made, run: &mut Run) {
    let known = step.id.as_ref().and_then(|id| made.calls.get(id)).copied();
    let turn = known.map(|(turn, _)| turn).or_else(|| made.turn(owner, step.start));
    let turn = turn.unwrap_or_else(|| {
        // A tool that a program called by itself.
        run.turns.push(Turn { model_calls: Some(0), ..Turn::default() });
        // No turn of the owner starts before it.
        made.turns.entry(owner).or_default().insert(0, (step.start, run.turns.len() - 1));
        run.turns.len() - 1
    });
    let Some(of_turn) = run.turns.get_mut(turn) else { return };
    let calls = &mut of_turn.reply.get_or_insert_default().tool_calls;
    let name = step.name.unwrap_or_default();
    let at = known.map(|(_, at)| at).or_else(|| {
        let open = made.open(turn, &name).filter_map(|at| Some((at, calls.get(at)?)));
        let open = open.filter(|(_, call)| call.id.is_none() || step.id.is_none());
        let first = open.min_by_key(|(_, call)| Some(&call.arguments) != step.arguments.as_ref());
        first.map(|(at, _)| at)
    });
    let at = at.unwrap_or(calls.len());
    made.ended.insert((turn, at));
    if at == calls.len() {
        calls.push(RecordedCall::new(name, step.arguments.unwrap_or(UNKNOWN)));
    }
    let Some(call) = calls.get_mut(at) else { return };
    call.id = call.id.take().or(step.id);
    // A tool that has neither failed nor ended has no known result.
    let is_known = step.error.is_some() || !step.is_open;
    call.ok = is_known.then_some(step.error.is_none());
    (call.error, call.seconds) = (step.error, step.seconds);
}

/// Arguments that the log does not have.
const UNKNOWN: Arguments = Arguments::Parsed(Value::Null);

/// Returns the names of the agents and tools that are subagents: those within one that itself calls a model.
fn subagents(spans: &[Span], steps: &[Step], tree: &Tree) -> Vec<Option<String>> {
    // The last place is that of calls outside of all agents.
    let place = |owner: Option<usize>| owner.unwrap_or(spans.len());
    let mut calls = vec![false; spans.len() + 1];
    for (at, step) in steps.iter().enumerate() {
        calls[place(tree.owner[at])] |= step.kind == Some(Kind::ModelCall);
    }
    let mut names = vec![None; spans.len()];
    for &at in &tree.order {
        let owner = tree.owner[at];
        let is_within = owner.is_some_and(|owner| names[owner].is_some());
        if matches!(steps[at].kind, Some(Kind::Agent | Kind::Tool))
            && (is_within || calls[place(owner)])
        {
            let name = steps[at].name.as_deref().unwrap_or_default();
            names[at] = Some(format!("{name}/{}", spans[at].id));
        }
    }
    names
}
