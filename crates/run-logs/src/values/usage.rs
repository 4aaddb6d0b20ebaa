/// What a model call or a whole run used. A count that the log does not give is `None`.
///
/// Input tokens include cached ones in every format: readers add them where a log counts them
/// apart, as inspect_ai does, so that runs of different formats can be compared.
///
/// ```
/// use run_logs::Usage;
///
/// let call = Usage { input_tokens: Some(900), output_tokens: Some(50), ..Usage::default() };
/// let both = call.plus(&call);
/// assert_eq!((both.input_tokens, both.total_tokens()), (Some(1_800), Some(1_900)));
/// assert_eq!(both.cost_usd, None);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Usage {
    /// Tokens of the prompt, those read from and written to a cache included.
    pub input_tokens: Option<u64>,
    /// The part of the input tokens that was read from a cache.
    pub cached_tokens: Option<u64>,
    /// The part of the input tokens that was written to a cache.
    pub cache_write_tokens: Option<u64>,
    /// Tokens of the reply, those of reasoning included if the provider counts them so.
    pub output_tokens: Option<u64>,
    /// The part of the output tokens that was reasoning.
    pub reasoning_tokens: Option<u64>,
    /// The cost in US dollars, at least 0.
    pub cost_usd: Option<f64>,
}

impl Usage {
    /// Input and output tokens together; `None` unless both are known.
    #[must_use]
    pub fn total_tokens(&self) -> Option<u64> {
        self.input_tokens?.checked_add(self.output_tokens?)
    }

    /// The sum of two usages. A count is known if it is known in both.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let cost_usd = self.cost_usd.zip(other.cost_usd).map(|(a, b)| a + b);
        self.with_counts_of(other, |a, b| a?.checked_add(b?), cost_usd)
    }

    /// A usage with this cost, each count of which follows from those of two others.
    pub(crate) fn with_counts_of(
        &self,
        other: &Self,
        count: impl Fn(Option<u64>, Option<u64>) -> Option<u64>,
        cost_usd: Option<f64>,
    ) -> Self {
        Self {
            input_tokens: count(self.input_tokens, other.input_tokens),
            cached_tokens: count(self.cached_tokens, other.cached_tokens),
            cache_write_tokens: count(self.cache_write_tokens, other.cache_write_tokens),
            output_tokens: count(self.output_tokens, other.output_tokens),
            reasoning_tokens: count(self.reasoning_tokens, other.reasoning_tokens),
            cost_usd,
        }
    }
}
