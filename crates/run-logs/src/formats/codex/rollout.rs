use std::collections::{HashMap, HashSet};

use crate::{
    engines::json::reader::Json,
    error::Error,
    formats::{
        codex::line::{Item, Line, Output, Payload},
        session_lines::Span,
    },
    values::run::{Caller, RecordedCall, Reply, Run, RunLimit, Turn, Usage},
};
use censoring::StopReason;

/// A thread while its file is read.
#[derive(Default)]
pub(crate) struct Rollout {
    pub(crate) id: String,
    version: Option<String>,
    /// The name of the subagent whose thread this is.
    agent: Option<String>,
    span: Span,
    pub(crate) turns: Vec<Turn>,
    /// A response that is not complete, and the number of the last item that the model had read.
    open: Option<Turn>,
    read_to: Option<u64>,
    /// The turn and position of each call; the open response has the number that it will have.
    calls: HashMap<String, (usize, usize)>,
    /// The threads that calls started.
    pub(crate) starts: HashMap<String, Vec<String>>,
    responses: HashSet<String>,
    model: Option<String>,
    /// The turn of the user that the lines belong to, if they are the thread's own.
    turn: Option<String>,
    has_turn_ids: bool,
    /// Whether the file repeats the history of another thread.
    is_fork: bool,
    total: Usage,
    has_records: bool,
    stop: Option<StopReason>,
    limit: Option<RunLimit>,
    error: Option<String>,
    token_budget: Option<u64>,
    pub(crate) n_unfinished: usize,
    pub(crate) is_cut: bool,
}

impl Rollout {
    /// Adds a line.
    pub(crate) fn add(&mut self, line: Line, json: &mut Json<'_>) -> Result<(), Error> {
        let Line { kind, time, read_to, payload } = line;
        if let Some(turn) = &payload.turn {
            self.has_turn_ids |= is_ordered(turn);
            self.turn = Some(turn.clone());
        }
        if kind == "session_meta" {
            self.head(payload);
            return Ok(());
        }
        let is_copy = self.is_copy(&payload);
        if let Some(time) = time.filter(|_| !is_copy) {
            self.span.add(time);
        }
        if is_copy {
            // Only the totals go on from those of the history.
            self.total = payload.total.unwrap_or(std::mem::take(&mut self.total));
            return Ok(());
        }
        match (kind.as_str(), payload.kind.as_deref()) {
            ("turn_context", _) => self.model = payload.model.or(self.model.take()),
            ("token_usage_record", _) => self.record(payload, json)?,
            ("compacted", _) => self.compaction(payload.message.as_deref()),
            ("response_item", Some("message")) if payload.role.as_deref() == Some("assistant") => {
                self.said(read_to, json)?.text.push_str(&payload.said.text);
            }
            ("response_item", Some("message")) => self.close(),
            ("response_item", Some("reasoning")) => _ = self.said(read_to, json)?,
            ("response_item", Some(kind)) if kind.ends_with("_call") => {
                let kind = kind.to_owned();
                self.call(&kind, read_to, payload, json)?;
            }
            ("response_item", Some(_)) => self.output(payload),
            (_, Some("token_count")) => self.count(payload, json)?,
            (
                _,
                Some(
                    "item_completed" | "exec_command_end" | "mcp_tool_call_end" | "patch_apply_end",
                ),
            ) => {
                let id = payload.call_id.or(payload.item.id.clone());
                self.item(id, payload.item);
            }
            (
                _,
                Some(
                    "task_complete" | "turn_complete" | "turn_aborted" | "task_started"
                    | "turn_started",
                ),
            ) => {
                self.turn_end(payload);
            }
            (_, Some("thread_goal_updated")) => self.token_budget = payload.token_budget,
            _ => {}
        }
        Ok(())
    }

    fn head(&mut self, payload: Payload) {
        let Some(id) = payload.id else { return };
        if self.id.is_empty() {
            self.id = id;
            self.agent = payload.agent;
            self.version = payload.version;
            self.is_fork = payload.forked_from.is_some();
        } else {
            self.is_fork |= id != self.id;
        }
    }

