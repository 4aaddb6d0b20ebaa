/// The reason why a turn has no value for a stream of confidence.
///
/// A run with a missing value is left out of that stream only, and is counted with the reason.
///
/// ```
/// use run_logs::MissingValue;
///
/// let missing = MissingValue::FewerThanFive { token: 3, found: 2 };
/// assert_eq!(missing.name(), "fewer_than_five");
/// assert_eq!(missing.to_string(), "token 3 lists 2 probabilities; the entropy needs the five highest");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MissingValue {
    /// The model call failed, so that there is no reply.
    #[error("the turn has no reply")]
    NoReply,
    /// The log has no log-probabilities for the reply.
    #[error("the log has no log-probabilities for the reply")]
    NoLogprobs,
    /// No token of the reply falls into the span, or the reply is empty.
    #[error("the scored part of the reply has no token")]
    NoTokens,
    /// A token's log-probability is NaN, or -9999, which servers write for an unknown value.
    #[error("the log-probability of token {token} is unknown")]
    UnknownLogprob {
        /// The token's position in the reply, from 0.
        token: usize,
    },
    /// A probability, or the sum of the probabilities of one position, exceeds 1 by more than rounding.
    #[error("the probabilities at token {token} add up to {sum}; expected at most 1")]
    ProbabilityAboveOne {
        /// The token's position in the reply, from 0.
        token: usize,
        /// The sum of the probabilities.
        sum: f64,
    },
    /// A token lists fewer than five probable tokens, so that its entropy is unknown.
    #[error("token {token} lists {found} probabilities; the entropy needs the five highest")]
    FewerThanFive {
        /// The token's position in the reply, from 0.
        token: usize,
        /// The number of listed tokens with a known probability.
        found: usize,
    },
    /// The action that the text contains is not found in the bytes of the tokens, because the log lost tokens or parts
    /// of characters.
    #[error(
        "the action cannot be found in the tokens, because they differ from the text of the reply at byte {offset}"
    )]
    Alignment {
        /// The position of the first byte at which the text and the tokens differ.
        offset: usize,
    },
    /// The reply has no action.
    #[error("the reply has no complete action")]
    NoAction,
    /// The reply states no confidence.
    #[error("the reply states no confidence")]
    NoConfidence,
    /// The stated confidence cannot be parsed as a number.
    #[error("the stated confidence {text:?} is not a number")]
    UnreadableConfidence {
        /// The stated text, shortened if it is long.
        text: String,
    },
    /// The stated confidence is outside [0, 1].
    #[error(
        "the stated confidence is {value}; expected a number from 0 to 1, or a percentage with a % sign"
    )]
    ConfidenceOutOfRange {
        /// The stated number; a percentage is divided by 100.
        value: f64,
    },
}

impl MissingValue {
    /// Whether the turn only lacks something that may have been requested in other turns.
    pub(crate) const fn is_absence(&self) -> bool {
        matches!(self, Self::NoAction | Self::NoConfidence)
    }

    /// Returns the name under which runs that are left out for this reason are counted.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::NoReply => "no_reply",
            Self::NoLogprobs => "no_logprobs",
            Self::NoTokens => "no_tokens",
            Self::UnknownLogprob { .. } => "unknown_logprob",
            Self::ProbabilityAboveOne { .. } => "probability_above_one",
            Self::FewerThanFive { .. } => "fewer_than_five",
            Self::Alignment { .. } => "alignment",
            Self::NoAction => "no_action",
            Self::NoConfidence => "no_confidence",
            Self::UnreadableConfidence { .. } => "unreadable_confidence",
            Self::ConfidenceOutOfRange { .. } => "confidence_out_of_range",
        }
    }
}
