use std::{collections::HashMap, mem};

use budget_estimation::Reservation;
use trajectory_metrics::tool_calls::{ToolCall, Value};

use crate::{
    agent_run::AgentRun,
    attributes::{Fact, Kind},
    count::{Amounts, COUNTS, Count, Counted, STATED},
    model_call::ModelCall,
    span_facts::{SpanFacts, amounts},
};

/// The spans that have not closed, and the agents of those that have.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// The spans that have not closed, by their id, which is unique among them.
    pub(crate) open: HashMap<u64, OpenSpan>,
    pub(crate) held: HashMap<u64, Reservation>,
    /// The agents by the position of their span.
    pub(crate) agents: HashMap<Option<u64>, Agent>,
    pub(crate) warn_at: Option<f64>,
    /// The replies of the agents that have not ended, by their id.
    replies: HashMap<String, Reply>,
    /// Grows with each span and agent.
    began: u64,
}

/// A span that has not closed.
///
/// What it states is compared with what the spans below it have used, because the span of an agent often repeats their sum, and
/// so does the span of a call around the span of the same call. Only the rest counts. A span closes after those below it.
#[derive(Debug, Default)]
pub(crate) struct OpenSpan {
    /// Its position among all spans. Unlike an id, it is never used again.
    pub(crate) order: u64,
    pub(crate) facts: SpanFacts,
    /// The ids of the spans around it, the innermost first. They are open as long as this span is.
    above: Vec<u64>,
    pub(crate) below: Amounts<f64>,
    /// Whether the span of a model call lies below it, without a tool or an agent between them.
    pub(crate) has_call: bool,
    /// The amounts that such a call does not state.
    unknown_below: Amounts<bool>,
    /// What calls below it have used that its reservation pays, in the order of [`Count`].
    pub(crate) carried: [f64; COUNTS],
}

/// What the spans of a reply with an id state, and the amounts that count for it.
#[derive(Clone, Copy, Debug, Default)]
struct Reply {
    stated: Amounts<Option<f64>>,
    counted: Amounts<f64>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Agent {
    /// Its position among the agents.
    order: u64,
    /// Whether its span has closed.
    has_ended: bool,
    run: AgentRun,
    turns: Vec<(u64, Option<f64>)>,
    calls: Vec<(u64, Option<String>, ToolCall)>,
    /// The ids of its replies, until it ends.
    replies: Vec<String>,
}

impl OpenSpan {
    /// Returns what a span has used by itself, with what it states and what is known of its reply; `None` where it should state an
    /// amount.
    fn used(
        &self,
        stated: Amounts<Option<f64>>,
        earlier: Option<&Reply>,
        is_held: bool,
    ) -> Amounts<Option<f64>> {
        let is_call = self.facts.kind() == Some(Kind::ModelCall);
        let before = |at: usize| self.below[at] + earlier.map_or(0.0, |reply| reply.counted[at]);
        let is_more = |at: usize| stated[at].is_some_and(|all| all > before(at));
        let has_tokens = (0..STATED).any(is_more);
        std::array::from_fn(|at| match stated[at] {
            // Sums of dollars may differ by rounding errors.
            Some(all) => Some(all - before(at)).filter(|&rest| rest > 1e-9 * all).or(Some(0.0)),
            None if earlier.is_some() => Some(0.0),
            None if (is_call || is_held) && (!self.has_call || self.unknown_below[at]) => None,
            None if !is_call && Count::CostUsd.stated() == Some(at) && has_tokens => None,
            None => Some(0.0),
        })
    }
}

/// Returns the amounts that count where a span does not state them: the assumed ones, or the known parts.
fn least(used: &Amounts<Option<f64>>, counts: &[Counted]) -> Amounts<f64> {
    let mut least = std::array::from_fn(|at| {
        let mut counts = counts.iter().filter(|counted| counted.count.stated() == Some(at));
        counts.find_map(|counted| counted.assumed).unwrap_or(0.0)
    });
    let [input, output, total, _] = &mut least;
    *total = total.max(used[0].unwrap_or(*input) + used[1].unwrap_or(*output));
    least
}

impl Agent {
    pub(crate) fn runs(mut agents: Vec<Self>) -> Vec<AgentRun> {
        agents.sort_by_key(|agent| agent.order);
        agents.into_iter().map(Self::run).collect()
    }

    fn run(mut self) -> AgentRun {
        self.turns.sort_by_key(|(order, _)| *order);
        self.calls.sort_by_key(|(order, ..)| *order);
        let forecasts = self.turns.into_iter().map(|(_, forecast)| forecast).collect();
        let tool_calls = self.calls.into_iter().map(|(.., call)| call).collect();
        AgentRun { forecasts, tool_calls, ..self.run }
    }
}

/// What a span adds.
pub(crate) struct Added {
    /// The amounts that it adds, in the order of [`Count`]; `None` where it should state one.
    pub(crate) used: [Option<f64>; COUNTS],
    /// The amounts that count where it does not.
    pub(crate) least: Amounts<f64>,
}

impl State {
    pub(crate) fn open(&mut self, id: u64, facts: SpanFacts, above: Vec<u64>) {
        self.began += 1;
        let span = OpenSpan { order: self.began, facts, above, ..OpenSpan::default() };
        self.open.insert(id, span);
    }

