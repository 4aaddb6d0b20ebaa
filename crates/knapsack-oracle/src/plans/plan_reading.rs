use crate::{
    engines::plan_text::find_plan::find_plan,
    plans::{
        plan::{Plan, first_repeat},
        repair::{Repair, repaired},
    },
    pools::pool::Pool,
    values::unreadable_reason::UnreadableReason,
};

/// The result of reading a plan from a text. Returned by [`PlanReading::new`], which has an example.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum PlanReading {
    /// A plan within its budget.
    Plan {
        /// The plan.
        plan: Plan,
        /// The repairs, in order.
        repairs: Vec<Repair>,
    },
    /// A plan that allocates more than its budget. It can be executed: the enforced regime stops
    /// when the budget is spent, and the advisory regime ignores allocations.
    OverBudget {
        /// The plan.
        plan: Plan,
        /// The sum of its allocations.
        allocated: u128,
        /// The repairs, in order.
        repairs: Vec<Repair>,
    },
    /// The plan contains an item twice. It cannot be executed, because an item can be attempted
    /// only once. [`PlanReading::published`] keeps the first entry of an item instead.
    DuplicateId {
        /// The first id that is repeated.
        id: String,
        /// The repairs, in order.
        repairs: Vec<Repair>,
    },
    /// The text contains no plan.
    Unparseable {
        /// The reason why there is no plan.
        reason: UnreadableReason,
        /// The byte at which reading failed: the position of the error in the JSON, the end of the text, or the start
        /// of the JSON that contains no plan. If several parts of the text were tried, this byte belongs to the
        /// longest part.
        at: usize,
    },
}

impl PlanReading {
    /// Reads a plan from the text of a model: `{"plan": [{"id": "a", "allocation": 500}, …]}` or only the list,
    /// possibly within prose or a code fence.
    ///
    /// The result is determined by these rules:
    ///
    /// - The plan is the last complete list under the key `plan`. Without such a list, it is the last complete list
    ///   with an object that has an id, and otherwise an empty list `[]` outside other values. If the text ends
    ///   within a list, and no complete list outside of it is as good, the plan consists of the complete entries
    ///   of that list.
    /// - A comma before a closing bracket is ignored. Strings may be in single quotes. A key may be a name of ASCII
    ///   letters, digits and `_` without quotes.
    /// - An entry is an object with an `id` (or `problem_id`, `task_id`, `item_id`, `problem`, `task`,
    ///   `item`), a string or a number, and an `allocation` (or `tokens`, `token_allocation`,
    ///   `allocated_tokens`, `allocated`, `token_budget`, `budget`, `max_tokens`, `token_limit`,
    ///   `estimated_tokens`). Earlier names take precedence. Other fields are ignored, and other entries
    ///   are dropped. White space around an id is removed if only the id without it is in the pool. An
    ///   entry whose id is not in the pool is dropped.
    /// - An entry in which the field name of the id or of the allocation occurs twice is dropped.
    /// - An allocation that is not a whole number of at least 0 is converted if it is a number of tokens: a single
    ///   number, possibly with `,` before each three digits, `_` between digits, an exponent or a `k`. The only
    ///   words allowed around it are `about`, `approx`, `approximately`, `around`, `at most`, `ca`, `circa`,
    ///   `max`, `maximum`, `roughly`, `tok`, `token`, `tokens` and `up to`. The number is rounded down. A
    ///   negative, missing or null allocation becomes 0. Anything else is not a number of tokens, and its entry is
    ///   dropped. This includes other texts, such as `about 30 %` or `5 euros`; texts such as `1.200`, where the
    ///   point may separate thousands; and numbers between 0 and 1, which are shares of the budget.
    /// - An allocation may be a list of the one number or an object whose only field has a name of an
    ///   allocation, such as `{"tokens": 500}`. An entry whose allocation is any other object is dropped.
    ///
    /// A list of single values under the key `plan`, such as `{"plan": ["a", "b"]}`, is not a plan, because its ids or
    /// allocations are missing ([`UnreadableReason::BareEntries`]).
    ///
    /// Every difference from `{"plan": [{"id": …, "allocation": …}]}` is listed as a [`Repair`]. Writing the
    /// resulting plan in that form and reading it again gives the same plan without repairs.
    ///
    /// Takes time and memory linear in the length of the text, and never panics.
    ///
    /// ```
    /// use knapsack_oracle::{Error, Item, PlanReading, Pool, Repair, UnreadableReason};
    ///
    /// let pool = Pool::new(vec![Item::new("a", 1.0, 500, true)?, Item::new("b", 1.0, 300, false)?])?;
    /// let text = r#"First b. {"plan": [{"id": "b", "tokens": "1,200"}, {"id": "z", "tokens": 9}]}"#;
    /// let reading = PlanReading::new(text, &pool, 2_000);
    /// let plan = reading.plan().expect("the text has a plan");
    /// assert_eq!((plan.steps()[0].position, plan.steps()[0].allocation), (1, 1_200));
    /// assert!(reading.repairs().contains(&Repair::UnknownId { entry: 1, id: "z".to_owned() }));
    ///
    /// assert!(matches!(PlanReading::new(text, &pool, 1_000), PlanReading::OverBudget { .. }));
    /// let reason = UnreadableReason::NoJson;
    /// assert_eq!(PlanReading::new("I give up", &pool, 1_000), PlanReading::Unparseable { reason, at: 9 });
    ///
    /// let reading = PlanReading::new(r#"{plan: [{id: "a", allocation: 500}]}"#, &pool, 1_000);
    /// assert_eq!(reading.repairs(), [Repair::UnquotedKeys { keys: 3 }]);
    /// let reason = UnreadableReason::BareEntries;
    /// let reading = PlanReading::new(r#"{"plan": ["a", "b"]}"#, &pool, 1_000);
    /// assert_eq!(reading, PlanReading::Unparseable { reason, at: 0 });
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// Reference: TRIAGE (2026), appendix B, arXiv:2605.13414. The paper does not specify which of several plans
    /// is used, the names of the fields, or the treatment of repeated items.
    #[must_use]
    pub fn new(text: &str, pool: &Pool, budget: u64) -> Self {
        Self::read(text, pool, budget, false)
    }

