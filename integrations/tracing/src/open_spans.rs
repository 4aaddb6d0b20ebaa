use std::collections::HashMap;

use budget_estimation::Reservation;
use trajectory_metrics::tool_calls::ToolCall;

use crate::{
    agent_run::AgentRun,
    attributes::{Fact, Kind},
    count::{Amounts, Count, Counted, STATED},
    model_call::ModelCall,
    span_facts::{SpanFacts, amounts},
};

/// The spans that have not closed, and the agents of those that have.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// The spans that have not closed, by their id, which is unique among them.
    pub(crate) open: HashMap<u64, OpenSpan>,
    pub(crate) held: HashMap<u64, Reservation>,
    pub(crate) agents: Vec<Agent>,
    pub(crate) warn_at: Option<f64>,
    replies: HashMap<String, Reply>,
    /// The number of spans so far.
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
}

/// What the spans of a reply with an id state, and the amounts that count for it.
#[derive(Clone, Copy, Debug, Default)]
struct Reply {
    stated: Amounts<Option<f64>>,
    counted: Amounts<f64>,
}

#[derive(Debug, Default)]
pub(crate) struct Agent {
    /// The position of its span.
    key: Option<u64>,
    run: AgentRun,
    turns: Vec<(u64, Option<f64>)>,
    calls: Vec<(u64, Option<String>, ToolCall)>,
}

