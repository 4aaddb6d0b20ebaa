use std::collections::{HashMap, HashSet};

use censoring::StopReason;
use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::Json,
    error::Error,
    formats::{
        claude_code::line::{End, Line, Message},
        session_lines::{Span, amount, complete, in_order},
    },
    values::run::{Caller, Reply, Run, RunLimit, Turn, Usage, text_of},
};

/// The model of messages that the program writes instead of a reply.
const NO_MODEL: &str = "<synthetic>";

/// A session while it is read.
#[derive(Default)]
pub(crate) struct Session {
    run: Run,
    span: Span,
    /// The lines that have been read, by their ids.
    seen: HashSet<String>,
    /// The replies of the session that this one branches off from.
    copied: HashSet<String>,
    /// The agent, and then its subagents.
    threads: Vec<Thread>,
    by_key: HashMap<String, usize>,
    /// The first line of the branch that each line of a subagent in the agent's file belongs to.
    roots: HashMap<String, String>,
    /// The thread and the turn of each reply.
    replies: HashMap<String, (usize, usize)>,
    /// The thread, the turn and the position of each call.
    calls: HashMap<String, (usize, usize, usize)>,
    /// The calls that started subagents, by the subagent.
    starts: HashMap<String, String>,
    /// The subagent whose file is being read.
    pub(crate) agent: Option<String>,
    /// The totals of a printed session.
    end: Option<End>,
    seconds: Option<f64>,
    pub(crate) is_cut: bool,
}

/// The turns of the agent or of a subagent.
#[derive(Default)]
struct Thread {
    key: String,
    kind: Option<String>,
    /// The call that started the subagent.
    call: Option<String>,
    prompt: Option<String>,
    turns: Vec<Turn>,
    stop: Option<StopReason>,
}

impl Session {
    /// Returns whether a line belongs to another session, in the printed form.
    pub(crate) fn is_other(&self, line: &Line) -> bool {
        let is_printed = line.subtype.as_deref() == Some("init") || line.kind == "result";
        let is_other = line.session.as_ref().is_some_and(|id| *id != self.run.id);
        is_printed && is_other && !self.run.id.is_empty()
    }

    /// Adds a line.
    pub(crate) fn add(&mut self, mut line: Line, json: &mut Json<'_>) -> Result<(), Error> {
        if self.agent.is_none()
            && let Some(id) = line.session.take()
        {
            self.run.id = id;
        }
        if let Some(version) = line.version.take() {
            self.run.note("version", version);
        }
        if self.is_copied(&line) {
            self.copied.extend(line.message.and_then(|message| message.id));
            return Ok(());
        }
        if let Some(time) = line.time {
            self.span.add(time);
        }
        if let Some(uuid) = &line.uuid {
            json.hold(uuid.len() + 64)?;
            if !self.seen.insert(uuid.clone()) {
                return Ok(());
            }
        }
        let at = self.thread(&mut line, json)?;
        match line.kind.as_str() {
            "assistant" => self.reply(at, line, json)?,
            "user" => self.user(at, line),
            "attachment" => self.attachment(at, &line),
            "system" => self.system(at, line, json)?,
            "result" => self.result(line),
            _ => {}
        }
        Ok(())
    }

    /// Returns whether a line is copied from the session that this one branches off from: it says so, or it is older than the first
    /// line, and nothing new precedes it.
    fn is_copied(&self, line: &Line) -> bool {
        let is_older = self.span.is_after(line.time) && self.replies.is_empty();
        line.is_copied || (is_older && self.agent.is_none() && line.uuid.is_some())
    }

    /// Returns the position of the thread that a line belongs to.
    fn thread(&mut self, line: &mut Line, json: &mut Json<'_>) -> Result<usize, Error> {
        let mut key = line.caller.clone().or_else(|| self.agent.clone());
        if key.is_none() && line.is_sidechain {
            key = line.agent.take().or_else(|| {
                let uuid = line.uuid.clone()?;
                let root = line.parent.as_ref().and_then(|parent| self.roots.get(parent));
                let root = root.unwrap_or(&uuid).clone();
                self.roots.insert(uuid, root.clone());
                Some(root)
            });
        }
        if self.threads.is_empty() {
            self.threads.push(Thread::default());
        }
        let Some(key) = key else { return Ok(0) };
        let at = match self.by_key.get(&key) {
            Some(&at) => at,
            None => {
                json.hold(size_of::<Thread>() + 2 * key.len())?;
                let call = line.caller.clone();
                self.threads.push(Thread { key: key.clone(), call, ..Thread::default() });
                self.by_key.insert(key, self.threads.len() - 1);
                self.threads.len() - 1
            }
        };
        let thread = &mut self.threads[at];
        thread.kind = thread.kind.take().or(line.agent_type.take());
        Ok(at)
    }

