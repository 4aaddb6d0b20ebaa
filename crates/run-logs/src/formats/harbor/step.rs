use crate::{
    engines::json::reader::Json,
    error::{Error, Problem},
    formats::harbor::{
        calls::tool_calls,
        kept::{KeptStep, kept_step},
        metrics::{Metrics, metrics, tokens_without_text},
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
    /// Whether the turn has no model, not even that of the trajectory.
    pub(crate) has_no_model: bool,
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
    const STEP: &[&str] = &[
        "source",
        "message",
        "model_name",
        "tool_calls",
        "observation",
        "metrics",
        "extra",
        "llm_call_count",
        "is_copied_context",
    ];
    let (mut role, mut text, mut model, mut calls) = (None, String::new(), None, Vec::new());
    let (mut results, mut used, mut kept) = (Vec::new(), None, KeptStep::default());
    let (mut model_calls, mut is_copied) = (None, false);
    json.object(&[STEP], |json, field| {
        if json.null()? {
            return Ok(());
        }
        match field {
            "source" => role = Some(source(json)?),
            "message" => text = content(json)?,
            "model_name" => model = Some(json.text()?),
            "tool_calls" => calls = tool_calls(json)?,
            "observation" => results = observation(json)?,
            "metrics" => used = Some(metrics(json)?),
            "extra" => kept = kept_step(json)?.unwrap_or_default(),
            "llm_call_count" => model_calls = Some(json.count()?),
            _ => is_copied = json.boolean()?,
        }
        Ok(())
    })?;
    let role = role.ok_or_else(|| json.error_at("source", Problem::Missing))?;
    let mut message = Message::new(role, text);
    message.tool_calls = calls;
    let (position, has_no_model) = (kept.position, kept.has_no_model);
    let turn = (role == Role::Assistant && !is_copied).then(|| {
        let reply = reply(&message, used, &mut kept);
        Turn {
            model,
            reply,
            other_replies: kept.other_replies,
            error: kept.error,
            model_calls,
            ..Turn::default()
        }
    });
    Ok(Step { message, turn, position, is_copied, has_no_model, results })
}

/// The reply of a step; `None` if the call failed.
fn reply(message: &Message, used: Option<Metrics>, kept: &mut KeptStep) -> Option<Reply> {
    if kept.has_failed {
        return None;
    }
    let (usage, logprobs) = used.map(|used| (used.usage, used.logprobs)).unzip();
    let tokens = kept.reply.tokens.take();
    Some(Reply {
        text: message.text.clone(),
        refusal: kept.reply.refusal.take(),
        tool_calls: message.tool_calls.clone(),
        tokens: tokens.or_else(|| logprobs.flatten().as_deref().map(tokens_without_text)),
        stop: kept.reply.stop.take(),
        usage: usage.filter(|_| !kept.is_unmeasured).or_else(|| kept.reply.usage.take()),
    })
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
            json.list(|json| {
                json.object(&[&["text"]], |json, _| {
                    text.push_str(&json.optional(Json::text)?.unwrap_or_default());
                    Ok(())
                })
            })?;
            Ok(text)
        }
        _ => Err(json.type_error("a string or a list of parts")),
    }
}

fn observation(json: &mut Json<'_>) -> Result<Vec<StepResult>, Error> {
    const RESULT: &[&str] = &["source_call_id", "content", "subagent_trajectory_ref"];
    const REFERENCE: &[&str] = &["trajectory_id", "trajectory_path"];
    let mut results = Vec::new();
    json.object(&[&["results"]], |json, _| {
        if json.null()? {
            return Ok(());
        }
        json.list(|json| {
            json.hold(size_of::<StepResult>())?;
            let mut result = StepResult::default();
            json.object(&[RESULT], |json, field| {
                if json.null()? {
                    return Ok(());
                }
                match field {
                    "source_call_id" => result.call_id = Some(json.name()?),
                    "content" => result.text = content(json)?,
                    _ => json.list(|json| {
                        let (mut id, mut path) = (None, None);
                        json.object(&[REFERENCE], |json, field| {
                            let text = json.optional(Json::name)?;
                            let place = if field == "trajectory_id" { &mut id } else { &mut path };
                            *place = text;
                            Ok(())
                        })?;
                        // A path wins: an embedded trajectory has none.
                        match (id, path) {
                            (_, Some(path)) => result.files.push(path),
                            (Some(id), None) => result.subagents.push(id),
                            (None, None) => {}
                        }
                        Ok(())
                    })?,
                }
                Ok(())
            })?;
            results.push(result);
            Ok(())
        })
    })?;
    Ok(results)
}
