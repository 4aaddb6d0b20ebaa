use std::collections::HashMap;

use censoring::StopReason;
use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::{Json, fields},
    error::{Error, Problem},
    format::{Format, ReadOptions},
    formats::chat::{
        messages::{ReadMessage, ToolResult, messages, request},
        response::{ReadTurn, Response, UNKNOWN_REPLY, error_text},
    },
    values::run::{Message, RecordedCall, Reply, Role, Run, Score, Turn, Usage},
};

/// Reads one document: a run with turns, a conversation, or one response.
pub(crate) fn read(
    json: &mut Json<'_>,
    format: Format,
    number: u64,
    options: &ReadOptions,
) -> Result<Run, Error> {
    let mut run = Run::default();
    let (mut id, mut custom_id) = (None, None);
    let (mut turns, mut conversation, mut sent) = (None, None, Vec::new());
    let mut response = Response::default();
    fields!(|json, field| {
        "id" => {
            id = json.optional(Json::name)?;
            json.place_mut().sample = id.clone();
        },
        "custom_id" => custom_id = json.optional(Json::name)?,
        "task" => run.task = json.optional(Json::name)?,
        "trial" => run.trial = json.optional(Json::count)?,
        "outcome" => match json.optional(Json::value)? {
            None => {}
            Some(Value::Bool(outcome)) => run.outcome = Some(outcome),
            Some(value @ (Value::Integer(_) | Value::Real(_))) => {
                run.scores.insert("outcome".to_owned(), Score { value, ..Score::default() });
            }
            Some(_) => {
                let (expected, found) = ("true, false, null or a number", "something else");
                return Err(json.error(Problem::Type { expected, found }));
            }
        },
        "stop" => run.stop = json.optional(Json::text)?.map(Into::into),
        "horizon" => run.horizon = json.optional(Json::count)?,
        "turns" => turns = json.optional(|json| exchanges(json, options))?,
        "messages" => conversation = json.optional(messages)?,
        "request" => sent = request(json, options)?,
        in Response::FIELDS => response.field(json, field)?,
    })?;
    if response.is_unknown() {
        return Err(json.error_at("response", UNKNOWN_REPLY));
    }
    // A conversation names its model outside its messages.
    let named = response.model.clone();
    // A request of a batch without a response has failed.
    let is_single =
        response.is_any() || (custom_id.is_some() && turns.is_none() && conversation.is_none());
    let single = is_single.then(|| response.turn(sent));
    if turns.is_none() && conversation.is_none() && single.is_none() {
        let field = match format {
            Format::Exchanges => "turns",
            Format::OpenAiResponses => "output",
            Format::Gemini => "candidates",
            Format::Ollama => "message",
            Format::Anthropic => "content",
            _ => "messages",
        };
        return Err(json.error_at(field, Problem::Missing));
    }
    let alone = Usage::default();
    let mut used: Option<Usage> = None;
    if let Some(turn) = single.as_ref().map(|read| &read.turn).filter(|turn| turn.reply.is_none()) {
        run.error.clone_from(&turn.error);
        run.stop = run.stop.or(Some(StopReason::Other("error".to_owned())));
    }
    let mut response_id = None;
    let parts = joined(turns.into_iter().flatten().chain(single)).into_iter().map(|read| {
        response_id = response_id.take().or(read.id);
        let usage = read.usage.as_ref().unwrap_or(&alone);
        used = Some(used.as_ref().map_or_else(|| usage.clone(), |sum| sum.plus(usage)));
        read.turn
    });
    run.turns = conversation.map_or(Ok(Vec::new()), |said| spoken(json, said, options))?;
    let has_conversation = !run.turns.is_empty();
    run.turns.reserve_exact(parts.len());
    run.turns.extend(parts);
    if let (Some(used), false) = (used, has_conversation) {
        run.usage = used;
    }
    run.model = run.turns.iter().find_map(|turn| turn.model.clone()).or(named);
    let own = custom_id.or(id).or(response_id);
    run.is_numbered = own.is_none();
    run.id = own.unwrap_or_else(|| number.to_string());
    Ok(run)
}

/// Returns the turns, with the pieces of each reply joined.
fn joined(turns: impl Iterator<Item = ReadTurn>) -> Vec<ReadTurn> {
    let mut all: Vec<ReadTurn> = Vec::with_capacity(1);
    let mut latest: HashMap<String, usize> = HashMap::new();
    for next in turns {
        let at = next.id.as_ref().and_then(|id| latest.get(id)).copied();
        let before = at.and_then(|at| all.get_mut(at));
        match before.filter(|it| is_piece(&it.turn, &next.turn, next.is_message)) {
            Some(read) => {
                join(&mut read.turn, next.turn);
                read.usage = read.turn.usage().cloned();
            }
            None => {
                latest.extend(next.id.clone().map(|id| (id, all.len())));
                all.push(next);
            }
        }
    }
    all
}

