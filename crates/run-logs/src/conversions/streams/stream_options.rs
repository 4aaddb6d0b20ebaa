use crate::conversions::streams::{
    action_span::ActionSpan, stated_confidence::ConfidenceField, token_confidence::ShortLists,
};

/// How streams of confidence are worked out from turns.
///
/// ```
/// use run_logs::{ActionSpan, ShortLists, StreamOptions};
///
/// let options = StreamOptions { short_lists: ShortLists::Refuse, ..StreamOptions::default() };
/// assert!(matches!(options.action, ActionSpan::Element("action")));
/// ```
#[derive(Clone, Debug, Default)]
pub struct StreamOptions<'a> {
    /// Where the action of a reply is; `<action>…</action>` by default.
    pub action: ActionSpan<'a>,
    /// Where the stated confidence is, and how it is read; `<confidence>…</confidence>`, strictly,
    /// by default.
    pub confidence: ConfidenceField,
    /// How tokens that list fewer than five probable tokens are treated; [`ShortLists::TakeMerged`]
    /// by default.
    pub short_lists: ShortLists,
}
