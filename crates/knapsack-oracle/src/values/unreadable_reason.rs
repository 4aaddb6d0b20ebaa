use std::fmt;

/// The reason why a text contains no plan. Returned by [`PlanReading::new`](crate::PlanReading::new), which has an
/// example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum UnreadableReason {
    /// The text contains no opening bracket.
    NoJson,
    /// The JSON contains a character that is not allowed at its position.
    BrokenJson,
    /// The text ends before the first entry of a plan is complete.
    CutOff,
    /// The list under the key `plan` contains only single values, such as ids, so that ids or allocations are missing.
    BareEntries,
    /// The JSON is complete, but contains neither a list under the key `plan` nor a list of objects
    /// with an id.
    NoList,
}

impl fmt::Display for UnreadableReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::NoJson => "the text contains no JSON",
            Self::BrokenJson => "the text contains broken JSON",
            Self::CutOff => "the text ends before the first entry of a plan is complete",
            Self::BareEntries => {
                "the plan lists single values; each entry must be an object with an id and an allocation"
            }
            Self::NoList => "the JSON contains no list of entries with an id",
        })
    }
}
