use std::fmt;

/// Why no plan was found in a text. From [`repair_plan`](crate::repair_plan), where an example is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum UnreadableReason {
    /// The text has no bracket that opens.
    NoJson,
    /// The JSON breaks off at a character that cannot come there.
    BrokenJson,
    /// The text ends before the first entry of a plan is complete.
    CutOff,
    /// The JSON is complete, but has no list under the key `plan` and no list of objects with an id.
    NoList,
}

impl fmt::Display for UnreadableReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::NoJson => "the text holds no JSON",
            Self::BrokenJson => "the text stops being JSON",
            Self::CutOff => "the text ends before the first entry of a plan is complete",
            Self::NoList => "the JSON holds no list of entries with an id",
        })
    }
}
