use std::{fmt, str::FromStr};

use scoring_rules::Probability;

use crate::{
    conversions::streams::{
        missing_value::MissingValue,
        stated_confidence::ConfidenceField,
        token_confidence::{ActionSpan, ShortLists, TokenMeasure, token_confidence},
    },
    error::Error,
    format::named,
    values::run::Turn,
};

/// A stream of confidence: a rule that gives each turn of a run a probability of success.
///
/// ```
/// use run_logs::ConfidenceStream;
///
/// let names = ConfidenceStream::ALL.map(ConfidenceStream::name);
/// assert_eq!(names[0], "token_probability");
/// assert_eq!("action_entropy".parse(), Ok(ConfidenceStream::ActionEntropy));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ConfidenceStream {
    /// [`TokenMeasure::Probability`] of the whole reply.
    TokenProbability,
    /// [`TokenMeasure::Entropy`] of the whole reply.
    Entropy,
    /// [`TokenMeasure::EntropyRenormalised`] of the whole reply.
    EntropyRenormalised,
    /// [`TokenMeasure::Probability`] of the action.
    ActionTokenProbability,
    /// [`TokenMeasure::Entropy`] of the action.
    ActionEntropy,
    /// [`TokenMeasure::EntropyRenormalised`] of the action.
    ActionEntropyRenormalised,
    /// The confidence stated by the model.
    #[default]
    StatedConfidence,
}

impl ConfidenceStream {
    /// All streams.
    pub const ALL: [Self; 7] = [
        Self::TokenProbability,
        Self::Entropy,
        Self::EntropyRenormalised,
        Self::ActionTokenProbability,
        Self::ActionEntropy,
        Self::ActionEntropyRenormalised,
        Self::StatedConfidence,
    ];

    /// Returns the name of the stream.
    #[must_use]
    pub const fn name(self) -> &'static str {
        [
            "token_probability",
            "entropy",
            "entropy_renormalised",
            "action_token_probability",
            "action_entropy",
            "action_entropy_renormalised",
            "stated_confidence",
        ][self as usize]
    }

    /// Returns the value of this stream at a turn.
    ///
    /// # Errors
    ///
    /// [`MissingValue`] with the reason why the turn has none. Streams of the whole reply are means over all logged tokens,
    /// including tokens of reasoning, of calls and special tokens. Streams of the action need tokens in whose bytes the action of
    /// the text is found ([`MissingValue::Alignment`]).
    ///
    /// ```
    /// use run_logs::{ConfidenceStream, MissingValue, Reply, StreamOptions, Turn};
    ///
    /// let mut turn = Turn::default();
    /// let text = "<confidence>0.7</confidence>".to_owned();
    /// turn.reply = Some(Reply { text, ..Reply::default() });
    /// let options = StreamOptions::default();
    /// assert_eq!(ConfidenceStream::StatedConfidence.value(&turn, &options)?.get(), 0.7);
    /// let missing = ConfidenceStream::Entropy.value(&turn, &options);
    /// assert_eq!(missing, Err(MissingValue::NoLogprobs));
    /// # Ok::<(), MissingValue>(())
    /// ```
    pub fn value(
        self,
        turn: &Turn,
        options: &StreamOptions<'_>,
    ) -> Result<Probability, MissingValue> {
        let reply = turn.reply.as_ref().ok_or(MissingValue::NoReply)?;
        let (measure, is_action) = match self {
            Self::StatedConfidence => return options.confidence.value(reply),
            Self::TokenProbability => (TokenMeasure::Probability, false),
            Self::Entropy => (TokenMeasure::Entropy, false),
            Self::EntropyRenormalised => (TokenMeasure::EntropyRenormalised, false),
            Self::ActionTokenProbability => (TokenMeasure::Probability, true),
            Self::ActionEntropy => (TokenMeasure::Entropy, true),
            Self::ActionEntropyRenormalised => (TokenMeasure::EntropyRenormalised, true),
        };
        let tokens = reply.tokens.as_ref().ok_or(MissingValue::NoLogprobs)?;
        let span = if is_action { Some(options.action.locate(reply)?) } else { None };
        token_confidence(tokens, span, measure, options.short_lists)
    }
}

impl fmt::Display for ConfidenceStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for ConfidenceStream {
    type Err = Error;

    /// Reads the name of a stream.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for any other word.
    fn from_str(word: &str) -> Result<Self, Error> {
        let expected = "token_probability, entropy or entropy_renormalised, also with action_ in front, or stated_confidence";
        named(word, "stream", expected, Self::ALL.into_iter().map(|it| (it.name(), it)))
    }
}

/// Options for the computation of streams of confidence from turns.
///
/// ```
/// use run_logs::{ActionSpan, ShortLists, StreamOptions};
///
/// let options = StreamOptions { short_lists: ShortLists::Refuse, ..StreamOptions::default() };
/// assert!(matches!(options.action, ActionSpan::Element("action")));
/// ```
#[derive(Clone, Debug, Default)]
pub struct StreamOptions<'a> {
    /// The location of the action in a reply; `<action>…</action>` by default.
    pub action: ActionSpan<'a>,
    /// The field in which a reply states its confidence, and the tolerance with which it is read;
    /// `<confidence>…</confidence>`, read strictly, by default.
    pub confidence: ConfidenceField,
    /// The treatment of tokens that list fewer than five probable tokens; [`ShortLists::TakeMerged`] by default.
    pub short_lists: ShortLists,
    /// Whether rows keep only totals, steps by kind and the last value of each stream, which is enough to compare runs and takes a
    /// tenth of the memory. [`LoggedRun::turn_usage`](crate::LoggedRun::turn_usage),
    /// [`LoggedRun::tool_calls`](crate::LoggedRun::tool_calls) and the expected calls are then empty. False by default.
    pub totals_only: bool,
}
