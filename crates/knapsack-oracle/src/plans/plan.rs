use crate::{error::Error, pools::pool::Pool};

/// One step of a plan: the item to attempt and its allocation. Planners return steps;
/// [`ProspectiveItem`](crate::ProspectiveItem) has an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Step {
    /// The position of the item in its pool, from 0.
    pub position: usize,
    /// The part of the budget that the planner allocates to the item.
    pub allocation: u64,
}

scoring_rules::checked! {
    /// An ordered plan for a pool: which items to attempt, and how much of the budget each is allocated.
    ///
    /// A plan contains no item twice. A plan records whether its planner saw costs and outcomes, and so does every result
    /// computed from it.
    ///
    /// With the feature `serde` a plan can be stored and read again. It is read without its pool;
    /// [`Plan::execute`] checks that the plan fits the pool.
    ///
    /// Reference: TRIAGE (2026), section 3.2, arXiv:2605.13414.
    ///
    /// ```
    /// use knapsack_oracle::{Error, Item, Plan, Pool};
    ///
    /// let pool =
    ///     Pool::new(vec![Item::new("a", 1.0, 500, true)?, Item::new("b", 1.0, 300, false)?])?;
    /// let plan = Plan::new(&[("b", 250), ("a", 150)], &pool, 400)?;
    /// assert_eq!(plan.steps()[0].position, 1);
    /// assert_eq!(plan.allocated(), 400);
    /// assert!(matches!(
    ///     Plan::new(&[("b", 250), ("a", 151)], &pool, 400),
    ///     Err(Error::OverBudget { allocated: 401, budget: 400, .. })
    /// ));
    /// # Ok::<(), Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Plan {
        pub(super) steps: Vec<Step>,
        pub(super) informed: bool,
    }
    check: Plan::check
}

impl Plan {
    #[cfg(feature = "serde")]
    fn check(&self) -> Result<(), &'static str> {
        let mut positions: Vec<usize> = self.steps.iter().map(|step| step.position).collect();
        positions.sort_unstable();
        match positions.windows(2).any(|pair| pair[0] == pair[1]) {
            false => Ok(()),
            true => Err("an item is in the plan twice; plan each item at most once"),
        }
    }

    /// Creates a plan from ids and allocations, in order of execution. The author of the plan is assumed to have seen
    /// neither costs nor outcomes.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Step`] for an id outside the pool, [`Error::DuplicateId`] with positions in the plan for a
    /// repeated id, and [`Error::OverBudget`] if the allocations sum to more than the budget.
    pub fn new<S: AsRef<str>>(steps: &[(S, u64)], pool: &Pool, budget: u64) -> Result<Self, Error> {
        let known = |(step, (id, allocation)): (usize, &(S, u64))| match pool.position(id.as_ref())
        {
            Some(position) => Ok(Step { position, allocation: *allocation }),
            None => {
                let problem = format!("the id {:?}, which is not in the pool", id.as_ref());
                Err(Error::Step { index: step, problem })
            }
        };
        let steps = steps.iter().enumerate().map(known).collect::<Result<_, _>>()?;
        Self::from_steps(steps, pool, budget, false)
    }

    /// Returns the steps in order of execution.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns whether the planner knew costs or outcomes.
    pub(crate) const fn is_informed(&self) -> bool {
        self.informed
    }

    /// Returns the sum of all allocations.
    #[must_use]
    pub fn allocated(&self) -> u128 {
        self.steps.iter().map(|step| u128::from(step.allocation)).sum()
    }

    /// Returns the plan without the items that have an allocation of 0, which is the planned set `S = {i : a_i > 0}`.
    /// In the enforced regime, both plans earn the same. In the advisory regime, in which allocations do not bind, the
    /// whole plan attempts an item with an allocation of 0, and this plan skips it.
    ///
    /// ```
    /// use knapsack_oracle::{Error, Item, Plan, Pool, Regime};
    ///
    /// let pool = Pool::new(vec![Item::new("a", 1.0, 500, false)?, Item::new("b", 1.0, 300, true)?])?;
    /// let plan = Plan::new(&[("a", 0), ("b", 300)], &pool, 500)?;
    /// let earned = |plan: &Plan| plan.execute(&pool, 500, Regime::Advisory).map(|run| run.earned);
    /// assert_eq!((earned(&plan)?, earned(&plan.without_zero_allocations())?), (0.0, 1.0));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// Reference: TRIAGE (2026), section 4, arXiv:2605.13414.
    #[must_use]
    pub fn without_zero_allocations(&self) -> Self {
        let planned = self.steps.iter().filter(|step| step.allocation != 0);
        Self { steps: planned.copied().collect(), informed: self.informed }
    }

    /// Creates a plan from positions, with the same checks as [`Plan::new`].
    pub(crate) fn from_steps(
        steps: Vec<Step>,
        pool: &Pool,
        budget: u64,
        informed: bool,
    ) -> Result<Self, Error> {
        let items = pool.items();
        let outside = |(_, step): &(usize, &Step)| step.position >= items.len();
        if let Some((index, &Step { position, .. })) = steps.iter().enumerate().find(outside) {
            return Err(Error::other_pool(index, position, items.len()));
        }
        if let Some((first, second)) = first_repeat(&steps, items.len()) {
            let id = items[steps[first].position].id().to_owned();
            return Err(Error::DuplicateId { id, first, second });
        }
        let plan = Self { steps, informed };
        match plan.allocated() {
            allocated if allocated > budget.into() => Err(Error::OverBudget { allocated, budget }),
            _ => Ok(plan),
        }
    }
}

/// Returns the first two steps for the same of this many items, as positions in the plan. All steps must be for one of
/// them.
pub(super) fn first_repeat(steps: &[Step], items: usize) -> Option<(usize, usize)> {
    let mut seen = vec![None; items];
    let repeat =
        |(second, step): (usize, &Step)| Some((seen[step.position].replace(second)?, second));
    steps.iter().enumerate().find_map(repeat)
}