    /// Returns whether a line repeats one of another thread. The ids of turns and of threads begin with the time, so that the turns
    /// of the history come before the thread.
    fn is_copy(&self, payload: &Payload) -> bool {
        let is_other = payload.thread.as_ref().is_some_and(|thread| *thread != self.id);
        let is_before = |turn: &String| is_ordered(turn) && is_ordered(&self.id) && *turn < self.id;
        is_other || self.turn.as_ref().is_some_and(is_before)
    }

    /// Whether the file repeats a history that cannot be told from the thread's own lines.
    pub(crate) fn has_unknown_copies(&self) -> bool {
        self.is_fork && !self.has_turn_ids && !self.turns.is_empty()
    }

    /// Returns the open response, which an item belongs to.
    fn said(&mut self, read_to: Option<u64>, json: &mut Json<'_>) -> Result<&mut Reply, Error> {
        if read_to.is_some() && self.read_to.is_some() && read_to != self.read_to {
            self.close();
        }
        json.hold(size_of::<Turn>())?;
        self.stop = None;
        self.read_to = read_to;
        let (model, agent) = (&self.model, &self.agent);
        let turn = self.open.get_or_insert_with(|| {
            let name = |agent: &String| Caller::Subagent(format!("{agent} {}", self.id));
            Turn {
                model: model.clone(),
                caller: agent.as_ref().map_or(Caller::Agent, name),
                ..Turn::default()
            }
        });
        Ok(turn.reply.get_or_insert_default())
    }

    /// Ends the open response, whose usage is not known.
    pub(crate) fn close(&mut self) {
        self.read_to = None;
        let said = |turn: &Turn| {
            turn.reply
                .as_ref()
                .is_some_and(|reply| !reply.text.is_empty() || !reply.tool_calls.is_empty())
        };
        if let Some(turn) = self.open.take().filter(said) {
            self.n_unfinished += 1;
            self.turns.push(turn);
        }
    }

    /// Ends the open response with its usage.
    fn complete(
        &mut self,
        id: Option<String>,
        usage: Usage,
        json: &mut Json<'_>,
    ) -> Result<(), Error> {
        let read_to = self.read_to;
        let reply = self.said(read_to, json)?;
        (reply.id, reply.usage) = (id, Some(usage));
        self.read_to = None;
        self.turns.extend(self.open.take());
        Ok(())
    }

    /// Adds the usage of a response.
    fn record(&mut self, payload: Payload, json: &mut Json<'_>) -> Result<(), Error> {
        self.has_records = true;
        let Some(usage) = payload.usage else { return Ok(()) };
        if let Some(id) = &payload.response {
            json.hold(id.len() + 64)?;
            if !self.responses.insert(id.clone()) {
                return Ok(());
            }
        }
        self.complete(payload.response, usage, json)
    }

    /// Adds the usage of all responses so far. It is written again without a new response, and then ends one without usage.
    fn count(&mut self, payload: Payload, json: &mut Json<'_>) -> Result<(), Error> {
        let old = std::mem::take(&mut self.total);
        let total = payload.total.unwrap_or_else(|| old.clone());
        let parts = |usage: &Usage| {
            [usage.input_tokens, usage.output_tokens].map(Option::unwrap_or_default)
        };
        let ([input, output], [old_input, old_output]) = (parts(&total), parts(&old));
        // A fork without a copy of the history goes on from a total that its file does not hold.
        let is_base = self.is_fork && old == Usage::default();
        let is_more = input > old_input || output > old_output;
        let is_reset = input < old_input || output < old_output;
        if self.has_records || is_base || !(is_more || is_reset) || input == 0 {
            if self.read_to.is_none() {
                self.close();
            }
        } else {
            let minus = |a: Option<u64>, b: Option<u64>| a?.checked_sub(b.unwrap_or(0));
            let difference = total.with_counts_of(&old, minus, None);
            let usage = if is_reset { payload.last.unwrap_or_default() } else { difference };
            self.complete(None, usage, json)?;
        }
        self.total = total;
        Ok(())
    }

    /// Notes that the last response was the summary of a compaction, if the summary ends with it.
    fn compaction(&mut self, summary: Option<&str>) {
        let Some(turn) = self.turns.last_mut() else { return };
        let text = turn.reply.as_ref().filter(|reply| reply.tool_calls.is_empty());
        let text = text.map_or("", |reply| reply.text.as_str());
        if !text.is_empty() && summary.is_some_and(|summary| summary.ends_with(text)) {
            turn.caller = Caller::Role("compaction".to_owned());
        }
    }

