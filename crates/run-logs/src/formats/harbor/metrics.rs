use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::{Json, fields},
    error::Error,
    formats::counts::{Counts, Dialect},
    values::{run::Usage, tokens::Tokens},
};

/// The usage of a step, and the log-probabilities of its reply.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    pub(crate) usage: Usage,
    pub(crate) logprobs: Option<Vec<f64>>,
}

/// Reads `metrics` of a step.
pub(crate) fn metrics(json: &mut Json<'_>) -> Result<Metrics, Error> {
    let (mut counts, mut logprobs) = (Counts::default(), None);
    fields!(|json, field| {
        "logprobs" => logprobs = json.optional(reals)?,
        // Counts that providers add; fields of other types are left out.
        "extra" if json.token()? == b'{' => fields!(|json, field| {
            "reasoning_tokens" | "cache_write_tokens" | "cache_creation_input_tokens"
            | "total_tokens" if json.token()?.is_ascii_digit() => counts.field(json, field)?,
        })?,
        "extra" => json.skip()?,
        in Counts::FIELDS => counts.field(json, field)?,
    })?;
    Ok(Metrics { usage: counts.usage(Dialect::Atif), logprobs })
}

/// Reads `final_metrics`.
pub(crate) fn final_metrics(json: &mut Json<'_>) -> Result<Usage, Error> {
    Ok(Counts::read(json)?.usage(Dialect::Atif))
}

/// Reads a list of numbers; NaN and null mark unknown ones.
pub(crate) fn reals(json: &mut Json<'_>) -> Result<Vec<f64>, Error> {
    json.list_of(|json| Ok(json.optional(Json::any_real)?.unwrap_or(f64::NAN)))
}

/// Tokens of which only the log-probabilities are known.
pub(crate) fn tokens_without_text(logprobs: &[f64]) -> Tokens {
    let mut tokens = Tokens::default();
    logprobs.iter().for_each(|&logprob| tokens.push(b"", logprob));
    tokens
}

/// Returns the sum of usages as Harbor counts it: a missing count adds nothing if another one is known, but the cost is known
/// only if every part with tokens has a cost.
pub(crate) fn sum<'a>(usages: impl IntoIterator<Item = &'a Usage>) -> Usage {
    let mut sum = Usage::default();
    let mut is_priced = true;
    for usage in usages {
        sum = sum.and(usage);
        let tokens = usage.input_tokens.unwrap_or(0) | usage.output_tokens.unwrap_or(0);
        is_priced &= usage.cost_usd.is_some() || tokens == 0;
    }
    sum.cost_usd = sum.cost_usd.filter(|_| is_priced);
    sum
}

/// Returns the totals of a log, with the sum of its steps for missing counts.
pub(crate) fn or_else(totals: &Usage, steps: &Usage) -> Usage {
    totals.with_counts_of(steps, Option::or, totals.cost_usd.or(steps.cost_usd))
}

/// Returns the known counts as a value for [`Run::metadata`](crate::Run::metadata).
pub(crate) fn value(usage: &Usage) -> Value {
    map([
        ("input_tokens", usage.input_tokens.map(number)),
        ("cached_tokens", usage.cached_tokens.map(number)),
        ("cache_write_tokens", usage.cache_write_tokens.map(number)),
        ("output_tokens", usage.output_tokens.map(number)),
        ("reasoning_tokens", usage.reasoning_tokens.map(number)),
        ("cost_usd", usage.cost_usd.map(Value::Real)),
    ])
}

/// Returns an object of the fields that have a value.
pub(crate) fn map<const N: usize>(fields: [(&str, Option<Value>); N]) -> Value {
    let fields = fields.into_iter().filter_map(|(name, field)| Some((name.to_owned(), field?)));
    Value::Map(fields.collect())
}

pub(crate) fn number(number: u64) -> Value {
    Value::Integer(i128::from(number))
}
