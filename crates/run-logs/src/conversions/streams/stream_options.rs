use crate::conversions::streams::{
    action_span::ActionSpan, stated_confidence::ConfidenceField, token_confidence::ShortLists,
};

/// How streams of confidence are worked out from turns.
///
/// ```
/// use run_logs::{ActionSpan, ConfidenceField, ConfidenceReading, ShortLists, StreamOptions};
///
/// let lenient = ConfidenceField::new("p_success", ConfidenceReading::Lenient);
/// let options = StreamOptions::default()
///     .with_action(ActionSpan::ToolCalls("tool_call"))
///     .with_confidence(lenient.clone())
///     .with_short_lists(ShortLists::Refuse);
/// assert_eq!(options.confidence(), &lenient);
/// ```
#[derive(Clone, Debug, Default)]
pub struct StreamOptions<'a> {
    action: ActionSpan<'a>,
    confidence: ConfidenceField,
    short_lists: ShortLists,
}

impl<'a> StreamOptions<'a> {
    /// Where the action of a reply is; `<action>…</action>` by default.
    #[must_use]
    pub const fn action(&self) -> ActionSpan<'a> {
        self.action
    }

    /// Where the stated confidence is, and how it is read; `<confidence>…</confidence>`, strictly,
    /// by default.
    #[must_use]
    pub const fn confidence(&self) -> &ConfidenceField {
        &self.confidence
    }

    /// How tokens that list fewer than five probable tokens are treated; [`ShortLists::TakeMerged`]
    /// by default.
    #[must_use]
    pub const fn short_lists(&self) -> ShortLists {
        self.short_lists
    }

    /// Sets where the action of a reply is.
    #[must_use]
    pub const fn with_action(mut self, action: ActionSpan<'a>) -> Self {
        self.action = action;
        self
    }

    /// Sets where the stated confidence is, and how it is read.
    #[must_use]
    pub fn with_confidence(mut self, confidence: ConfidenceField) -> Self {
        self.confidence = confidence;
        self
    }

    /// Sets how tokens that list fewer than five probable tokens are treated.
    #[must_use]
    pub const fn with_short_lists(mut self, short_lists: ShortLists) -> Self {
        self.short_lists = short_lists;
        self
    }
}