    /// Reads a plan with the repairs of appendix B of the paper, which keep some entries that [`PlanReading::new`]
    /// drops or refuses. An allocation that is not a number of tokens, such as `60%` or 0.6, becomes 0. If an item has
    /// several entries, only the first one is used. Both changes are listed as repairs. The other rules are those of
    /// [`PlanReading::new`].
    ///
    /// The paper "coerces token counts to non-negative integers" and does not say which of repeated items
    /// counts. An allocation of 0 is attempted in the advisory regime unless
    /// [`Plan::without_zero_allocations`] leaves it out.
    ///
    /// ```
    /// use knapsack_oracle::{Error, Item, PlanReading, Pool, Repair};
    ///
    /// let pool = Pool::new(vec![Item::new("a", 1.0, 500, true)?, Item::new("b", 1.0, 300, false)?])?;
    /// let text = r#"{"plan": [{"id": "b", "allocation": "60%"}, {"id": "a", "allocation": 400},
    ///     {"id": "b", "allocation": 300}]}"#;
    /// let reading = PlanReading::published(text, &pool, 800);
    /// let allocations = reading.plan().map(|plan| plan.steps().iter().map(|it| it.allocation).collect());
    /// assert_eq!(allocations, Some(vec![0, 400]));
    /// assert!(reading.repairs().contains(&Repair::RepeatedId { entry: 2, id: "b".to_owned() }));
    /// assert!(PlanReading::new(text, &pool, 800).plan().is_some_and(|plan| plan.steps().len() == 2));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// Reference: TRIAGE (2026), appendix B, arXiv:2605.13414.
    #[must_use]
    pub fn published(text: &str, pool: &Pool, budget: u64) -> Self {
        Self::read(text, pool, budget, true)
    }

    fn read(text: &str, pool: &Pool, budget: u64, is_published: bool) -> Self {
        let list = match find_plan(text) {
            Ok(list) => list,
            Err((reason, at)) => return Self::Unparseable { reason, at },
        };
        let mut repairs = Vec::new();
        let length = |part: Option<&str>| part.unwrap_or_default().trim().len();
        let before = length(text.get(..list.bytes.start));
        let after = length(text.get(list.bytes.end..));
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
        if list.unquoted > 0 {
            repairs.push(Repair::UnquotedKeys { keys: list.unquoted });
        }
        let steps = repaired(&list.entries, pool, is_published, &mut repairs);
        if let Some((first, _)) = first_repeat(&steps, pool.items().len()) {
            let id = pool.items()[steps[first].position].id().to_owned();
            return Self::DuplicateId { id, repairs };
        }
        let plan = Plan { steps, informed: false };
        match plan.allocated() {
            allocated if allocated > budget.into() => Self::OverBudget { plan, allocated, repairs },
            _ => Self::Plan { plan, repairs },
        }
    }

    /// Returns the plan, if the text has one that can be executed.
    #[must_use]
    pub const fn plan(&self) -> Option<&Plan> {
        match self {
            Self::Plan { plan, .. } | Self::OverBudget { plan, .. } => Some(plan),
            Self::DuplicateId { .. } | Self::Unparseable { .. } => None,
        }
    }

    /// Returns the repairs in order.
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
