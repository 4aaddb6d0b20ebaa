use crate::values::names::names;

/// The opening of the request for a plan. All framings have the same rules, problems, budget and form.
///
/// Reference: TRIAGE, appendix C.2, in other words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Framing {
    /// The neutral framing: a set of problems and a limit.
    #[default]
    Neutral,
    /// The agent framing: an independent agent that distributes its compute over assignments.
    Agent,
    /// The exam framing: an examination with limited time.
    Exam,
}

names!(Framing, Neutral "neutral", Agent "agent", Exam "exam");
