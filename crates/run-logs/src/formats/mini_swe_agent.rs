//! Trajectories of mini-SWE-agent.

use censoring::StopReason;
use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::{Json, fields},
    error::Error,
    format::{About, ReadOptions},
    formats::{
        chat::{
            messages::{call_list, content},
            response::Response,
        },
        copies::usage_of,
        log_reader::{Log, Reader},
    },
    values::run::{Arguments, Message, RecordedCall, Reply, Role, Run, RunLimit, Turn, Usage},
};

/// The reader of trajectories.
pub(crate) const READER: Reader = Reader {
    recognizes: |shape| {
        let format = shape.text("trajectory_format").unwrap_or_default();
        shape.has_key("info", "mini_version") || format.starts_with("mini-swe-agent")
    },
    open: |log: Log<'_>| log.documents(trajectory),
    about: About {
        source: "`*.traj.json`: `mini -o FILE`, or the folder of `mini-extra swebench -o FOLDER`",
        reads: "text, calls and their exit codes, usage, cost, limits, exit status, log-probabilities if requested",
        lacks: "outcome: `--outcomes`; task outside SWE-bench; retried requests; times",
    },
};

/// Reads a trajectory.
fn trajectory(json: &mut Json<'_>, number: u64, options: &ReadOptions) -> Result<Run, Error> {
    let (mut run, mut said) = (Run::default(), Conversation::default());
    let (mut exit, mut cost, mut stated_calls) = (String::new(), None, None);
    let [mut steps, mut dollars, mut seconds] = [None; 3];
    fields!(given |json| {
        "info" => fields!(given |json| {
            "exit_status" => exit = json.text()?,
            "exception_str" => run.error = Some(json.text()?),
            "mini_version" => run.note("version", json.text()?),
            "model_stats" => fields!(given |json| {
                "instance_cost" => cost = Some(json.amount()?),
                "api_calls" => stated_calls = Some(json.count()?),
            })?,
            "config" => fields!(given |json| {
                "model" => fields!(given |json| { "model_name" => run.model = Some(json.text()?), })?,
                "agent" => fields!(given |json| {
                    "step_limit" => steps = Some(json.amount()?),
                    "cost_limit" => dollars = Some(json.amount()?),
                    "wall_time_limit_seconds" => seconds = Some(json.amount()?),
                })?,
            })?,
        })?,
        "instance_id" => run.task = Some(json.name()?),
        "messages" => json.list(|json| said.read(json, options))?,
    })?;
    run.is_numbered = run.task.is_none();
    run.id = run.task.clone().unwrap_or_else(|| number.to_string());
    (run.turns, run.error) = (said.turns, said.error.or(run.error));
    run.usage = usage_of(&run);
    // A request that failed is not charged.
    if run.turns.is_empty() && stated_calls.is_some() {
        (run.usage.input_tokens, run.usage.output_tokens) = (Some(0), Some(0));
    }
    let api_calls = stated_calls.unwrap_or(0);
    // The program writes a cost of 0 for a model without a price.
    let n_priced = run.turns.iter().filter_map(|turn| turn.usage()?.cost_usd).count();
    let is_known = n_priced == run.turns.len() || n_priced == 0;
    run.usage.cost_usd = cost.filter(|cost| *cost > 0.0 && is_known);
    if run.error.is_some() && api_calls > run.turns.len() as u64 {
        // The request that the exception ended.
        run.turns.push(Turn { error: run.error.clone(), ..Turn::default() });
    }
    for turn in &mut run.turns {
        turn.model = turn.model.take().or_else(|| run.model.clone());
    }
    let is_by_steps = steps.is_some_and(|limit| limit > 0.0 && api_calls as f64 >= limit);
    let limit = match exit.as_str() {
        "LimitsExceeded" if is_by_steps => Some(("step", steps, StopReason::MaxSteps)),
        "LimitsExceeded" => Some(("cost", dollars, StopReason::MaxCost)),
        "TimeExceeded" => Some(("time", seconds, StopReason::MaxTime)),
        _ => None,
    };
    run.stop = match (exit.as_str(), &limit) {
        // Written before the end.
        ("", _) => None,
        ("RepeatedFormatError", _) => Some(StopReason::ParseError),
        (_, Some((_, _, stop))) => Some(stop.clone()),
        _ => Some(exit.into()),
    };
    run.limit =
        limit.map(|(kind, limit, _)| RunLimit { kind: kind.to_owned(), limit, reason: None });
    Ok(run)
}

