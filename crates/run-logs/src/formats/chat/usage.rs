use crate::{
    engines::json::reader::{Json, fields},
    error::Error,
    values::run::Usage,
};

/// Tokens that were written to and read from a cache, as Anthropic counts them: beside the input.
#[derive(Clone, Copy, Default)]
pub(crate) struct CacheTokens {
    written: Option<u64>,
    read: Option<u64>,
}

impl CacheTokens {
    /// Adds the tokens to the input, of which they are a part in every other format.
    pub(crate) fn add_to(self, usage: &mut Usage) {
        let mut parts = [self.written, self.read].into_iter().flatten();
        let add = |input: u64| parts.try_fold(input, u64::checked_add);
        usage.input_tokens = usage.input_tokens.and_then(add);
        (usage.cache_write_tokens, usage.cached_tokens) = (self.written, self.read);
    }
}

/// Reads `usage` of a chat response or of the Responses form, in which cached tokens are part of the
/// input, or of Anthropic's form. The field names do not tell them apart: the form of the reply does.
pub(crate) fn usage(json: &mut Json<'_>) -> Result<(Usage, CacheTokens), Error> {
    let (mut usage, mut cache) = (Usage::default(), CacheTokens::default());
    fields!(given |json| {
        "prompt_tokens" | "input_tokens" => usage.input_tokens = Some(json.count()?),
        "completion_tokens" | "output_tokens" => usage.output_tokens = Some(json.count()?),
        "cost" => usage.cost_usd = Some(json.amount()?),
        "cache_creation_input_tokens" => cache.written = Some(json.count()?),
        "cache_read_input_tokens" => cache.read = Some(json.count()?),
        "prompt_tokens_details" | "input_tokens_details" | "completion_tokens_details"
        | "output_tokens_details" => fields!(|json| {
            "cached_tokens" => usage.cached_tokens = json.optional(Json::count)?,
            "cache_write_tokens" => usage.cache_write_tokens = json.optional(Json::count)?,
            "reasoning_tokens" | "thinking_tokens" => {
                usage.reasoning_tokens = json.optional(Json::count)?;
            },
        })?,
    })?;
    Ok((usage, cache))
}

/// Reads `usageMetadata` of Gemini, whose output tokens are counted without the thoughts.
pub(crate) fn gemini_usage(json: &mut Json<'_>) -> Result<Usage, Error> {
    let mut usage = Usage::default();
    let mut tool_results = None;
    fields!(|json| {
        "promptTokenCount" => usage.input_tokens = json.optional(Json::count)?,
        "toolUsePromptTokenCount" => tool_results = json.optional(Json::count)?,
        "candidatesTokenCount" => usage.output_tokens = json.optional(Json::count)?,
        "thoughtsTokenCount" => usage.reasoning_tokens = json.optional(Json::count)?,
        "cachedContentTokenCount" => usage.cached_tokens = json.optional(Json::count)?,
    })?;
    let plus = |count: Option<u64>, more: Option<u64>| count?.checked_add(more.unwrap_or(0));
    usage.input_tokens = plus(usage.input_tokens, tool_results);
    usage.output_tokens = plus(usage.output_tokens, usage.reasoning_tokens);
    Ok(usage)
}