    fn kind(&self, id: u64) -> Option<Kind> {
        self.open.get(&id)?.facts.kind()
    }

    /// Whether a span has calls of its own, which do not belong to those around it.
    fn is_agent(&self, id: u64) -> bool {
        matches!(self.kind(id), Some(Kind::Agent | Kind::Tool))
    }

    pub(crate) fn take_ended(&mut self) -> Vec<Agent> {
        let ended = self.agents.extract_if(|_, agent| agent.has_ended);
        ended.map(|(_, agent)| agent).collect()
    }

    /// Takes what a closed span states, with its calls. Returns what it adds.
    pub(crate) fn close(
        &mut self,
        span: &OpenSpan,
        call: &ModelCall,
        is_held: bool,
        counts: &[Counted],
    ) -> Added {
        let is_call = span.facts.kind() == Some(Kind::ModelCall);
        let is_innermost = is_call && !span.has_call;
        let stated = amounts(call);
        let reply = span.facts.id(Fact::ResponseId).filter(|_| is_innermost);
        let earlier = reply.as_ref().and_then(|id| self.earlier(id, stated));
        let mut used = span.used(stated, earlier.as_ref(), is_held);
        let least = least(&used, counts);
        self.pass_up(span, &mut used, &least, is_held);
        if let Some(id) = &reply {
            let reply = self.replies.entry(id.clone()).or_default();
            reply.stated = std::array::from_fn(|at| reply.stated[at].or(stated[at]));
            let adds = |at: usize| reply.counted[at] + used[at].unwrap_or(least[at]);
            reply.counted = std::array::from_fn(adds);
        }

        let is_turn = is_innermost && earlier.is_none();
        let confidence = span.facts.real(Fact::Confidence);
        if is_turn {
            let agent = self.agent(span);
            agent.turns.push((span.order, confidence));
            agent.replies.extend(reply);
        } else if let Some(confidence) = confidence {
            self.confide(&span.above, confidence);
        }
        if used.iter().any(|used| used.is_none_or(|used| used > 0.0)) {
            let run = &mut self.agent(span).run;
            for (at, used) in used.iter().enumerate() {
                run.stated[at] += used.unwrap_or(0.0);
                run.unknown[at] += u64::from(used.is_none());
            }
        }
        let [input, output, total, usd] = used;
        let calls = [is_turn, self.adds_tool_call(span)];
        let [model_calls, tool_calls] = calls.map(|is_one| Some(f64::from(u8::from(is_one))));
        let mut used = [input, output, total, usd, model_calls, tool_calls];
        if !is_held && let Some(call) = self.held_call(span) {
            for (sum, used) in call.carried.iter_mut().zip(used.iter_mut().flatten()) {
                *sum += mem::take(used);
            }
        }
        if let Some(agent) = self.agents.get_mut(&Some(span.order)) {
            agent.has_ended = true;
            for id in mem::take(&mut agent.replies) {
                self.replies.remove(&id);
            }
        }
        Added { used, least }
    }

    /// Returns the model call around a closed span whose reservation pays for it.
    fn held_call(&mut self, span: &OpenSpan) -> Option<&mut OpenSpan> {
        if matches!(span.facts.kind(), Some(Kind::Agent | Kind::Tool)) {
            return None;
        }
        let mut above = span.above.iter().take_while(|id| !self.is_agent(**id));
        let is_held = |id: &&u64| self.held.contains_key(id);
        let id = above.find(|id| self.kind(**id) == Some(Kind::ModelCall) && is_held(id))?;
        self.open.get_mut(id)
    }

    /// Tells the span around a closed one what it has used, and what it does not state although it should.
    fn pass_up(
        &mut self,
        span: &OpenSpan,
        used: &mut Amounts<Option<f64>>,
        least: &Amounts<f64>,
        is_held: bool,
    ) {
        let kind = span.facts.kind();
        let parent = span.above.iter().find(|id| self.open.contains_key(id));
        let Some(parent) = parent.and_then(|id| self.open.get_mut(id)) else { return };
        let is_in_call = parent.facts.kind() == Some(Kind::ModelCall);
        parent.has_call |= kind == Some(Kind::ModelCall) || (kind.is_none() && span.has_call);
        for (at, used) in used.iter_mut().enumerate() {
            if is_in_call && !is_held && used.is_none() {
                // The span of the same call around this one may state it.
                parent.unknown_below[at] = true;
                *used = Some(0.0);
            }
            parent.below[at] += span.below[at] + used.unwrap_or(least[at]);
        }
    }

