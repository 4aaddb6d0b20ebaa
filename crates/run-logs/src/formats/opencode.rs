//! Sessions that opencode exports.

use censoring::StopReason;

use crate::{
    engines::json::reader::{Json, fields},
    error::{Error, Problem},
    format::{About, ReadOptions},
    formats::{
        log_reader::{Log, Reader},
        session_lines::{Span, complete},
        token_counts::{Counts, Dialect},
    },
    values::{
        run::{Arguments, Caller, RecordedCall, Reply, Run, Turn, Usage, text_of},
        time::between,
    },
};

/// The reader of exported sessions.
pub(crate) const READER: Reader = Reader {
    recognizes: |shape| {
        (shape.has_key("messages", "info") && shape.has_key("messages", "parts"))
            || (shape.has_key("info", "projectID") && shape.has("messages"))
    },
    open: |log: Log<'_>| log.documents(session),
    about: About {
        source: "`opencode export ID > FILE`, also for the sessions of subagents",
        reads: "text, calls and their exit codes, usage, cost, errors, times",
        lacks: "task and outcome: `--outcomes`; requests, titles and retries; log-probabilities: not available",
    },
};

/// Reads a session.
fn session(json: &mut Json<'_>, _: u64, _: &ReadOptions) -> Result<Run, Error> {
    // JavaScript cuts texts between the halves of a pair.
    json.replaces_halves = true;
    let (mut run, mut id, mut span, mut n_awaited) = (Run::default(), None, Span::default(), 0);
    fields!(given |json| {
        "info" => fields!(given |json, field| {
            "id" => id = Some(json.text()?),
            "parentID" | "version" => run.note(field, json.text()?),
        })?,
        "messages" => json.list(|json| {
            n_awaited += usize::from(message(json, &mut run, &mut span)?);
            Ok(())
        })?,
    })?;
    run.id = id.ok_or_else(|| json.error_at("info.id", Problem::Missing))?;
    run.uuid = Some(run.id.clone());
    (run.started, run.seconds) = (span.start(), span.seconds());
    complete(&mut run, n_awaited, false);
    Ok(run)
}

/// Reads a message: what it says about itself, and its parts. Returns whether it is a reply that was still awaited.
fn message(json: &mut Json<'_>, run: &mut Run, span: &mut Span) -> Result<bool, Error> {
    let (mut is_reply, mut turn, mut reply) = (false, Turn::default(), Reply::default());
    let (mut used, mut cost, mut error, mut steps) = (None, None, None, Vec::new());
    let mut times = [None; 2];
    json.hold(size_of::<Turn>())?;
    fields!(given |json| {
        "info" => fields!(given |json| {
            "role" => is_reply = json.text()? == "assistant",
            "modelID" => turn.model = Some(json.text()?),
            "tokens" => used = tokens(json)?,
            "cost" => cost = Some(json.amount()?),
            "finish" => reply.stop = Some(json.text()?.into()),
            // A reply that shortens the conversation. A user's message has an object here.
            "summary" if json.token()? == b't' => {
                json.skip()?;
                turn.caller = Caller::Role("compaction".to_owned());
            },
            "error" => error = Some(failure(json)?),
            "time" => times = self::times(json)?,
        })?,
        "parts" => json.list(|json| part(json, &mut reply, &mut steps))?,
    })?;
    times.into_iter().flatten().for_each(|time| span.add(time));
    if !is_reply {
        return Ok(false);
    }
    // Old versions put several model calls into one message, which has the counts of the last one and the cost of all.
    turn.model_calls = Some(steps.len() as u64).filter(|n| *n > 1);
    let sum = steps.into_iter().reduce(|sum: Option<Usage>, step| Some(sum?.plus(&step?)));
    // The program writes a cost of 0 for a model without a price.
    let cost_usd = cost.filter(|cost| *cost > 0.0);
    reply.usage = sum.unwrap_or(used).map(|usage| Usage { cost_usd, ..usage });
    // The time of a message includes that of its tools.
    turn.seconds = between(times[0], times[1]).filter(|_| reply.tool_calls.is_empty());
    let has_said = !reply.text.is_empty() || !reply.tool_calls.is_empty();
    // The last reply says how the session ended.
    (run.stop, run.error) = (reply.stop.clone(), None);
    if let Some((name, text)) = error {
        turn.error = Some(text.clone());
        let is_aborted = name == "MessageAbortedError";
        run.stop = Some(if is_aborted { StopReason::UserStop } else { name.into() });
        run.error = Some(text).filter(|_| !is_aborted);
    }
    let is_awaited = !has_said && turn.error.is_none() && reply.usage.is_none();
    if !is_awaited {
        let is_reply = has_said || turn.error.is_none() || reply.usage.is_some();
        turn.reply = is_reply.then_some(reply);
        run.turns.push(turn);
    }
    Ok(is_awaited)
}

