use std::collections::BTreeMap;

use crate::{
    engines::json::reader::Json, error::Error, formats::harbor::metrics::reals,
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

/// Reads `agent_result`. Cached tokens are part of the input.
pub(crate) fn agent_result(json: &mut Json<'_>) -> Result<AgentResult, Error> {
    const RESULT: &[&str] = &[
        "n_input_tokens",
        "n_cache_tokens",
        "n_output_tokens",
        "cost_usd",
        "model_usage",
        "rollout_details",
    ];
    let mut result = AgentResult::default();
    json.object(&[RESULT], |json, field| {
        if json.null()? {
            return Ok(());
        }
        match field {
            "model_usage" => json.map(|json, model| {
                let mut usage = Usage::default();
                json.object(&[RESULT], |json, field| count(json, field, &mut usage))?;
                result.by_model.insert(model, usage);
                Ok(())
            }),
            "rollout_details" => {
                let mut is_first = true;
                json.list(|json| {
                    // The first one is that of the main agent.
                    if !std::mem::take(&mut is_first) {
                        return json.skip();
                    }
                    result.logprobs = rollout(json)?;
                    Ok(())
                })
            }
            field => count(json, field, &mut result.usage),
        }
    })?;
    Ok(result)
}

fn count(json: &mut Json<'_>, field: &str, usage: &mut Usage) -> Result<(), Error> {
    if json.null()? {
        return Ok(());
    }
    match field {
        "n_input_tokens" => usage.input_tokens = Some(json.count()?),
        "n_cache_tokens" => usage.cached_tokens = Some(json.count()?),
        "n_output_tokens" => usage.output_tokens = Some(json.count()?),
        "cost_usd" => usage.cost_usd = Some(json.amount()?),
        _ => json.skip()?,
    }
    Ok(())
}

fn rollout(json: &mut Json<'_>) -> Result<Vec<Vec<f64>>, Error> {
    let mut turns = Vec::new();
    json.object(&[&["logprobs"]], |json, _| {
        if json.null()? {
            return Ok(());
        }
        turns = json.list_of(|json| Ok(json.optional(reals)?.unwrap_or_default()))?;
        Ok(())
    })?;
    Ok(turns)
}