    fn call(
        &mut self,
        kind: &str,
        read_to: Option<u64>,
        payload: Payload,
        json: &mut Json<'_>,
    ) -> Result<(), Error> {
        let mut call = match payload.action {
            Some(action) => RecordedCall::new(kind.trim_end_matches("_call"), action),
            None => payload.call.finish(json)?,
        };
        call.id = payload.call_id;
        // The response of an earlier session may be unfinished.
        let reply = self.said(read_to, json)?;
        let position = reply.tool_calls.len();
        let id = call.id.clone();
        reply.tool_calls.push(call);
        if let Some(id) = id {
            json.hold(2 * id.len() + 64)?;
            self.calls.insert(id, (self.turns.len(), position));
        }
        Ok(())
    }

    fn call_mut(&mut self, id: Option<&String>) -> Option<&mut RecordedCall> {
        let &(turn, position) = self.calls.get(id?)?;
        let turn =
            if turn < self.turns.len() { self.turns.get_mut(turn) } else { self.open.as_mut() };
        turn?.call_mut(position)
    }

    fn output(&mut self, payload: Payload) {
        let Some(Output { ok, seconds, text }) = payload.output else { return };
        if let Some(call) = self.call_mut(payload.call_id.as_ref()) {
            call.ok = call.ok.or(ok);
            call.seconds = call.seconds.or(seconds);
            call.error = (call.ok == Some(false)).then_some(text);
        }
    }

    /// Adds how a tool ended.
    fn item(&mut self, id: Option<String>, item: Item) {
        let is_start = item.tool.as_deref() == Some("spawn_agent");
        if let (true, Some(id)) = (is_start, &id) {
            self.starts.insert(id.clone(), item.started);
        }
        if let Some(call) = self.call_mut(id.as_ref()) {
            call.ok = item.ok.or(call.ok);
            call.seconds = item.seconds.or(call.seconds);
        }
    }

    /// Adds the start or the end of a turn of the user.
    fn turn_end(&mut self, payload: Payload) {
        self.close();
        (self.limit, self.error) = (None, None);
        let reason = payload.reason.as_deref();
        self.stop = match (payload.kind.as_deref(), payload.error) {
            (Some("task_started" | "turn_started"), _) => None,
            (Some("turn_aborted"), _) if reason == Some("budget_limited") => {
                let limit = self.token_budget.map(|budget| budget as f64);
                self.limit = Some(RunLimit { kind: "token".to_owned(), limit, reason: None });
                Some(StopReason::MaxTokens)
            }
            (Some("turn_aborted"), _) => reason.map(|reason| reason.to_owned().into()),
            (_, None) => Some(StopReason::Completed),
            (_, Some(failure)) => {
                // An incomplete response has its reason at the end of the message.
                let message = failure.message.as_deref().unwrap_or_default();
                let is_cut = message.ends_with("max_output_tokens");
                let kind = if is_cut { Some("max_tokens".to_owned()) } else { failure.kind };
                self.error = failure.message;
                let stop = kind.map(StopReason::from);
                let is_known = |stop: &StopReason| !matches!(stop, StopReason::Other(_));
                Some(stop.filter(is_known).unwrap_or(StopReason::EnvironmentEnd))
            }
        };
    }

    /// Returns the threads that this one started, in the order of their ids, which is that of their starts.
    pub(crate) fn started(&self) -> Vec<String> {
        let mut started: Vec<String> = self.starts.values().flatten().cloned().collect();
        started.sort();
        started
    }

    /// Returns the run, without its turns.
    pub(crate) fn run(&self) -> Run {
        let mut run = Run::new(self.id.clone());
        run.note("agent", "codex");
        self.version.iter().for_each(|version| run.note("version", version.as_str()));
        (run.started, run.seconds) = (self.span.start(), self.span.seconds());
        (run.stop, run.limit, run.error) =
            (self.stop.clone(), self.limit.clone(), self.error.clone());
        run
    }
}

/// Returns whether an id begins with the time at which it was made: a UUID of version 7.
fn is_ordered(id: &str) -> bool {
    id.len() == 36 && id.as_bytes().get(14) == Some(&b'7')
}
