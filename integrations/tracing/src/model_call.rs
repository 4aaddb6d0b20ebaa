/// What the span of a model call states. What it does not state is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ModelCall {
    /// The model that replied, or else the requested one.
    pub model: Option<String>,
    /// All input tokens. The convention includes cached tokens. If a span states fewer input tokens than cached ones, it
    /// does not follow the convention, and the cached tokens are added here.
    pub input_tokens: Option<u64>,
    /// Input tokens that were read from a cache.
    pub cached_tokens: Option<u64>,
    /// Input tokens that were written to a cache.
    pub cache_write_tokens: Option<u64>,
    /// All output tokens.
    pub output_tokens: Option<u64>,
    /// Input and output tokens: the larger one of the stated total and of the sum, if both parts are stated.
    pub total_tokens: Option<u64>,
    /// The stated cost in US dollars.
    pub cost_usd: Option<f64>,
}
