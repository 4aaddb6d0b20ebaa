//! Sessions of Gemini CLI.

use std::{
    collections::{BTreeMap, HashMap},
    io::Read,
    iter,
};

use crate::{
    engines::{
        folder::Folder,
        json::reader::{Json, fields},
    },
    error::Error,
    format::{About, ReadLimits},
    formats::{
        chat::{messages::CallFields, response::part},
        log_reader::{Log, Opened, Reader},
        session_lines::{Span, complete, in_order, session_lines},
        token_counts::{Counts, Dialect},
    },
    values::{
        run::{Caller, RecordedCall, Reply, Run, Turn, text_of},
        time::seconds_of,
    },
};

/// The reader of sessions.
pub(crate) const READER: Reader = Reader {
    recognizes: |shape| shape.has_all(&["sessionId", "projectHash"]),
    open: |log: Log<'_>| {
        // The folder of the session's subagents.
        let folder = log.folder().zip(log.shape.text("sessionId"));
        let folder = folder.and_then(|(folder, id)| folder.join(id));
        let owned = folder.iter().map(|folder| folder.path().to_owned()).collect();
        let run = move || session(log.source, folder.as_ref(), log.options.limits);
        Ok(Opened { owned, ..Opened::new(log.format, iter::once_with(run)) })
    },
    about: About {
        source: "`~/.gemini/tmp/PROJECT/chats/session-*.jsonl`",
        reads: "text, calls and their exit codes, usage, subagents, times",
        lacks: "task and outcome: `--outcomes`; cost: `--prices`; stop reasons, failed requests and the program's own calls; log-probabilities: not available",
    },
};

/// Reads a session with its subagents, whose turns follow the turn that called them.
fn session(source: impl Read, folder: Option<&Folder>, limits: ReadLimits) -> Result<Run, Error> {
    let mut main = Session::default();
    let mut held = main.read(source, limits, 0)?;
    let mut run = Run::new(main.id.take().unwrap_or_default());
    run.uuid = Some(run.id.clone());
    (run.started, run.seconds) = (main.span.start(), main.span.seconds());
    let (mut is_cut, mut agents, mut positions) = (main.is_cut, main.agents, HashMap::new());
    let (mut threads, mut ids) = (vec![main.turns], Vec::new());
    let names = folder.map(|folder| folder.files(".jsonl")).transpose()?.flatten();
    for name in names.unwrap_or_default() {
        let Some((file, path)) = folder.map(|it| it.open(&name)).transpose()?.flatten() else {
            continue;
        };
        let mut read = Session::default();
        held = read.read(file, limits, held).map_err(|error| error.in_file(&path))?;
        let id = name.trim_end_matches(".jsonl").to_owned();
        positions.insert(id.clone(), threads.len());
        is_cut |= read.is_cut;
        ids.push(id);
        agents.extend(read.agents);
        threads.push(read.turns);
    }
    let names: HashMap<&String, &str> =
        agents.values().map(|(agent, name)| (agent, name.as_str())).collect();
    for (id, turns) in ids.iter().zip(threads.iter_mut().skip(1)) {
        // A call that was cancelled does not name its subagent.
        let name = names.get(id).copied().unwrap_or("subagent");
        turns.iter_mut().for_each(|turn| turn.caller = Caller::Subagent(format!("{name} {id}")));
    }
    let started = agents.into_iter();
    let started = started.filter_map(|(call, (id, _))| Some((call, vec![*positions.get(&id)?])));
    run.turns = in_order(threads, &started.collect());
    complete(&mut run, 0, is_cut);
    Ok(run)
}

/// One file of a session.
#[derive(Default)]
struct Session {
    id: Option<String>,
    span: Span,
    turns: Vec<Turn>,
    /// The position of each reply by its id.
    known: HashMap<String, usize>,
    /// The subagents, their ids and names, by the call.
    agents: BTreeMap<String, (String, String)>,
    is_cut: bool,
}

impl Session {
    /// Reads a file, and returns the bytes that the run holds then.
    fn read(&mut self, source: impl Read, limits: ReadLimits, held: usize) -> Result<usize, Error> {
        let mut json = Json::new(source, limits);
        json.replaces_halves = true;
        json.continue_run(None, held);
        self.is_cut = session_lines(&mut json, |json| self.line(json))?;
        Ok(json.into_run().1)
    }

