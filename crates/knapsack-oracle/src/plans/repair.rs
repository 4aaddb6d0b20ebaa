use crate::{Plan, Pool};

/// What was mended in a planner's text, and where.
///
/// Entries are numbered from 0 in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Repair {
    /// Text before or after the JSON was left out.
    TextStripped {
        /// Bytes before the JSON.
        before: usize,
        /// Bytes after it.
        after: usize,
    },
    /// There were several plans; the last was taken.
    SeveralPlans {
        /// How many there were.
        found: usize,
    },
    /// An entry without a usable id was dropped.
    EntryDropped {
        /// The entry.
        entry: usize,
    },
    /// An entry that names no item of the pool was dropped.
    UnknownId {
        /// The entry.
        entry: usize,
        /// The id as given.
        id: String,
    },
    /// Fields other than id and allocation were left out.
    ExtraFields {
        /// The entry.
        entry: usize,
        /// How many.
        fields: usize,
    },
    /// An allocation was no whole number of at least 0, or was missing.
    Allocation {
        /// The entry.
        entry: usize,
        /// What was there; empty where nothing was.
        given: String,
        /// The number that was taken for it.
        taken: u64,
    },
}

/// What became of a planner's text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanReading {
    /// A plan within its budget.
    Plan {
        /// The plan.
        plan: Plan,
        /// What was mended, in order.
        repairs: Vec<Repair>,
    },
    /// A plan that allocates more than its budget. It can be executed: the enforced regime stops where
    /// the budget ends, the advisory one does not look at allocations.
    OverBudget {
        /// The plan.
        plan: Plan,
        /// The sum of its allocations.
        allocated: u128,
        /// What was mended, in order.
        repairs: Vec<Repair>,
    },
    /// An item is in the plan twice. It cannot be executed, as an item can be attempted once.
    DuplicateId {
        /// The first id that comes again.
        id: String,
        /// What was mended, in order.
        repairs: Vec<Repair>,
    },
    /// No plan was found.
    Unparseable,
}

impl PlanReading {
    /// The plan, where there is one that can be executed.
    #[must_use]
    pub const fn plan(&self) -> Option<&Plan> {
        match self {
            Self::Plan { plan, .. } | Self::OverBudget { plan, .. } => Some(plan),
            Self::DuplicateId { .. } | Self::Unparseable => None,
        }
    }

    /// What was mended, in order.
    #[must_use]
    pub fn repairs(&self) -> &[Repair] {
        match self {
            Self::Plan { repairs, .. }
            | Self::OverBudget { repairs, .. }
            | Self::DuplicateId { repairs, .. } => repairs,
            Self::Unparseable => &[],
        }
    }
}

/// Reads a plan from what a model wrote: `{"plan": [{"id": "a", "allocation": 500}, …]}`, possibly
/// within prose or a fence.
#[must_use]
pub fn repair_plan(text: &str, pool: &Pool, budget: u64) -> PlanReading {
    let _ = (text, pool, budget);
    PlanReading::Unparseable
}
