/// The declared assumption under which cut-off runs can be compared with complete runs.
///
/// No data can test the assumption, so a report has to state it.
///
/// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
/// quantification, arXiv:2605.24756, assumptions 1 and 2 and section 4.4.
///
/// ```
/// use censoring::CensoringAssumption;
///
/// assert_eq!(CensoringAssumption::NonInformative.to_string(), "non_informative");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum CensoringAssumption {
    /// The stop carries no information about the outcome, given the run up to the stop (assumptions 1 and 2 of the
    /// paper). The exact mean then estimates the score with the true outcomes.
    NonInformative,
    /// Runs that are cut off would have failed (`q_Z` is about 0). The simple mean is then the score.
    FailureSide,
    /// No assumption is made. Only the bounds of a score hold.
    None,
}

/// Writes `non_informative`, `failure_side` or `none`.
impl std::fmt::Display for CensoringAssumption {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::NonInformative => "non_informative",
            Self::FailureSide => "failure_side",
            Self::None => "none",
        })
    }
}