impl OpenSpan {
    /// Returns what a span has used by itself, with what it states and what is known of its reply; `None` where it should state an
    /// amount.
    fn used(&self, stated: Amounts<Option<f64>>, earlier: Option<&Reply>) -> Amounts<Option<f64>> {
        let is_call = self.facts.kind() == Some(Kind::ModelCall);
        let before = |at: usize| self.below[at] + earlier.map_or(0.0, |reply| reply.counted[at]);
        let is_more = |at: usize| stated[at].is_some_and(|all| all > before(at));
        let has_tokens = (0..STATED).any(is_more);
        std::array::from_fn(|at| match stated[at] {
            // Sums of dollars may differ by rounding errors.
            Some(all) => Some(all - before(at)).filter(|&rest| rest > 1e-9 * all).or(Some(0.0)),
            None if earlier.is_some() => Some(0.0),
            None if is_call && (!self.has_call || self.unknown_below[at]) => None,
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
    pub(crate) fn run(&self) -> AgentRun {
        let (mut turns, mut calls) = (self.turns.clone(), self.calls.clone());
        turns.sort_by_key(|(order, _)| *order);
        calls.sort_by_key(|(order, ..)| *order);
        let forecasts = turns.into_iter().map(|(_, forecast)| forecast).collect();
        let tool_calls = calls.into_iter().map(|(.., call)| call).collect();
        AgentRun { forecasts, tool_calls, ..self.run.clone() }
    }
}

/// What a span adds.
pub(crate) struct Added {
    /// The amounts that it states, `None` where it should state one.
    pub(crate) used: Amounts<Option<f64>>,
    /// The amounts that count where it does not.
    pub(crate) least: Amounts<f64>,
    pub(crate) model_calls: u8,
    pub(crate) tool_calls: u8,
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
        let reply = span.facts.text(Fact::ResponseId).filter(|_| is_innermost);
        let earlier = reply.as_ref().and_then(|id| self.earlier(id, stated));
        let mut used = span.used(stated, earlier.as_ref());
        let least = least(&used, counts);
        self.pass_up(span, &mut used, &least, is_held);
        if let Some(id) = reply {
            let reply = self.replies.entry(id).or_default();
            reply.stated = std::array::from_fn(|at| reply.stated[at].or(stated[at]));
            let adds = |at: usize| reply.counted[at] + used[at].unwrap_or(least[at]);
            reply.counted = std::array::from_fn(adds);
        }

        let is_turn = is_innermost && earlier.is_none();
        let confidence = span.facts.real(Fact::Confidence);
        if is_turn {
            self.agent(span).turns.push((span.order, confidence));
        } else if let Some(confidence) = confidence {
            self.confide(&span.above, confidence);
        }
        let is_unknown = |at: usize| used[at].is_none();
        let unknown = counts.iter().any(|it| it.count.stated().is_some_and(is_unknown));
        if unknown || used.iter().any(|used| used.is_some_and(|used| used > 0.0)) {
            let agent = self.agent(span);
            agent.run.unknown += u64::from(unknown);
            for (sum, used) in agent.run.stated.iter_mut().zip(used) {
                *sum += used.unwrap_or(0.0);
            }
        }
        let is_tool_call = self.adds_tool_call(span);
        Added { used, least, model_calls: is_turn.into(), tool_calls: is_tool_call.into() }
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
        let (id, call) = (span.facts.text(Fact::ToolCallId), span.facts.tool_call());
        let agent = self.agent(span);
        let is_same = |(_, other, made): &(_, _, ToolCall)| *other == id && *made == call;
        let is_new = id.is_none() || !agent.calls.iter().any(is_same);
        if is_new {
            agent.calls.push((span.order, id, call));
        }
        is_new
    }

    /// Returns what is known of a reply, unless this span states another count. Then the id is not its own, and the earlier spans are
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
        let at = self.agents.iter().position(|agent| agent.key == key).unwrap_or_else(|| {
            self.agents.push(Agent { key, ..Agent::default() });
            self.agents.len() - 1
        });
        let agent = &mut self.agents[at];
        agent.run.name = agent.run.name.take().or(name);
        agent
    }

    /// Returns the id of the span of an agent: the innermost span of an agent or of a tool, or else the outermost span.
    fn owner(&self, above: &[u64]) -> Option<u64> {
        let is_agent = |id: &&u64| matches!(self.kind(**id), Some(Kind::Agent | Kind::Tool));
        let is_outside = |id: &&u64| self.kind(**id) != Some(Kind::ModelCall);
        let owner = above.iter().find(is_agent).or_else(|| above.iter().rev().find(is_outside));
        owner.copied()
    }

    /// Takes a confidence that was recorded within these spans: for the innermost model call, or else for the turn that began
    /// last of the innermost agent that has one.
    pub(crate) fn confide(&mut self, within: &[u64], confidence: f64) {
        let call = within.iter().copied().find(|id| self.kind(*id) == Some(Kind::ModelCall));
        let mut owners = within.iter().copied().map(Some).chain([None]);
        let turn = call.map(Turn::Open).or_else(|| owners.find_map(|owner| self.latest(owner)));
        match turn {
            Some(Turn::Open(id)) => {
                let span = self.open.get_mut(&id);
                span.into_iter().for_each(|span| span.facts.set_confidence(confidence));
            }
            Some(Turn::Ended(agent, turn)) => self.agents[agent].turns[turn].1 = Some(confidence),
            None => {}
        }
    }

    /// Returns the turn of an agent that began last.
    fn latest(&self, owner: Option<u64>) -> Option<Turn> {
        let key = owner.map(|id| self.open.get(&id).map_or(0, |span| span.order));
        let agent = self.agents.iter().position(|agent| agent.key == key);
        let turns = agent.into_iter().flat_map(|agent| {
            let turns = self.agents[agent].turns.iter().enumerate();
            turns.map(move |(turn, (order, _))| (*order, Turn::Ended(agent, turn)))
        });
        let is_own = |span: &OpenSpan| {
            span.facts.kind() == Some(Kind::ModelCall) && self.owner(&span.above) == owner
        };
        let open = self.open.iter().filter(|(_, span)| is_own(span));
        let all = turns.chain(open.map(|(id, span)| (span.order, Turn::Open(*id))));
        all.max_by_key(|(order, _)| *order).map(|(_, turn)| turn)
    }
}

/// A turn whose span has not closed, by the id of the span, or one that has, by the positions of the agent and the turn.
enum Turn {
    Open(u64),
    Ended(usize, usize),
}
