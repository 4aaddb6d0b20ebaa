use crate::{
    Error, Plan, Pool, Step,
    plans::{
        allocation::allocation, entry::Entry, lenient_json::find_plan, unreadable::UnreadableReason,
    },
};

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

/// Reads a plan from what a model wrote: `{"plan": [{"id": "a", "allocation": 500}, …]}` or the
/// list alone, possibly within prose or a fence.
///
/// The same text always gives the same plan, by these rules:
///
/// - The plan is the last complete list under the key `plan`, else the last complete list in which
///   an object has an id, else `[]` alone. If the text ends within a list and no complete list outside
///   of it is as good, the complete entries of that list are the plan.
/// - A comma before a closing bracket is left out, and strings may be in single quotes.
/// - An entry is an object with an `id` (or `problem_id`, `task_id`, `item_id`, `problem`, `task`,
///   `item`), a string or a number, and an `allocation` (or `tokens`, `token_allocation`,
///   `allocated_tokens`, `allocated`, `token_budget`, `budget`, `max_tokens`, `token_limit`,
///   `estimated_tokens`; earlier names first). Other fields are left out, other entries dropped. White
///   space around an id is left out if the pool has the id only without it; an entry whose id is not
///   in the pool is dropped.
/// - An entry in which the name of the id or of the allocation comes twice is dropped.
/// - An allocation that is not a whole number of at least 0 becomes one if it is a number of tokens:
///   one number, with `,` before each three digits, `_` between digits, an exponent or a `k`, and no
///   words but those that leave its unit tokens (`about`, `approx`, `approximately`, `around`,
///   `at most`, `ca`, `circa`, `max`, `maximum`, `roughly`, `tok`, `token`, `tokens`, `up to`). It is
///   rounded down, and 0 if it is negative, missing or null. Any other text, such as `about 30 %` or
///   `5 euros`, and a number between 0 and 1, such as a share of the budget, is not a number of tokens,
///   and the entry is dropped.
///
/// Every departure from `{"plan": [{"id": …, "allocation": …}]}` is listed as a [`Repair`]. The plan
/// that comes out, written in that form, is read as the same plan without a repair.
///
/// Takes time and memory linear in the text, and panics on none.
///
/// ```
/// use knapsack_oracle::{
///     Error, Item, PlanReading, Pool, Repair, UnreadableReason, repair_plan,
/// };
///
/// let pool = Pool::new(vec![Item::new("a", 1.0, 500, true)?, Item::new("b", 1.0, 300, false)?])?;
/// let text = r#"First b. {"plan": [{"id": "b", "tokens": "1,200"}, {"id": "z", "tokens": 9}]}"#;
/// let reading = repair_plan(text, &pool, 2_000);
/// let plan = reading.plan().ok_or(Error::Empty)?;
/// assert_eq!((plan.steps()[0].position, plan.steps()[0].allocation), (1, 1_200));
/// assert!(reading.repairs().contains(&Repair::UnknownId { entry: 1, id: "z".to_owned() }));
///
/// assert!(matches!(repair_plan(text, &pool, 1_000), PlanReading::OverBudget { .. }));
/// let reason = UnreadableReason::NoJson;
/// assert_eq!(repair_plan("I give up", &pool, 1_000), PlanReading::Unparseable { reason, at: 9 });
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: TRIAGE (2026), appendix B, arXiv:2605.13414. Which of several plans is taken, what
/// they are called and what happens to an item that comes twice is left open there.
#[must_use]
pub fn repair_plan(text: &str, pool: &Pool, budget: u64) -> PlanReading {
    let list = match find_plan(text) {
        Ok(list) => list,
        Err((reason, at)) => return PlanReading::Unparseable { reason, at },
    };
    let mut repairs = Vec::new();
    let stripped = |part: Option<&str>| part.unwrap_or_default().trim().len();
    let before = stripped(text.get(..list.bytes.start));
    let after = stripped(text.get(list.bytes.end..));
    if before + after > 0 {
        repairs.push(Repair::TextStripped { before, after });
    }
    if list.found > 1 {
        repairs.push(Repair::SeveralPlans { found: list.found });
    }
    repairs.extend(list.cut_off.map(|at| Repair::CutOff { at }));
    if list.trailing_commas > 0 {
        repairs.push(Repair::TrailingCommas { commas: list.trailing_commas });
    }
    if list.single_quoted > 0 {
        repairs.push(Repair::SingleQuotes { strings: list.single_quoted });
    }
    let mut steps = Vec::with_capacity(list.entries.len());
    for (entry, fields) in list.entries.iter().enumerate() {
        match step(entry, fields, pool, &mut repairs) {
            Ok(step) => steps.push(step),
            Err(dropped) => repairs.push(dropped),
        }
    }
    match Plan::within(pool, None, steps, false) {
        Ok(plan) if plan.allocated() > u128::from(budget) => {
            PlanReading::OverBudget { allocated: plan.allocated(), plan, repairs }
        }
        Ok(plan) => PlanReading::Plan { plan, repairs },
        Err(Error::DuplicateId { id, .. }) => PlanReading::DuplicateId { id, repairs },
        // Positions are the pool's own, so nothing else can be wrong.
        Err(_) => PlanReading::Unparseable { reason: UnreadableReason::NoList, at: 0 },
    }
}

/// The step that an entry stands for, or why it was dropped. Repairs of an entry that is kept join the
/// others.
fn step(
    entry: usize,
    fields: &Entry<'_>,
    pool: &Pool,
    repairs: &mut Vec<Repair>,
) -> Result<Step, Repair> {
    let dropped = |reason| Repair::EntryDropped { entry, reason };
    let Some(id) = &fields.id.value else {
        let reason = if fields.is_object { DropReason::NoId } else { DropReason::NotAnObject };
        return Err(dropped(reason));
    };
    if let Some(field) = fields.repeated_name() {
        return Err(dropped(DropReason::RepeatedField { field: field.to_owned() }));
    }
    let given = || id.text().to_owned();
    let exact = pool.position(id.text());
    let Some(position) = exact.or_else(|| pool.position(id.text().trim())) else {
        return Err(Repair::UnknownId { entry, id: given() });
    };
    let written = fields.allocation.value.as_ref();
    let text = || written.map_or_else(String::new, |value| value.text().to_owned());
    let Some((allocation, as_written)) = allocation(written) else {
        return Err(dropped(DropReason::NotATokenCount { given: text() }));
    };
    if exact.is_none() {
        repairs.push(Repair::PaddedId { entry, given: given() });
    }
    for name in fields.other_names() {
        repairs.push(Repair::OtherName { entry, given: name.to_owned() });
    }
    let extra = fields.extra_fields();
    if extra > 0 {
        repairs.push(Repair::ExtraFields { entry, fields: extra });
    }
    if !as_written {
        repairs.push(Repair::Allocation { entry, given: text(), taken: allocation });
    }
    Ok(Step { position, allocation })
}
