use std::fmt;

/// The opening of the request for a plan. Rules, problems, budget and form are the same in each.
///
/// Reference: TRIAGE, appendix C.2, in other words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Framing {
    /// A set of problems and a limit.
    #[default]
    Neutral,
    /// An agent on its own that allots its compute to assignments.
    Agent,
    /// An examination with limited time.
    Exam,
}

impl Framing {
    /// All framings.
    pub const ALL: [Self; 3] = [Self::Neutral, Self::Agent, Self::Exam];

    /// The name: `neutral`, `agent` or `exam`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Neutral => "neutral",
            Self::Agent => "agent",
            Self::Exam => "exam",
        }
    }
}

impl fmt::Display for Framing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