/// Reads recorded exchanges: `[{"request", "response"}]`.
fn exchanges(json: &mut Json<'_>, options: &ReadOptions) -> Result<Vec<ReadTurn>, Error> {
    // Most runs have one turn, and room for four would leave gaps in memory where short texts are kept of each run.
    let mut turns = Vec::with_capacity(1);
    json.list(|json| {
        json.hold(size_of::<ReadTurn>())?;
        let (mut sent, mut response, mut error) = (Vec::new(), Response::default(), None);
        let mut is_object = false;
        fields!(|json| {
            "request" => sent = request(json, options)?,
            "response" => is_object = json.optional(|json| response.read(json))?.is_some(),
            "error" => error = error_text(json)?,
        })?;
        if is_object && error.is_none() && !response.is_any() {
            return Err(json.error_at("response", UNKNOWN_REPLY));
        }
        let mut read = response.turn(sent);
        // An error of the exchange is more informative than the absence of a reply.
        if read.turn.reply.is_none() || read.turn.error.is_none() {
            read.turn.error = error.or(read.turn.error);
        }
        turns.push(read);
        Ok(())
    })?;
    Ok(turns)
}

/// Returns the turns of a conversation: one for each message of the model.
fn spoken(
    json: &mut Json<'_>,
    messages: Vec<ReadMessage>,
    options: &ReadOptions,
) -> Result<Vec<Turn>, Error> {
    let mut turns: Vec<Turn> = Vec::new();
    let (mut before, mut calls_by_id) = (Vec::<Message>::new(), CallsById::default());
    for read in messages {
        for result in &read.results {
            calls_by_id.note(&mut turns, result);
        }
        if read.role == Role::Assistant {
            json.hold(before.iter().map(Message::size).sum())?;
            let reply = Some(read.said.clone());
            turns.push(Turn { request: before.clone(), reply, ..Turn::default() });
        }
        if options.requests {
            before.extend(read.sent());
        }
    }
    Ok(turns)
}

/// The latest call with each id, in turns to which others are added.
#[derive(Default)]
pub(crate) struct CallsById {
    /// The positions of the turn and of the call in its reply.
    latest: HashMap<String, (usize, usize)>,
    /// The number of turns that have been searched.
    n_searched: usize,
}

impl CallsById {
    /// Records whether the latest call with this id worked, if the result says so.
    pub(crate) fn note(&mut self, turns: &mut [Turn], result: &ToolResult) {
        for (at, turn) in turns.iter().enumerate().skip(self.n_searched) {
            let calls = turn.calls().iter().enumerate();
            let ids = calls.filter_map(|(call, it)| Some((it.id.clone()?, (at, call))));
            self.latest.extend(ids);
        }
        self.n_searched = turns.len();
        let (Some(is_error), Some(id)) = (result.is_error, &result.call) else { return };
        let found = self.latest.get(id);
        if let Some(call) = found.and_then(|(turn, call)| turns.get_mut(*turn)?.call_mut(*call)) {
            call.ok = Some(!is_error);
            call.error = is_error.then(|| result.text.clone());
        }
    }
}

/// Returns whether a turn is a further piece of the reply of an earlier turn whose reply has the same id.
///
/// Some servers give the same id to every reply, so that an id does not suffice.
pub(crate) fn is_piece(turn: &Turn, next: &Turn, is_message: bool) -> bool {
    let (Some(reply), Some(more)) = (&turn.reply, &next.reply) else { return false };
    let is_one_call = match (&reply.usage, &more.usage) {
        // A reply in progress has a lower count of output tokens.
        (Some(a), Some(b)) if is_message => a.input_tokens == b.input_tokens,
        (Some(a), Some(b)) => a == b,
        _ => is_message,
    };
    let is_one_request =
        turn.request == next.request || turn.request.is_empty() || next.request.is_empty();
    is_one_call && is_one_request && turn.model == next.model
}

/// Adds a piece to the turn of its reply. Parts that both have count once.
pub(crate) fn join(turn: &mut Turn, next: Turn) {
    turn.error = turn.error.take().or(next.error);
    let (Some(reply), Some(more)) = (&mut turn.reply, next.reply) else { return };
    let Reply { text, refusal, tool_calls, tokens, stop, usage, .. } = more;
    if text.starts_with(&reply.text) {
        // A reply that was written several times while in progress.
        (reply.text, reply.tokens) = (text, tokens.or(reply.tokens.take()));
    } else if !reply.text.ends_with(&text) {
        reply.text.push_str(&text);
        reply.tokens = reply.tokens.take().zip(tokens).map(|(mut all, more)| {
            all.append(&more);
            all
        });
    }
    for call in tool_calls {
        let is_known =
            |known: &RecordedCall| *known == call || (call.id.is_some() && known.id == call.id);
        if !reply.tool_calls.iter().any(is_known) {
            reply.tool_calls.push(call);
        }
    }
    reply.refusal = reply.refusal.take().or(refusal);
    reply.stop = stop.or(reply.stop.take());
    reply.usage = match (reply.usage.take(), usage) {
        (Some(a), Some(b)) => {
            let cost = a.cost_usd.into_iter().chain(b.cost_usd).reduce(f64::max);
            Some(Usage::with_counts_of(&a, &b, Option::max, cost))
        }
        (a, b) => a.or(b),
    };
}
