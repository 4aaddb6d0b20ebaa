use std::collections::BTreeMap;

use crate::{
    engines::json::{fields::fields, reader::Json},
    error::Error,
    formats::harbor::metrics::{TOTALS, final_metrics, reals, total},
    values::usage::Usage,
};

/// What the agent of a trial, or of a step of it, reports.
#[derive(Debug, Default)]
pub(crate) struct AgentResult {
    pub(crate) usage: Usage,
    pub(crate) by_model: BTreeMap<String, Usage>,
    /// The log-probabilities of each reply of the agent.
    pub(crate) logprobs: Vec<Vec<f64>>,
}

/// Reads `agent_result`.
pub(crate) fn agent_result(json: &mut Json<'_>) -> Result<AgentResult, Error> {
    let mut result = AgentResult::default();
    fields!(|json, field| {
        "model_usage" => json.optional(|json| json.map(|json, model| {
            result.by_model.insert(model, final_metrics(json)?);
            Ok(())
        }))?,
        "rollout_details" => json.optional(|json| {
            let mut is_first = true;
            json.list(|json| {
                // The first one is that of the main agent.
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
        in TOTALS => total(json, field, &mut result.usage)?,
    })?;
    Ok(result)
}