    /// Reads a line: the head, a message, or a change of the head or of all messages. A message that is written again replaces the
    /// earlier one. A reply that was taken back stays, because it was paid for.
    fn line(&mut self, json: &mut Json<'_>) -> Result<(), Error> {
        let (mut id, mut is_reply, mut counts) = (None, false, None);
        let (mut turn, mut reply, mut calls) = (Turn::default(), Reply::default(), Vec::new());
        json.hold(size_of::<Turn>())?;
        fields!(given |json| {
            "sessionId" => self.id = Some(json.text()?),
            "startTime" | "lastUpdated" => {
                seconds_of(&json.text()?).into_iter().for_each(|time| self.span.add(time));
            },
            "$set" if json.token()? == b'{' => self.line(json)?,
            "messages" => json.list(|json| self.line(json))?,
            "id" => id = Some(json.name()?),
            "type" => is_reply = json.text()? == "gemini",
            "model" => turn.model = Some(json.text()?),
            "content" => match json.token()? {
                b'"' => reply.text = json.text()?,
                b'[' => json.list(|json| part(json, &mut reply))?,
                _ => json.skip()?,
            },
            "tokens" => counts = Some(tokens(json)?),
            "toolCalls" => json.list(|json| {
                calls.push(self.call(json)?);
                Ok(())
            })?,
        })?;
        // The program's own messages have neither a model nor counts.
        let Some(id) = id.filter(|_| is_reply && (turn.model.is_some() || counts.is_some())) else {
            return Ok(());
        };
        let usage = counts.map(|counts| counts.usage(Dialect::Gemini));
        reply.usage = usage.filter(|usage| usage.total_tokens() != Some(0));
        if !calls.is_empty() {
            reply.tool_calls = calls;
        }
        turn.reply = Some(reply);
        let at = *self.known.entry(id).or_insert(self.turns.len());
        match self.turns.get_mut(at) {
            Some(earlier) => *earlier = turn,
            None => self.turns.push(turn),
        }
        Ok(())
    }

    /// Reads a call and its result.
    fn call(&mut self, json: &mut Json<'_>) -> Result<RecordedCall, Error> {
        json.hold(size_of::<RecordedCall>())?;
        let (mut call, mut status) = (CallFields::default(), String::new());
        let (mut agent, mut text) = (None, String::new());
        fields!(|json, field| {
            "id" => call.id = json.optional(Json::name)?,
            "status" => status = json.optional(Json::text)?.unwrap_or_default(),
            "agentId" => agent = json.optional(Json::text)?,
            "result" if json.token()? == b'[' => json.list(|json| fields!(given |json| {
                "functionResponse" => fields!(given |json| {
                    "response" => fields!(given |json| {
                        "output" | "error" if json.token()? == b'"' => text = json.text()?,
                    })?,
                })?,
            }))?,
            in CallFields::FIELDS => call.field(json, field)?,
        })?;
        let mut call = call.finish(json)?;
        call.ok = match status.as_str() {
            "success" => Some(call.name != "run_shell_command" || !has_failed(&text)),
            "error" | "cancelled" => Some(false),
            _ => None,
        };
        call.error = Some(text).filter(|_| call.ok == Some(false));
        if let (Some(agent), Some(id)) = (agent, &call.id) {
            let name = call.arguments.get("agent_name").and_then(text_of).unwrap_or(&call.name);
            self.agents.insert(id.clone(), (agent, name.to_owned()));
        }
        Ok(call)
    }
}

/// Reads the counts of a reply.
fn tokens(json: &mut Json<'_>) -> Result<Counts, Error> {
    let mut counts = Counts::default();
    fields!(given |json| {
        "input" => counts.field(json, "promptTokenCount")?,
        "output" => counts.field(json, "candidatesTokenCount")?,
        "cached" => counts.field(json, "cachedContentTokenCount")?,
        "thoughts" => counts.field(json, "thoughtsTokenCount")?,
        "tool" => counts.field(json, "toolUsePromptTokenCount")?,
        "total" => counts.field(json, "totalTokenCount")?,
    })?;
    Ok(counts)
}

/// Returns whether a command failed. The status says "success" then; the last lines of the result name an exit code or a signal.
fn has_failed(text: &str) -> bool {
    for line in text.lines().rev().skip_while(|line| line.starts_with("</")) {
        match line.split_once(": ") {
            Some(("Process Group PGID" | "Background PIDs", _)) => {}
            Some(("Exit Code" | "Signal", "0" | "(none)")) => {}
            Some(("Exit Code" | "Signal", _)) => return true,
            _ => break,
        }
    }
    false
}