/// Reads the name and the message of an error.
fn failure(json: &mut Json<'_>) -> Result<(String, String), Error> {
    let (mut name, mut text) = (String::new(), None);
    fields!(given |json| {
        "name" => name = json.text()?,
        "data" => fields!(given |json| { "message" => text = Some(json.text()?), })?,
    })?;
    Ok((name.clone(), text.unwrap_or(name)))
}

/// Reads a start and an end in milliseconds, and returns them in seconds.
fn times(json: &mut Json<'_>) -> Result<[Option<f64>; 2], Error> {
    let mut times = [None; 2];
    fields!(given |json| {
        "created" | "start" => times[0] = Some(json.real()? / 1e3),
        "completed" | "end" => times[1] = Some(json.real()? / 1e3),
    })?;
    Ok(times)
}

/// Reads counts. Zeros are the counts of a reply that never came.
fn tokens(json: &mut Json<'_>) -> Result<Option<Usage>, Error> {
    let mut counts = Counts::default();
    fields!(given |json| {
        "input" => counts.field(json, "input_tokens")?,
        "output" => counts.field(json, "output_tokens")?,
        "reasoning" => counts.field(json, "reasoning_tokens")?,
        "total" => counts.field(json, "total_tokens")?,
        "cache" => fields!(given |json| {
            "read" => counts.field(json, "cache_read_input_tokens")?,
            "write" => counts.field(json, "cache_creation_input_tokens")?,
        })?,
    })?;
    Ok(Some(counts.usage(Dialect::AllBeside)).filter(|usage| usage.total_tokens() != Some(0)))
}

/// Reads a part of a message: a text, a call, or the counts of a model call.
fn part(
    json: &mut Json<'_>,
    reply: &mut Reply,
    steps: &mut Vec<Option<Usage>>,
) -> Result<(), Error> {
    json.hold(size_of::<RecordedCall>())?;
    let (mut kind, mut text, mut used) = (String::new(), String::new(), None);
    let mut call = RecordedCall::new("", Arguments::default());
    fields!(given |json| {
        "type" => kind = json.text()?,
        "text" => text = json.text()?,
        "tool" => call.name = json.text()?,
        "callID" => call.id = Some(json.text()?),
        "state" if json.token()? == b'{' => state(json, &mut call)?,
        "tokens" => used = tokens(json)?,
    })?;
    match kind.as_str() {
        "text" => reply.text.push_str(&text),
        "step-finish" => steps.push(used),
        "tool" => {
            if call.name == "invalid" {
                // A call with invalid arguments, which holds the tool and the problem in their place.
                let word = |name| call.arguments.get(name).and_then(text_of).map(str::to_owned);
                (call.ok, call.error) = (Some(false), word("error"));
                call.name = word("tool").unwrap_or(call.name);
            }
            reply.tool_calls.push(call);
        }
        _ => {}
    }
    Ok(())
}

/// Reads the state of a call.
fn state(json: &mut Json<'_>, call: &mut RecordedCall) -> Result<(), Error> {
    let (mut status, mut exit) = (String::new(), None);
    fields!(given |json| {
        "status" => status = json.text()?,
        "input" => call.arguments = Arguments::Parsed(json.value()?),
        "output" | "error" if json.token()? == b'"' => call.error = Some(json.text()?),
        "metadata" => fields!(|json| { "exit" => exit = Some(json.optional(Json::real)?), })?,
        "time" => call.seconds = times(json).map(|[start, end]| between(start, end))?,
    })?;
    call.ok = match (status.as_str(), exit) {
        ("completed", None) => Some(true),
        // A command that was killed has no exit code.
        ("completed", Some(exit)) => exit.map(|code| code == 0.0),
        ("error", _) => Some(false),
        _ => None,
    };
    call.error = call.error.take().filter(|_| call.ok == Some(false));
    Ok(())
}