#[derive(Default)]
struct Conversation {
    turns: Vec<Turn>,
    seen: Vec<Message>,
    /// The number of results of the last turn, which are in the order of its calls.
    n_results: usize,
    /// The exception that ended the run.
    error: Option<String>,
}

impl Conversation {
    /// Reads a message: in `extra`, the program keeps the reply as the provider sent it, the commands that it found in the reply,
    /// and the result of a command.
    fn read(&mut self, json: &mut Json<'_>, options: &ReadOptions) -> Result<(), Error> {
        let (mut role, mut said, mut calls) = (None, Reply::default(), Vec::new());
        let (mut own, mut sent, mut actions) = (Response::default(), None, Vec::new());
        let (mut cost, mut exit, mut exception) = (None, None, String::new());
        let (mut is_rejected, mut error, mut rejected) = (false, None, String::new());
        fields!(|json, field| {
            "role" => role = json.optional(Json::text)?,
            "content" => said = content(json)?.0,
            "tool_calls" => calls = json.optional(call_list)?.unwrap_or_default(),
            "id" => own.id = json.optional(Json::name)?,
            // The result of a tool in the Responses form; a reply has a list here.
            "output" if json.token()? == b'"' => said.text = json.text()?,
            "extra" => json.optional(|json| fields!(given |json| {
                "actions" => actions = json.list_of(action)?,
                "response" if json.token()? == b'{' => {
                    sent.get_or_insert_with(Response::default).read(json)?;
                },
                "cost" => cost = Some(json.amount()?).filter(|cost| *cost > 0.0),
                "interrupt_type" => is_rejected = json.text()? == "FormatError",
                "model_response" => rejected = json.text()?,
                "returncode" => exit = Some(json.number()?),
                "exception_info" => exception = json.text()?,
                "exception_str" => error = Some(json.text()?),
            }))?,
            in Response::FIELDS => own.field(json, field)?,
        })?;
        let mut message = Message::new(Role::User, said.text);
        match role.as_deref() {
            Some("exit") => {
                self.error = error;
                return Ok(());
            }
            Some("system") => message.role = Role::System,
            Some("assistant") => message.role = Role::Assistant,
            _ if own.is_any() => message.role = Role::Assistant,
            _ if exit.is_some() => message.role = Role::Tool,
            _ => {}
        }
        if message.role == Role::Assistant || is_rejected {
            json.hold(size_of::<Turn>() + self.seen.iter().map(Message::size).sum::<usize>())?;
            let response = sent.or(Some(own)).filter(Response::is_any);
            let mut turn = response.map(|it| it.turn(Vec::new()).turn).unwrap_or_default();
            (turn.request, turn.error) = (self.seen.clone(), None);
            let text = if is_rejected { &rejected } else { &message.text };
            let reply = turn.reply.get_or_insert_with(|| text.as_str().into());
            if reply.tool_calls.is_empty() {
                reply.tool_calls = if calls.is_empty() { actions } else { calls };
            }
            if let Some(usage) = &mut reply.usage {
                usage.cost_usd = cost;
            } else if cost.is_some() {
                reply.usage = Some(Usage { cost_usd: cost, ..Usage::default() });
            }
            if is_rejected {
                for call in &mut reply.tool_calls {
                    (call.ok, call.error) = (Some(false), Some(message.text.clone()));
                }
            } else {
                (message.text, message.tool_calls) = (reply.text.clone(), reply.tool_calls.clone());
            }
            self.turns.push(turn);
            self.n_results = 0;
        } else if let Some(exit) = exit {
            let call = self.turns.last_mut().and_then(|turn| turn.call_mut(self.n_results));
            self.n_results += 1;
            // Commands that a user refused, and the command that submits in an interactive session.
            if let Some(call) = call.filter(|_| exception != "action was not executed") {
                message.tool_call_id.clone_from(&call.id);
                let is_ok = exit == Value::Integer(0) && exception.is_empty();
                let text = if exception.is_empty() { &message.text } else { &exception };
                (call.ok, call.error) = (Some(is_ok), (!is_ok).then(|| text.clone()));
            }
        }
        if options.requests {
            self.seen.push(message);
        }
        Ok(())
    }
}

/// Reads a command that the program found in a reply.
fn action(json: &mut Json<'_>) -> Result<RecordedCall, Error> {
    let mut command = Value::Null;
    fields!(|json| { "command" => command = json.value()?, })?;
    let arguments = Value::Map([("command".to_owned(), command)].into());
    Ok(RecordedCall::new("bash", Arguments::Parsed(arguments)))
}
