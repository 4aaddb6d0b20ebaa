use scoring_rules::Interval;

use crate::formats::bagen::answer::Answer;

/// The resources in a file of estimates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Tokens: Sokoban, Search-R1 and SWE-bench.
    Tokens,
    /// Time, storage and cost: Warehouse.
    Warehouse,
}

impl Kind {
    /// Returns the names of the resources, in the order of [`Answer::Intervals`].
    #[must_use]
    pub const fn resources(self) -> &'static [&'static str] {
        match self {
            Self::Tokens => &["total_tokens"],
            Self::Warehouse => &["time_weeks", "warehouse_item_weeks", "cumulative_cost_usd"],
        }
    }
}

/// The amounts of one resource that a file states for one prefix.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Amounts {
    /// The cost of the completed turns.
    pub used: Option<f64>,
    /// The cost of the later turns. Warehouse files state it only for runs that can finish.
    pub remaining: Option<f64>,
    /// The cost of the whole run.
    pub total: Option<f64>,
    /// The cap on this resource.
    pub cap: Option<f64>,
}

/// One estimate of BAGEN's released files, with its ground truth.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReleasedSample {
    /// The resources of the estimate.
    pub kind: Kind,
    /// Position of the rollout in its file, from 0.
    pub rollout: usize,
    /// Number of completed turns.
    pub turn: usize,
    /// Number of turns of the run; `None` in Warehouse files.
    pub turns: Option<usize>,
    /// Whether the rollout succeeded, even if it exceeded its caps.
    pub rollout_success: bool,
    /// The label: whether the rollout succeeded within its caps.
    pub can_finish: bool,
    /// The amounts of each resource, in the order of [`Kind::resources`].
    pub amounts: Vec<Amounts>,
    /// The text of the model.
    pub response: Option<String>,
    /// The answer as the released code read it; `None` if it is unreadable.
    pub answer: Option<Answer>,
}

impl ReleasedSample {
    /// The intervals of the answer, one per resource; `None` for `impossible` and without an answer.
    #[must_use]
    pub fn intervals(&self) -> Option<&[Interval]> {
        match &self.answer {
            Some(Answer::Intervals(intervals)) => Some(intervals),
            _ => None,
        }
    }

    /// Whether the answer is `impossible`.
    #[must_use]
    pub fn is_impossible(&self) -> bool {
        self.answer == Some(Answer::Impossible)
    }
}
