use std::{borrow::Cow, convert::Infallible, fmt, str::FromStr};

/// The reason why a run ended.
///
/// It is written as a snake_case word. These words are read, and also the words of other tools: the finish reasons of model
/// providers, the limits of inspect_ai, the errors of Harbor and the exit statuses of tau2 and SWE-agent. Letter case,
/// separators (`MaxSteps`, `max-steps`) and punctuation at the end are ignored. Four more forms are known:
///
/// - the name of an enum of reasons, or the module of an exception, before a dot (`FinishReason.MAX_TOKENS`,
///   `litellm.ContextWindowExceededError`). An exception of a module with only the word "timeout" is not read as
///   [`StopReason::MaxTime`], because a single call may have timed out;
/// - a limit that was reached: `reached`, `exceeded` or `error` after a word of the table that begins with
///   `max` or ends in `limit` (`max_steps_reached`, `time_limit_exceeded`);
/// - an exit status in brackets after `submitted`, for a run that submitted its work when a limit
///   ended it (`submitted (exit_cost)`);
/// - `cap on` before the name of a resource (`cap on eurocents`).
///
/// ```
/// use censoring::{StopClass, StopReason};
///
/// let reason: StopReason = "max_steps".parse().unwrap();
/// assert_eq!(reason, StopReason::MaxSteps);
/// assert_eq!(reason.class(), StopClass::Censored);
///
/// let spelled: StopReason = "context_length_exceeded".parse().unwrap();
/// assert_eq!(spelled, StopReason::MaxTokens);
///
/// let own: StopReason = "rate_limited".parse().unwrap();
/// assert_eq!(own, StopReason::Other("rate_limited".to_owned()));
/// assert_eq!(own.class(), StopClass::Excluded);
/// assert_eq!(own.to_string(), "rate_limited");
/// ```
///
#[doc = include_str!("stop_words.md")]
///
/// Any other word is kept as [`StopReason::Other`], which excludes a run without an outcome from all scores;
/// [`TerminationAudit::exclusions`](crate::TerminationAudit::exclusions) counts such runs by word. Some words are
/// deliberately not known: `tool_calls`, `tool_use`, `function_call` and `pause_turn` say that a run continues, and `custom`
/// (inspect_ai), `error` and `failed` do not say what happened.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(from = "String", into = "String"))]
#[non_exhaustive]
pub enum StopReason {
    /// The agent ended the run by itself.
    Completed,
    /// A fixed number of steps was used up.
    MaxSteps,
    /// A fixed number of tokens was used up.
    MaxTokens,
    /// A fixed time was used up.
    MaxTime,
    /// A fixed amount of money was used up.
    MaxCost,
    /// A fixed amount of another resource was used up. The written form is `cap on` followed by the name of the
    /// resource.
    ///
    /// ```
    /// use censoring::{StopClass, StopReason};
    ///
    /// let reason: StopReason = "cap on eurocents".parse().unwrap();
    /// assert_eq!(reason, StopReason::MaxOther { resource: "eurocents".to_owned() });
    /// assert_eq!(reason.class(), StopClass::Censored);
    /// assert_eq!(reason.to_string(), "cap on eurocents");
    /// ```
    MaxOther {
        /// Name of the resource.
        resource: String,
    },
    /// The agent's output could not be parsed.
    ParseError,
    /// A tool failed.
    ToolError,
    /// The environment ended the run without an outcome.
    EnvironmentEnd,
    /// The user ended the run.
    UserStop,
    /// The run ended, but its result was not judged.
    Unjudged,
    /// Any other word. [`Stopped`](crate::Stopped) replaces a known word in this variant by the reason that it names.
    Other(String),
}

/// The start of the written form of [`StopReason::MaxOther`].
pub(super) const CAP_ON: &str = "cap on ";

impl StopReason {
    /// Returns the name of the reason.
    #[must_use]
    pub fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed(match self {
            Self::Completed => "completed",
            Self::MaxSteps => "max_steps",
            Self::MaxTokens => "max_tokens",
            Self::MaxTime => "max_time",
            Self::MaxCost => "max_cost",
            Self::ParseError => "parse_error",
            Self::ToolError => "tool_error",
            Self::EnvironmentEnd => "environment_end",
            Self::UserStop => "user_stop",
            Self::Unjudged => "unjudged",
            Self::MaxOther { resource } => return Cow::Owned(format!("{CAP_ON}{resource}")),
            Self::Other(own) => own,
        })
    }

    /// Returns the reason that is read from the written form of this one.
    pub(crate) fn read(self) -> Self {
        match self {
            Self::Other(word) => word.into(),
            named => named,
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name())
    }
}

impl From<StopReason> for String {
    fn from(reason: StopReason) -> Self {
        match reason.read() {
            StopReason::Other(own) => own,
            named => named.name().into_owned(),
        }
    }
}

impl FromStr for StopReason {
    type Err = Infallible;

    fn from_str(word: &str) -> Result<Self, Infallible> {
        Ok(word.to_owned().into())
    }
}
