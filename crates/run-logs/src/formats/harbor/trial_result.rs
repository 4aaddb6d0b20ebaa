use std::collections::BTreeMap;

use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::{Json, fields, named_fields},
    error::{Error, Problem},
    formats::{
        counts::{Counts, Dialect},
        harbor::metrics::{final_metrics, reals},
    },
    values::run::Usage,
};

/// The content of `result.json` for a trial, or for a job, which has no name.
#[derive(Debug, Default)]
pub(crate) struct TrialResult {
    /// The number of trials of a job.
    pub(crate) n_trials: Option<u64>,
    pub(crate) started: Option<String>,
    /// The id of the job of a trial.
    pub(crate) job: Option<String>,
    pub(crate) id: Option<String>,
    pub(crate) task: Option<String>,
    pub(crate) source: Option<String>,
    pub(crate) agent: Option<String>,
    pub(crate) agent_version: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) provider: Option<String>,
    /// The result of the trial as a whole, under its name.
    pub(crate) whole: StepResult,
    pub(crate) steps: Vec<StepResult>,
}

/// The result of a trial, or of one step of it.
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
    let mut read = TrialResult::default();
    fields!(given |json, field| {
        "trial_name" => {
            let name = json.text()?;
            json.place_mut().sample = Some(name.clone());
            read.whole.name = Some(name);
        },
        "id" => read.id = Some(json.name()?),
        "n_total_trials" => read.n_trials = Some(json.count()?),
        "started_at" if json.token()? == b'"' => read.started = Some(json.text()?),
        "config" if json.token()? == b'{' => {
            fields!(given |json| { "job_id" => read.job = Some(json.name()?), })?;
        },
        "task_name" => read.task = Some(json.text()?),
        "source" => read.source = Some(json.text()?),
        "agent_info" => fields!(given |json| {
            "name" => read.agent = Some(json.text()?),
            "version" => read.agent_version = Some(json.name()?),
            "model_info" => fields!(|json| {
                "name" => read.model = json.optional(Json::text)?,
                "provider" => read.provider = json.optional(Json::text)?,
            })?,
        })?,
        "step_results" => json.list(|json| {
            let mut step = StepResult::default();
            fields!(given |json, field| {
                "step_name" => step.name = Some(json.text()?),
                in PARTS => part(json, field, &mut step)?,
            })?;
            read.steps.push(step);
            Ok(())
        })?,
        in PARTS => part(json, field, &mut read.whole)?,
    })?;
    if read.whole.name.is_none() && read.n_trials.is_none() {
        return Err(json.error_at("trial_name", Problem::Missing));
    }
    Ok(read)
}

named_fields! {
    /// Reads the fields that a trial and a step have in common, none of them null.
    const PARTS, fn part(json: &mut Json<'_>, field: &str, step: &mut StepResult), |json, field| {
        "agent_result" => step.agent = Some(agent_result(json)?),
        "verifier_result" => fields!(given |json| {
            "rewards" => json.map(|json, name| {
                let reward = match json.token()? {
                    // Python writes NaN for a reward that does not exist.
                    b'N' => json.scalar().map(|_| Value::Null)?,
                    b'n' | b't' | b'f' => json.scalar()?,
                    _ => json.number()?,
                };
                step.rewards.insert(name, reward);
                Ok(())
            })?,
        })?,
        "exception_info" => {
            let (mut kind, mut message) = (None, String::new());
            fields!(|json| {
                "exception_type" => kind = Some(json.text()?),
                "exception_message" => message = json.optional(Json::text)?.unwrap_or_default(),
            })?;
            let kind = kind.ok_or_else(|| json.error_at("exception_type", Problem::Missing))?;
            step.exception = Some(Exception { kind, message });
        },
    }
}

/// The report of the agent of a trial, or of a step of it.
#[derive(Debug, Default)]
pub(crate) struct AgentResult {
    pub(crate) usage: Usage,
    pub(crate) by_model: BTreeMap<String, Usage>,
    /// The log-probabilities of each reply of the agent.
    pub(crate) logprobs: Vec<Vec<f64>>,
}

/// Reads `agent_result`.
pub(crate) fn agent_result(json: &mut Json<'_>) -> Result<AgentResult, Error> {
    let (mut result, mut counts) = (AgentResult::default(), Counts::default());
    fields!(|json, field| {
        "model_usage" => json.optional(|json| json.map(|json, model| {
            result.by_model.insert(model, final_metrics(json)?);
            Ok(())
        }))?,
        "rollout_details" => json.optional(|json| {
            let mut is_first = true;
            json.list(|json| {
                // The first one belongs to the main agent.
                if !std::mem::take(&mut is_first) {
                    return json.skip();
                }
                fields!(given |json| {
                    "logprobs" => result.logprobs = json.list_of(|json| {
                        Ok(json.optional(reals)?.unwrap_or_default())
                    })?,
                })
            })
        })?,
        in Counts::FIELDS => counts.field(json, field)?,
    })?;
    result.usage = counts.usage(Dialect::Atif);
    Ok(result)
}
