use crate::{plans::plan::Plan, values::unreadable_reason::UnreadableReason};

/// What was mended in a planner's text, and where. From [`repair_plan`], where an example is.
///
/// Entries are numbered from 0 in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Repair {
    /// Text before or after the JSON was left out; white space does not count.
    TextStripped {
        /// Bytes before the JSON.
        before: usize,
        /// Bytes after it.
        after: usize,
    },
    /// There were several plans; the last complete one was taken.
    SeveralPlans {
        /// How many there were.
        found: usize,
    },
    /// The text ends before the plan does. Its complete entries were kept.
    CutOff {
        /// The byte at which the last complete entry ends.
        at: usize,
    },
    /// Commas before a closing bracket were left out.
    TrailingCommas {
        /// How many.
        commas: usize,
    },
    /// Strings in single quotes were read as strings.
    SingleQuotes {
        /// How many.
        strings: usize,
    },
    /// An entry was dropped.
    EntryDropped {
        /// The entry.
        entry: usize,
        /// Why.
        reason: DropReason,
    },
    /// White space around an id was left out.
    PaddedId {
        /// The entry.
        entry: usize,
        /// The id as given.
        given: String,
    },
    /// The id or the allocation was given under another name, from the lists of [`repair_plan`].
    OtherName {
        /// The entry.
        entry: usize,
        /// The name as given.
        given: String,
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

/// Why an entry of a plan was dropped, in [`Repair::EntryDropped`].
///
/// ```
/// use knapsack_oracle::{DropReason, Error, Item, Pool, Repair, repair_plan};
///
/// let pool = Pool::new(vec![Item::new("a", 1.0, 500, true)?])?;
/// let reading = repair_plan(r#"[{"id": "a", "allocation": "about 30 %"}]"#, &pool, 1_000);
/// let reason = DropReason::NotATokenCount { given: "about 30 %".to_owned() };
/// assert_eq!(reading.repairs(), [Repair::EntryDropped { entry: 0, reason }]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum DropReason {
    /// It is not an object.
    NotAnObject,
    /// It has no id that is a string or a number.
    NoId,
    /// Its id or its allocation is given twice under one name, so it is unclear which one is meant.
    RepeatedField {
        /// The name.
        field: String,
    },
    /// Its allocation is not a number of tokens.
    NotATokenCount {
        /// The allocation as given.
        given: String,
    },
}

/// What became of a planner's text. From [`repair_plan`], where an example is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum PlanReading {
    /// A plan within its budget.
    Plan {
        /// The plan.
        plan: Plan,
        /// What was mended, in order.
        repairs: Vec<Repair>,
    },
    /// A plan that allocates more than its budget. It can be executed: the enforced regime stops
    /// where the budget ends, the advisory one does not look at allocations.
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
    Unparseable {
        /// Why.
        reason: UnreadableReason,
        /// The byte of the text at which it shows: where the JSON breaks off, where the text ends, or
        /// where the JSON without a plan begins. Of several attempts, that of the longest.
        at: usize,
    },
}

impl PlanReading {
    /// The plan, where there is one that can be executed.
    #[must_use]
    pub const fn plan(&self) -> Option<&Plan> {
        match self {
            Self::Plan { plan, .. } | Self::OverBudget { plan, .. } => Some(plan),
            Self::DuplicateId { .. } | Self::Unparseable { .. } => None,
        }
    }

    /// What was mended, in order.
    #[must_use]
    pub fn repairs(&self) -> &[Repair] {
        match self {
            Self::Plan { repairs, .. }
            | Self::OverBudget { repairs, .. }
            | Self::DuplicateId { repairs, .. } => repairs,
            Self::Unparseable { .. } => &[],
        }
    }
}
