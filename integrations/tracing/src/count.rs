/// What a resource of the budget counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Count {
    /// Input tokens, including those from a cache.
    InputTokens,
    /// Output tokens, including those of reasoning.
    OutputTokens,
    /// Input and output tokens: the larger one of the stated total and of the sum, if both parts are stated.
    TotalTokens,
    /// US dollars: the stated cost, or else that of [`GenAiLayer::with_price`](crate::GenAiLayer::with_price).
    CostUsd,
    /// Calls of a model.
    ModelCalls,
    /// Calls of tools.
    ToolCalls,
}

/// The number of counts.
pub(crate) const COUNTS: usize = Count::ToolCalls as usize + 1;

/// The number of counts that a span states; the others are counted.
pub(crate) const STATED: usize = 4;

/// An amount for each count that a span may state, in the order of [`Count`].
pub(crate) type Amounts<T> = [T; STATED];

impl Count {
    /// The position of a count that a span states.
    pub(crate) fn stated(self) -> Option<usize> {
        let at = self as usize;
        (at < STATED).then_some(at)
    }
}

/// A resource of the budget, what it counts, and the amount of a call that states none.
#[derive(Clone, Debug)]
pub(crate) struct Counted {
    pub(crate) resource: String,
    pub(crate) count: Count,
    pub(crate) assumed: Option<f64>,
}
