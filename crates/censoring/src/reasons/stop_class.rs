use std::fmt;

use crate::reasons::stop_reason::StopReason;

/// The class of a stop, which decides how a run is treated if its outcome is unknown.
///
/// [`StopReason::class`](crate::StopReason::class) is the default policy;
/// [`Stopped::with_policy`](crate::Stopped::with_policy) takes any function from reason to class. A run whose outcome was observed is
/// complete under every policy.
///
/// ```
/// use censoring::{StopClass, StopReason};
///
/// let reasons = [StopReason::Completed, StopReason::MaxCost, StopReason::ToolError];
/// let classes = reasons.map(|reason| reason.class());
/// assert_eq!(classes, [StopClass::Complete, StopClass::Censored, StopClass::Excluded]);
/// assert_eq!(classes[1].to_string(), "censored");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum StopClass {
    /// The run ended by itself, so that it must have an outcome.
    Complete,
    /// The stop was administrative: given the run so far, it is unrelated to the outcome.
    Censored,
    /// The stop may be related to the outcome, so that the run cannot be scored.
    Excluded,
}

impl fmt::Display for StopClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Complete => "complete",
            Self::Censored => "censored",
            Self::Excluded => "excluded",
        })
    }
}

impl StopReason {
    /// Returns the class that the default policy assigns to the reason.
    ///
    /// | reason | class | why |
    /// |---|---|---|
    /// | completed | complete | the agent ended the run, so it can be judged |
    /// | budget of steps, tokens, time, money or another resource | censored | fixed in advance: the run so far determines when it ends the run |
    /// | parse error | excluded | caused by the agent's own output, and more frequent in failing runs |
    /// | tool error | excluded | depends on the agent's calls; neither a label nor a budget |
    /// | environment end | excluded | the environment may have ended it because of what the agent did |
    /// | user stop | excluded | a user stops a run because of how it looks |
    /// | unjudged | excluded | the run was not cut off: it has a result that nobody judged |
    /// | other words | excluded | unknown |
    ///
    /// A censored score is valid only if, given the run so far, the stop is unrelated to the outcome, so
    /// doubtful reasons are excluded. [`Stopped::with_policy`](crate::Stopped::with_policy) takes
    /// another policy, which reports of the scores should mention.
    ///
    /// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
    /// quantification, arXiv:2605.24756, assumption 2 and appendix G.
    #[must_use]
    pub const fn class(&self) -> StopClass {
        match self {
            Self::Completed => StopClass::Complete,
            Self::MaxSteps
            | Self::MaxTokens
            | Self::MaxTime
            | Self::MaxCost
            | Self::MaxOther { .. } => StopClass::Censored,
            Self::ParseError
            | Self::ToolError
            | Self::EnvironmentEnd
            | Self::UserStop
            | Self::Unjudged
            | Self::Other(_) => StopClass::Excluded,
        }
    }
}