    /// Notes the type of the subagent whose file is being read, and the call that started it.
    pub(crate) fn describe_agent(&mut self, kind: Option<String>, call: Option<String>) {
        let at = self.agent.as_ref().and_then(|agent| self.by_key.get(agent));
        if let Some(thread) = at.and_then(|&at| self.threads.get_mut(at)) {
            thread.kind = kind.or(thread.kind.take());
            thread.call = call.or(thread.call.take());
        }
    }

    fn push(&mut self, at: usize, turn: Turn, json: &mut Json<'_>) -> Result<usize, Error> {
        json.hold(size_of::<Turn>())?;
        self.threads[at].turns.push(turn);
        Ok(self.threads[at].turns.len() - 1)
    }

    /// Adds a line of a reply. A reply has a line for each of its blocks, and each line has the usage of the whole reply.
    fn reply(&mut self, at: usize, line: Line, json: &mut Json<'_>) -> Result<(), Error> {
        let Some(message) = line.message else { return Ok(()) };
        let Message { id, model, mut said, is_refusal, .. } = message;
        self.end = None;
        if model.as_deref() == Some(NO_MODEL) {
            // After a refusal, the program explains it in its own words.
            if (line.is_error || line.error.is_some()) && !is_refusal {
                let is_long = said.text.starts_with("Prompt is too long");
                let stop = if is_long { StopReason::MaxTokens } else { StopReason::EnvironmentEnd };
                self.threads[at].stop = Some(stop);
                self.push(at, Turn { error: Some(said.text), ..Turn::default() }, json)?;
            }
            return Ok(());
        }
        let key = id.clone().or(line.uuid).unwrap_or_default();
        let (at, turn) = match self.replies.get(&key) {
            Some(&place) => place,
            None => {
                json.hold(2 * key.len() + 64)?;
                let reply = Some(Reply { id, ..Reply::default() });
                let turn = self.push(at, Turn { model, reply, ..Turn::default() }, json)?;
                self.replies.insert(key, (at, turn));
                (at, turn)
            }
        };
        let thread = &mut self.threads[at];
        let Some(reply) = thread.turns.get_mut(turn).and_then(|turn| turn.reply.as_mut()) else {
            return Ok(());
        };
        reply.text.push_str(&said.text);
        for call in said.tool_calls.drain(..) {
            let place = (at, turn, reply.tool_calls.len());
            let is_new = call.id.clone().is_none_or(|id| self.calls.insert(id, place).is_none());
            if is_new {
                json.hold(128)?;
                reply.tool_calls.push(call);
            }
        }
        // The last line counts, unless it was written before the reply was complete and another one was not.
        if said.stop.is_some() || reply.stop.is_none() {
            (reply.stop, reply.usage) = (said.stop, said.usage.or(reply.usage.take()));
        }
        thread.stop = reply.stop.clone().filter(|stop| !matches!(stop, StopReason::Other(_)));
        Ok(())
    }

    /// Adds a text of the user or the program: results of tools, prompts, and interruptions.
    fn user(&mut self, at: usize, line: Line) {
        let Some(Message { said, results, .. }) = line.message else { return };
        let thread = &mut self.threads[at];
        if line.is_summary {
            if let Some(turn) = thread.turns.last_mut().filter(|turn| turn.caller.role().is_some())
            {
                turn.reply = Some(Reply::from(said.text));
            }
            return;
        }
        if !said.text.is_empty() {
            let is_interruption = said.text.starts_with("[Request interrupted by user");
            thread.stop = is_interruption.then_some(StopReason::UserStop);
            if thread.turns.is_empty() && thread.prompt.is_none() {
                thread.prompt = Some(said.text);
            }
        }
        let is_single = results.len() == 1;
        for result in results {
            let Some(id) = result.call else { continue };
            if let Some(agent) = line.started.as_ref().filter(|_| is_single) {
                self.starts.insert(agent.clone(), id.clone());
            }
            let Some(&(at, turn, call)) = self.calls.get(&id) else { continue };
            let turn = self.threads[at].turns.get_mut(turn);
            if let Some(call) = turn.and_then(|turn| turn.call_mut(call)) {
                // The interface defines a result without the field as a success.
                call.ok = Some(result.is_error != Some(true));
                call.error = (result.is_error == Some(true)).then_some(result.text);
                call.seconds = line.tool_seconds.filter(|_| is_single);
            }
        }
    }

    fn attachment(&mut self, at: usize, line: &Line) {
        match line.attachment.as_deref() {
            Some("max_turns_reached") => {
                self.threads[at].stop = Some(StopReason::MaxSteps);
                if at == 0 {
                    let (kind, limit) = ("turn".to_owned(), line.most_turns);
                    self.run.limit = Some(RunLimit { kind, limit, reason: None });
                }
            }
            Some("budget_usd") => {
                let total = line.budget_usd.map(Value::Real).unwrap_or_default();
                self.run.note("max_budget_usd", total);
            }
            _ => {}
        }
    }

