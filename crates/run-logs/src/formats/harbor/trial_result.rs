use std::collections::BTreeMap;

use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::Json,
    error::{Error, Problem},
    formats::harbor::agent_result::{AgentResult, agent_result},
};

/// What `result.json` says of a trial.
#[derive(Debug, Default)]
pub(crate) struct TrialResult {
    pub(crate) task: Option<String>,
    pub(crate) source: Option<String>,
    pub(crate) agent: Option<String>,
    pub(crate) agent_version: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) provider: Option<String>,
    /// What the trial as a whole came to, under its name.
    pub(crate) whole: StepResult,
    pub(crate) steps: Vec<StepResult>,
}

/// What a trial, or one step of it, came to.
#[derive(Debug, Default)]
pub(crate) struct StepResult {
    pub(crate) name: Option<String>,
    pub(crate) agent: Option<AgentResult>,
    pub(crate) rewards: BTreeMap<String, Value>,
    pub(crate) exception: Option<Exception>,
}

/// An exception that was recorded.
#[derive(Debug)]
pub(crate) struct Exception {
    /// The name of its type.
    pub(crate) kind: String,
    pub(crate) message: String,
}

/// Reads `result.json`.
pub(crate) fn trial_result(json: &mut Json<'_>) -> Result<TrialResult, Error> {
    const TRIAL: &[&str] = &[
        "trial_name",
        "task_name",
        "source",
        "agent_info",
        "step_results",
        "agent_result",
        "verifier_result",
        "exception_info",
    ];
    let mut read = TrialResult::default();
    json.object(&[TRIAL], |json, field| {
        if json.null()? {
            return Ok(());
        }
        match field {
            "trial_name" => {
                let name = json.text()?;
                json.place_mut().sample = Some(name.clone());
                read.whole.name = Some(name);
            }
            "task_name" => read.task = Some(json.text()?),
            "source" => read.source = Some(json.text()?),
            "agent_info" => agent_info(json, &mut read)?,
            "step_results" => json.list(|json| {
                let mut step = StepResult::default();
                json.object(&[STEP], |json, field| part(json, field, &mut step))?;
                read.steps.push(step);
                Ok(())
            })?,
            field => part(json, field, &mut read.whole)?,
        }
        Ok(())
    })?;
    if read.whole.name.is_none() {
        return Err(json.error_at("trial_name", Problem::Missing));
    }
    Ok(read)
}

const STEP: &[&str] = &["step_name", "agent_result", "verifier_result", "exception_info"];

fn part(json: &mut Json<'_>, field: &str, step: &mut StepResult) -> Result<(), Error> {
    if json.null()? {
        return Ok(());
    }
    match field {
        "step_name" => step.name = Some(json.text()?),
        "agent_result" => step.agent = Some(agent_result(json)?),
        "verifier_result" => json.object(&[&["rewards"]], |json, _| {
            if json.null()? {
                return Ok(());
            }
            json.map(|json, name| {
                let reward = match json.token()? {
                    // Python writes NaN for a reward that does not exist.
                    b'n' => json.scalar()?,
                    b'N' => json.scalar().map(|_| Value::Null)?,
                    b't' | b'f' => json.scalar()?,
                    _ => json.number()?,
                };
                step.rewards.insert(name, reward);
                Ok(())
            })
        })?,
        _ => {
            let (mut kind, mut message) = (None, String::new());
            json.object(&[&["exception_type", "exception_message"]], |json, field| {
                match field {
                    "exception_type" => kind = Some(json.text()?),
                    _ => message = json.optional(Json::text)?.unwrap_or_default(),
                }
                Ok(())
            })?;
            let kind = kind.ok_or_else(|| json.error_at("exception_type", Problem::Missing))?;
            step.exception = Some(Exception { kind, message });
        }
    }
    Ok(())
}

fn agent_info(json: &mut Json<'_>, read: &mut TrialResult) -> Result<(), Error> {
    json.object(&[&["name", "version", "model_info"]], |json, field| {
        if json.null()? {
            return Ok(());
        }
        match field {
            "name" => read.agent = Some(json.text()?),
            "version" => read.agent_version = Some(json.name()?),
            _ => json.object(&[&["name", "provider"]], |json, field| {
                let text = json.optional(Json::text)?;
                match field {
                    "name" => read.model = text,
                    _ => read.provider = text,
                }
                Ok(())
            })?,
        }
        Ok(())
    })
}
