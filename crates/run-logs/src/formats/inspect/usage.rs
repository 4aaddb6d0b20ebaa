use crate::{engines::json::reader::Json, error::Error, values::usage::Usage};

const USAGE: &[&str] = &[
    "input_tokens",
    "output_tokens",
    "input_tokens_cache_read",
    "input_tokens_cache_write",
    "reasoning_tokens",
    "total_cost",
];

/// Reads the usage of a model. `input_tokens` excludes what was read from or written to a cache,
/// so both are added; a count of the cache that is null is 0.
pub(crate) fn usage(json: &mut Json<'_>) -> Result<Usage, Error> {
    let mut usage = Usage::default();
    let mut input = 0;
    json.object(USAGE, |json, field| {
        match field {
            "input_tokens" => input = json.optional(Json::count)?.unwrap_or(0),
            "output_tokens" => usage.output_tokens = json.optional(Json::count)?,
            "input_tokens_cache_read" => usage.cached_tokens = json.optional(Json::count)?,
            "input_tokens_cache_write" => usage.cache_write_tokens = json.optional(Json::count)?,
            "reasoning_tokens" => usage.reasoning_tokens = json.optional(Json::count)?,
            _ => usage.cost_usd = json.optional(Json::amount)?,
        }
        Ok(())
    })?;
    let cached = usage.cached_tokens.unwrap_or(0);
    let written = usage.cache_write_tokens.unwrap_or(0);
    usage.input_tokens = Some(input.saturating_add(cached).saturating_add(written));
    usage.cached_tokens = Some(cached);
    usage.cache_write_tokens = Some(written);
    usage.output_tokens = usage.output_tokens.or(Some(0));
    Ok(usage)
}

/// What a sample used before it called a model.
pub(crate) fn nothing() -> Usage {
    Usage {
        input_tokens: Some(0),
        cached_tokens: Some(0),
        cache_write_tokens: Some(0),
        output_tokens: Some(0),
        reasoning_tokens: None,
        cost_usd: None,
    }
}