    fn system(&mut self, at: usize, line: Line, json: &mut Json<'_>) -> Result<(), Error> {
        let turn = match line.subtype.as_deref() {
            Some("compact_boundary") => Turn {
                caller: Caller::Role("compaction".to_owned()),
                seconds: line.compaction,
                reply: Some(Reply::default()),
                ..Turn::default()
            },
            Some("api_error" | "api_retry") => {
                Turn { caller: Caller::FailedAttempt, error: line.error, ..Turn::default() }
            }
            _ => return Ok(()),
        };
        self.push(at, turn, json).map(|_| ())
    }

    /// Adds the end of a printed session.
    fn result(&mut self, mut line: Line) {
        let mut end = std::mem::take(&mut line.end);
        let is_aborted = end.reason.as_ref().is_some_and(|reason| reason.starts_with("aborted"));
        let subtype = line.subtype.unwrap_or_default();
        let is_refusal = end.stop.as_deref() == Some("refusal");
        let stop = end.stop.take().map(StopReason::from);
        self.seconds =
            self.seconds.into_iter().chain(end.seconds).reduce(|a, b| a + b).and_then(amount);
        let stop = match (subtype.as_str(), line.is_error) {
            _ if is_aborted => StopReason::UserStop,
            ("success", true) if !is_refusal => StopReason::EnvironmentEnd,
            ("success", _) => stop.unwrap_or(StopReason::Completed),
            _ => subtype.into(),
        };
        if stop == StopReason::EnvironmentEnd {
            self.run.error = end.errors.first().or(end.text.as_ref()).cloned();
        }
        if let Some(agent) = self.threads.first_mut() {
            agent.stop = Some(stop);
        }
        self.end = Some(end);
    }

    /// Returns the run.
    pub(crate) fn run(mut self) -> Run {
        let mut run = std::mem::take(&mut self.run);
        run.note("agent", "claude-code");
        run.started = self.span.start();
        run.seconds = self.seconds.or_else(|| self.span.seconds());
        // The calls that started the subagents.
        let mut started: HashMap<String, Vec<usize>> = HashMap::new();
        let prompts = self.prompts();
        let is_alone = self.threads.first().is_some_and(|agent| agent.turns.is_empty());
        if let (true, [_, alone]) = (is_alone, self.threads.as_slice()) {
            run.id = format!("{}/agent-{}", run.id, alone.key);
            run.stop = alone.stop.clone();
        }
        for (at, thread) in self.threads.iter_mut().enumerate().skip(1) {
            let by_prompt = || prompts.get(thread.prompt.as_ref()?).cloned();
            let call = thread.call.take().or_else(|| self.starts.get(&thread.key).cloned());
            if let Some(call) = call.or_else(by_prompt) {
                started.entry(call).or_default().push(at);
            }
            let kind = thread.kind.as_deref().unwrap_or("subagent");
            let caller = match thread.key.strip_prefix("acompact") {
                Some(_) => Caller::Role("compaction".to_owned()),
                None => Caller::Subagent(format!("{kind} {}", thread.key)),
            };
            for turn in thread.turns.iter_mut().filter(|turn| turn.caller == Caller::Agent) {
                turn.caller = caller.clone();
            }
        }
        if !self.copied.is_empty() {
            run.note("n_copied_replies", self.copied.len() as i64);
        }
        let is_unread = |(agent, call): &(&String, &String)| {
            !self.by_key.contains_key(*agent) && !self.by_key.contains_key(*call)
        };
        let n_unread = self.starts.iter().filter(is_unread).count();
        if n_unread > 0 {
            run.note("n_unread_subagents", n_unread as i64);
        }
        if let Some(agent) = self.threads.first_mut() {
            run.stop = agent.stop.take().or(run.stop);
            let last = agent.turns.last_mut().filter(|turn| turn.reply.is_none());
            run.error = run.error.or_else(|| last.and_then(|turn| turn.error.clone()));
            run.limit = run.limit.filter(|_| run.stop == Some(StopReason::MaxSteps));
        }
        let threads = self.threads.into_iter().map(|thread| thread.turns).collect();
        run.turns = in_order(threads, &started);
        let is_unfinished = |turn: &&Turn| {
            turn.caller.role().is_none()
                && turn.reply.as_ref().is_some_and(|reply| reply.stop.is_none())
        };
        let n_unfinished =
            if self.end.is_some() { 0 } else { run.turns.iter().filter(is_unfinished).count() };
        complete(&mut run, n_unfinished, self.is_cut);
        if let Some(end) = self.end {
            let sum = end.by_model.values().cloned().reduce(|sum, usage| sum.plus(&usage));
            run.usage = Usage { cost_usd: end.cost_usd, ..sum.unwrap_or_default() };
            run.usage_by_model = end.by_model;
        }
        run
    }

    /// Returns the calls by the prompts that they pass on: old versions do not name the subagent.
    fn prompts(&self) -> HashMap<String, String> {
        let turns = self.threads.iter().flat_map(|thread| &thread.turns);
        let prompts = turns.flat_map(Turn::calls).filter_map(|call| {
            let prompt = call.arguments.get("prompt").and_then(text_of)?;
            Some((prompt.to_owned(), call.id.clone()?))
        });
        prompts.collect()
    }
}
