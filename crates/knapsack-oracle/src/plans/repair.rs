use crate::{
    Error, Plan, Pool, Step,
    plans::{allocation::allocation, entry::Scalar, lenient_json::find_plan},
};

/// What was mended in a planner's text, and where. From [`repair_plan`], where an example is.
///
/// Entries are numbered from 0 in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Repair {
    /// Text before or after the JSON was left out; white space does not count.
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

/// What became of a planner's text. From [`repair_plan`], where an example is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
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

/// Reads a plan from what a model wrote: `{"plan": [{"id": "a", "allocation": 500}, …]}` or the
/// list alone, possibly within prose or a fence.
///
/// The same text always gives the same plan, by these rules:
///
/// - The plan is the last complete list under the key `plan`, else the last complete list in which
///   an object has an id, else `[]` alone.
/// - An entry is an object with an `id` (or `problem_id`, `problem`), a string or a number, and an
///   `allocation` (or `tokens`, `token_allocation`, `allocated_tokens`, `allocated`,
///   `token_budget`, `budget`, `max_tokens`, `token_limit`, `estimated_tokens`; earlier names
///   first). Other fields are left out, other entries dropped, and so are ids that are not in the
///   pool.
/// - An allocation that is no whole number of at least 0 becomes one: the first number in it,
///   rounded down, with `,` and `_` between digits, an exponent or a `k`; 0 where that is negative,
///   and where there is none.
///
/// Takes time and memory linear in the text, and panics on none.
///
/// ```
/// use knapsack_oracle::{Error, Item, PlanReading, Pool, Repair, repair_plan};
///
/// let pool = Pool::new(vec![Item::new("a", 1.0, 500, true)?, Item::new("b", 1.0, 300, false)?])?;
/// let text = r#"First b. {"plan": [{"id": "b", "tokens": "1,200"}, {"id": "z", "tokens": 9}]}"#;
/// let reading = repair_plan(text, &pool, 2_000);
/// let plan = reading.plan().ok_or(Error::Empty)?;
/// assert_eq!((plan.steps()[0].position, plan.steps()[0].allocation), (1, 1_200));
/// assert!(reading.repairs().contains(&Repair::UnknownId { entry: 1, id: "z".to_owned() }));
///
/// assert!(matches!(repair_plan(text, &pool, 1_000), PlanReading::OverBudget { .. }));
/// assert_eq!(repair_plan("I give up", &pool, 1_000), PlanReading::Unparseable);
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: TRIAGE (2026), appendix B, arXiv:2605.13414. Which of several plans is taken, what
/// they are called and what happens to an item that comes twice is left open there.
#[must_use]
pub fn repair_plan(text: &str, pool: &Pool, budget: u64) -> PlanReading {
    let Some(list) = find_plan(text) else { return PlanReading::Unparseable };
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
    let mut steps = Vec::with_capacity(list.entries.len());
    for (entry, fields) in list.entries.iter().enumerate() {
        let id = match &fields.id {
            Some(Scalar::Text(id)) => id,
            Some(Scalar::Bare(id)) => *id,
            None => {
                repairs.push(Repair::EntryDropped { entry });
                continue;
            }
        };
        let Some(position) = pool.position(id) else {
            repairs.push(Repair::UnknownId { entry, id: id.to_owned() });
            continue;
        };
        let fields_left_out = fields.extra_fields();
        if fields_left_out > 0 {
            repairs.push(Repair::ExtraFields { entry, fields: fields_left_out });
        }
        let (allocation, as_written) = allocation(fields.allocation.as_ref());
        if !as_written {
            let given = match &fields.allocation {
                Some(Scalar::Text(text)) => text.clone(),
                Some(Scalar::Bare(text)) => (*text).to_owned(),
                None => String::new(),
            };
            repairs.push(Repair::Allocation { entry, given, taken: allocation });
        }
        steps.push(Step { position, allocation });
    }
    match Plan::within(pool, None, steps, false) {
        Ok(plan) if plan.allocated() > u128::from(budget) => {
            PlanReading::OverBudget { allocated: plan.allocated(), plan, repairs }
        }
        Ok(plan) => PlanReading::Plan { plan, repairs },
        Err(Error::DuplicateId { id, .. }) => PlanReading::DuplicateId { id, repairs },
        // Positions are the pool's own, so nothing else can be wrong.
        Err(_) => PlanReading::Unparseable,
    }
}
