use crate::{
    engines::json::{fields::fields, reader::Json},
    error::{Error, Problem},
    formats::harbor::{
        calls::tool_calls,
        kept::{KeptStep, kept},
        metrics::{metrics, tokens_without_text},
    },
    values::{
        message::{Message, Reply, Role},
        run::Turn,
    },
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
            // A path wins: an embedded trajectory has none.
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
