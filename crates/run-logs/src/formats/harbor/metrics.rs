use std::collections::BTreeMap;

use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::Json,
    error::Error,
    values::{tokens::Tokens, usage::Usage},
};

/// What a step used, and the log-probabilities of its reply.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    pub(crate) usage: Usage,
    pub(crate) logprobs: Option<Vec<f64>>,
}

/// Reads `metrics` of a step. Cached tokens are part of the prompt.
pub(crate) fn metrics(json: &mut Json<'_>) -> Result<Metrics, Error> {
    const METRICS: &[&str] =
        &["prompt_tokens", "completion_tokens", "cached_tokens", "cost_usd", "logprobs", "extra"];
    let mut metrics = Metrics::default();
    json.object(&[METRICS], |json, field| {
        if json.null()? {
            return Ok(());
        }
        let usage = &mut metrics.usage;
        match field {
            "prompt_tokens" => usage.input_tokens = Some(json.count()?),
            "completion_tokens" => usage.output_tokens = Some(json.count()?),
            "cached_tokens" => usage.cached_tokens = Some(json.count()?),
            "cost_usd" => usage.cost_usd = Some(json.amount()?),
            "logprobs" => metrics.logprobs = Some(reals(json)?),
            _ => details(json, usage)?,
        }
        Ok(())
    })?;
    Ok(metrics)
}

/// Reads counts that providers add. Fields of other types are left out.
fn details(json: &mut Json<'_>, usage: &mut Usage) -> Result<(), Error> {
    if json.token()? != b'{' {
        return json.skip();
    }
    json.object(&[&["reasoning_tokens", "cache_write_tokens"]], |json, field| {
        if !json.token()?.is_ascii_digit() {
            return json.skip();
        }
        match field {
            "reasoning_tokens" => usage.reasoning_tokens = Some(json.count()?),
            _ => usage.cache_write_tokens = Some(json.count()?),
        }
        Ok(())
    })
}

/// Reads a list of numbers; NaN and null stand for unknown ones.
pub(crate) fn reals(json: &mut Json<'_>) -> Result<Vec<f64>, Error> {
    json.list_of(|json| Ok(json.optional(Json::any_real)?.unwrap_or(f64::NAN)))
}

/// Tokens of which only the log-probabilities are known.
pub(crate) fn tokens_without_text(logprobs: &[f64]) -> Tokens {
    let mut tokens = Tokens::default();
    logprobs.iter().for_each(|&logprob| tokens.push(b"", logprob));
    tokens
}

/// Reads `final_metrics`.
pub(crate) fn final_metrics(json: &mut Json<'_>) -> Result<Usage, Error> {
    const TOTALS: &[&str] = &[
        "total_prompt_tokens",
        "total_completion_tokens",
        "total_cached_tokens",
        "total_cost_usd",
    ];
    let mut usage = Usage::default();
    json.object(&[TOTALS], |json, field| {
        if json.null()? {
            return Ok(());
        }
        match field {
            "total_prompt_tokens" => usage.input_tokens = Some(json.count()?),
            "total_completion_tokens" => usage.output_tokens = Some(json.count()?),
            "total_cached_tokens" => usage.cached_tokens = Some(json.count()?),
            _ => usage.cost_usd = Some(json.amount()?),
        }
        Ok(())
    })?;
    Ok(usage)
}

/// The sum of usages as Harbor counts it: a count that is missing adds nothing if another one is
/// known, but the cost is known only if every part that used tokens has one.
pub(crate) fn sum<'a>(usages: impl IntoIterator<Item = &'a Usage>) -> Usage {
    let mut sum = Usage::default();
    let mut is_priced = true;
    for usage in usages {
        let counts = [
            (&mut sum.input_tokens, usage.input_tokens),
            (&mut sum.cached_tokens, usage.cached_tokens),
            (&mut sum.cache_write_tokens, usage.cache_write_tokens),
            (&mut sum.output_tokens, usage.output_tokens),
            (&mut sum.reasoning_tokens, usage.reasoning_tokens),
        ];
        for (sum, count) in counts {
            if let Some(count) = count {
                *sum = Some(sum.unwrap_or(0).saturating_add(count));
            }
        }
        let tokens = usage.input_tokens.unwrap_or(0) | usage.output_tokens.unwrap_or(0);
        is_priced &= usage.cost_usd.is_some() || tokens == 0;
        if let Some(cost) = usage.cost_usd {
            sum.cost_usd = Some(sum.cost_usd.unwrap_or(0.0) + cost);
        }
    }
    sum.cost_usd = sum.cost_usd.filter(|_| is_priced);
    sum
}

/// Totals of a log, and the sum of its steps for the counts that the totals do not have.
pub(crate) fn or_else(totals: &Usage, steps: &Usage) -> Usage {
    Usage {
        input_tokens: totals.input_tokens.or(steps.input_tokens),
        cached_tokens: totals.cached_tokens.or(steps.cached_tokens),
        cache_write_tokens: totals.cache_write_tokens.or(steps.cache_write_tokens),
        output_tokens: totals.output_tokens.or(steps.output_tokens),
        reasoning_tokens: totals.reasoning_tokens.or(steps.reasoning_tokens),
        cost_usd: totals.cost_usd.or(steps.cost_usd),
    }
}

/// The known counts as a value for [`Run::metadata`](crate::Run::metadata).
pub(crate) fn value(usage: &Usage) -> Value {
    let counts = [
        ("input_tokens", usage.input_tokens),
        ("cached_tokens", usage.cached_tokens),
        ("cache_write_tokens", usage.cache_write_tokens),
        ("output_tokens", usage.output_tokens),
        ("reasoning_tokens", usage.reasoning_tokens),
    ];
    let counts = counts
        .into_iter()
        .filter_map(|(name, count)| Some((name.to_owned(), Value::Integer(i128::from(count?)))));
    let mut values: BTreeMap<String, Value> = counts.collect();
    if let Some(cost) = usage.cost_usd {
        values.insert("cost_usd".to_owned(), cost.into());
    }
    Value::Map(values)
}

/// Reads what [`value`] writes.
pub(crate) fn usage_back(json: &mut Json<'_>) -> Result<Usage, Error> {
    const USAGE: &[&str] = &[
        "input_tokens",
        "cached_tokens",
        "cache_write_tokens",
        "output_tokens",
        "reasoning_tokens",
        "cost_usd",
    ];
    let mut usage = Usage::default();
    json.object(&[USAGE], |json, field| {
        if field == "cost_usd" {
            usage.cost_usd = json.optional(Json::amount)?;
            return Ok(());
        }
        let count = json.optional(Json::count)?;
        match field {
            "input_tokens" => usage.input_tokens = count,
            "cached_tokens" => usage.cached_tokens = count,
            "cache_write_tokens" => usage.cache_write_tokens = count,
            "output_tokens" => usage.output_tokens = count,
            _ => usage.reasoning_tokens = count,
        }
        Ok(())
    })?;
    Ok(usage)
}