    /// Keeps the tool call of a closed span, unless it is none or a repetition.
    fn adds_tool_call(&mut self, span: &OpenSpan) -> bool {
        if span.facts.kind() != Some(Kind::Tool) {
            return false;
        }
        let (id, call) = (span.facts.id(Fact::ToolCallId), span.facts.tool_call());
        let agent = self.agent(span);
        let is_same = |(_, other, made): &(_, _, ToolCall)| *other == id && *made == call;
        let is_known = id.is_some() && call.arguments != Value::Null;
        let is_new = !is_known || !agent.calls.iter().any(is_same);
        if is_new {
            agent.calls.push((span.order, id, call));
        }
        is_new
    }

    /// Returns the known facts on a reply, unless this span states another count. Then the id is not its own, and the earlier spans are
    /// forgotten.
    fn earlier(&mut self, id: &str, stated: Amounts<Option<f64>>) -> Option<Reply> {
        let reply = *self.replies.get(id)?;
        let both = |at: usize| reply.stated[at].zip(stated[at]);
        if (0..STATED).all(|at| both(at).is_none_or(|(one, other)| one == other)) {
            return Some(reply);
        }
        self.replies.remove(id);
        None
    }

    /// Returns the agent to which a closed span belongs.
    fn agent(&mut self, span: &OpenSpan) -> &mut Agent {
        let (mut key, mut name) = (None, span.facts.text(Fact::AgentName));
        if span.facts.kind() == Some(Kind::Agent) {
            key = Some(span.order);
        } else if let Some(owner) = self.owner(&span.above) {
            if !self.open.contains_key(&owner) {
                self.open(owner, SpanFacts::default(), Vec::new());
            }
            if let Some(owner) = self.open.get(&owner) {
                key = Some(owner.order);
                let names = [Fact::AgentName, Fact::ToolName];
                name = names.iter().find_map(|fact| owner.facts.text(*fact)).or(name);
            }
        }
        self.began += 1;
        let new = Agent { order: self.began, ..Agent::default() };
        let agent = self.agents.entry(key).or_insert(new);
        agent.run.name = agent.run.name.take().or(name);
        agent
    }

    /// Returns the id of the span of an agent: the innermost span of an agent or of a tool, or else the outermost span, unless it is a
    /// model call.
    fn owner(&self, above: &[u64]) -> Option<u64> {
        let outermost = || above.last().filter(|id| self.kind(**id) != Some(Kind::ModelCall));
        above.iter().find(|id| self.is_agent(**id)).or_else(outermost).copied()
    }

    /// Takes a confidence that was recorded within these spans.
    pub(crate) fn confide(&mut self, within: &[u64], confidence: f64) {
        match self.turn(within) {
            Some(Turn::Open(id)) => {
                let span = self.open.get_mut(&id);
                span.into_iter().for_each(|span| span.facts.set_confidence(confidence));
            }
            Some(Turn::Ended(agent, turn)) => {
                let agent = self.agents.get_mut(&agent);
                agent.into_iter().for_each(|agent| agent.turns[turn].1 = Some(confidence));
            }
            None => {}
        }
    }

    /// Returns the turn to which what is stated within these spans belongs: the innermost model call, or else the turn of the
    /// agent that began last. A tool without a turn belongs to the agent around it.
    fn turn(&self, within: &[u64]) -> Option<Turn> {
        let end = within.iter().position(|id| self.is_agent(*id)).unwrap_or(within.len());
        let is_call = |id: &&u64| self.kind(**id) == Some(Kind::ModelCall);
        if let Some(call) = within[..end].iter().find(is_call) {
            return Some(Turn::Open(*call));
        }
        let is_tool = |id: &&u64| self.kind(**id) == Some(Kind::Tool);
        let around = || within.get(end).filter(is_tool).and_then(|_| self.turn(&within[end + 1..]));
        self.latest(self.owner(within)).or_else(around)
    }

    /// Returns the turn of an agent that began last.
    fn latest(&self, owner: Option<u64>) -> Option<Turn> {
        let key = owner.map(|id| self.open.get(&id).map_or(0, |span| span.order));
        let turns = self.agents.get(&key).into_iter().flat_map(|agent| &agent.turns).enumerate();
        let turns = turns.map(|(turn, (order, _))| (*order, Turn::Ended(key, turn)));
        let is_own = |span: &OpenSpan| {
            span.facts.kind() == Some(Kind::ModelCall) && self.owner(&span.above) == owner
        };
        let open = self.open.iter().filter(|(_, span)| is_own(span));
        let all = turns.chain(open.map(|(id, span)| (span.order, Turn::Open(*id))));
        all.max_by_key(|(order, _)| *order).map(|(_, turn)| turn)
    }
}

/// A turn whose span has not closed, by the id of the span, or one that has, by the key of the agent and its position there.
enum Turn {
    Open(u64),
    Ended(Option<u64>, usize),
}
