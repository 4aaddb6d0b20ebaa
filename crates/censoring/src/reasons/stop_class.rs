use std::fmt;

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
