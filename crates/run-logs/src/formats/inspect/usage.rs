use crate::{
    engines::json::{fields::fields, reader::Json},
    error::Error,
    values::usage::Usage,
};

/// Reads the usage of a model. `input_tokens` excludes what was read from or written to a cache,
/// so both are added.
pub(crate) fn usage(json: &mut Json<'_>) -> Result<Usage, Error> {
    let mut usage = Usage::default();
    fields!(|json| {
        "input_tokens" => usage.input_tokens = json.optional(Json::count)?,
        "output_tokens" => usage.output_tokens = json.optional(Json::count)?,
        "input_tokens_cache_read" => usage.cached_tokens = json.optional(Json::count)?,
        "input_tokens_cache_write" => usage.cache_write_tokens = json.optional(Json::count)?,
        "reasoning_tokens" => usage.reasoning_tokens = json.optional(Json::count)?,
        "total_cost" => usage.cost_usd = json.optional(Json::amount)?,
    })?;
    let mut of_cache = [usage.cached_tokens, usage.cache_write_tokens].into_iter().flatten();
    let input = usage.input_tokens;
    usage.input_tokens = input.and_then(|input| of_cache.try_fold(input, u64::checked_add));
    Ok(usage)
}

/// What a sample used that called no model.
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
