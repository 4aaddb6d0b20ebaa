use crate::{
    engines::json::reader::{Json, fields},
    error::{Error, Problem},
    formats::harbor::{
        kept::{KeptStep, kept},
        metrics::{metrics, tokens_without_text},
    },
    values::run::{Arguments, Message, RecordedCall, Reply, Role, Turn},
};

/// A step of a trajectory.
#[derive(Debug)]
pub(crate) struct Step {
    /// The text of the step and the role of its author.
    pub(crate) message: Message,
    /// The turn of a step of the agent that was not copied.
    pub(crate) turn: Option<Turn>,
    /// The position of the turn in its run, if the step says so.
    pub(crate) position: Option<u64>,
    pub(crate) is_copied: bool,
    pub(crate) results: Vec<StepResult>,
}

/// A result in an observation.
#[derive(Debug, Default)]
pub(crate) struct StepResult {
    pub(crate) call_id: Option<String>,
    pub(crate) text: String,
    /// The trajectories of subagents: embedded ones by id, and files.
    pub(crate) subagents: Vec<String>,
    pub(crate) files: Vec<String>,
}

/// Reads a step.
pub(crate) fn step(json: &mut Json<'_>) -> Result<Step, Error> {
    let (mut role, mut text, mut model, mut calls) = (None, String::new(), None, Vec::new());
    let (mut results, mut used, mut added) = (Vec::new(), None, KeptStep::default());
    let (mut model_calls, mut is_copied) = (None, false);
    fields!(given |json| {
        "source" => role = Some(source(json)?),
        "message" => text = content(json)?,
        "model_name" => model = Some(json.text()?),
        "tool_calls" => calls = tool_calls(json)?,
        "observation" => results = observation(json)?,
        "metrics" => used = Some(metrics(json)?),
        "extra" => kept(json, |json| added.read(json))?,
        "llm_call_count" => model_calls = Some(json.count()?),
        "is_copied_context" => is_copied = json.boolean()?,
    })?;
    let role = role.ok_or_else(|| json.error_at("source", Problem::Missing))?;
    let mut message = Message::new(role, text);
    message.tool_calls = calls;
    let turn = (role == Role::Assistant && !is_copied).then(|| {
        let (usage, logprobs) = used.map(|used| (used.usage, used.logprobs)).unzip();
        let reply = Reply {
            text: message.text.clone(),
            refusal: added.refusal,
            tool_calls: message.tool_calls.clone(),
            tokens: logprobs.flatten().as_deref().map(tokens_without_text),
            stop: added.stop.map(Into::into),
            usage,
        };
        let reply = (!added.has_failed).then_some(reply);
        Turn { model, reply, error: added.error, model_calls, ..Turn::default() }
    });
    Ok(Step { message, turn, position: added.position, is_copied, results })
}

fn source(json: &mut Json<'_>) -> Result<Role, Error> {
    json.word("system, user or agent", |word| match word {
        "agent" => Some(Role::Assistant),
        "user" => Some(Role::User),
        "system" => Some(Role::System),
        _ => None,
    })
}

/// Reads a text, or a list of parts of which the texts are kept.
fn content(json: &mut Json<'_>) -> Result<String, Error> {
    match json.token()? {
        b'"' => json.text(),
        b'[' => {
            let mut text = String::new();
            json.list(|json| fields!(given |json| { "text" => text.push_str(&json.text()?), }))?;
            Ok(text)
        }
        _ => Err(json.type_error("a string or a list of parts")),
    }
}

fn observation(json: &mut Json<'_>) -> Result<Vec<StepResult>, Error> {
    let mut results = Vec::new();
    fields!(given |json| { "results" => results = json.list_of(result)?, })?;
    Ok(results)
}

fn result(json: &mut Json<'_>) -> Result<StepResult, Error> {
    let mut result = StepResult::default();
    fields!(given |json| {
        "source_call_id" => result.call_id = Some(json.name()?),
        "content" => result.text = content(json)?,
        "subagent_trajectory_ref" => json.list(|json| {
            let (mut id, mut path) = (None, None);
            fields!(given |json| {
                "trajectory_id" => id = Some(json.name()?),
                "trajectory_path" => path = Some(json.name()?),
            })?;
            // A path has priority: an embedded trajectory has none.
            match (id, path) {
                (_, Some(path)) => result.files.push(path),
                (Some(id), None) => result.subagents.push(id),
                (None, None) => {}
            }
            Ok(())
        })?,
    })?;
    Ok(result)
}

/// Reads `tool_calls`.
pub(crate) fn tool_calls(json: &mut Json<'_>) -> Result<Vec<RecordedCall>, Error> {
    json.list_of(tool_call)
}

fn tool_call(json: &mut Json<'_>) -> Result<RecordedCall, Error> {
    let (mut name, mut call) = (None, RecordedCall::new("", Arguments::empty()));
    let (mut own_arguments, mut is_nameless) = (None, false);
    let (mut unparsed, mut problem) = (None, String::new());
    fields!(given |json| {
        "tool_call_id" => call.id = Some(json.name()?).filter(|id| !id.is_empty()),
        "function_name" => name = Some(json.text()?),
        // An object. Some writers keep text that they could not read.
        "arguments" => call.arguments = match json.token()? {
            b'{' => Arguments::Parsed(json.value()?),
            b'"' => Arguments::from_text(json.text()?, json.limits),
            _ => return Err(json.type_error("an object")),
        },
        "extra" => kept(json, |json| fields!(|json| {
            "arguments" => own_arguments = Some(Arguments::Parsed(json.value()?)),
            "unparsed" => unparsed = Some(json.text()?),
            "problem" => problem = json.text()?,
            "without_id" => is_nameless = json.boolean()?,
            "ok" => call.ok = Some(json.boolean()?),
            "error" => call.error = Some(json.text()?),
        }))?,
    })?;
    call.name = name.ok_or_else(|| json.error_at("function_name", Problem::Missing))?;
    call.id = call.id.filter(|_| !is_nameless);
    call.arguments = match unparsed {
        Some(text) => Arguments::Unparsed { text, problem },
        None => own_arguments.unwrap_or(call.arguments),
    };
    Ok(call)
}
