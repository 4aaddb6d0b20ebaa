#[cfg(feature = "serde")]
use crate::stored::must;
use crate::{
    Error, InformedPlanner, Pool, ProspectiveItem, ProspectivePlanner, stored::checked_when_read,
};

/// One step of a plan: which item to attempt, and what it may cost. What planners give; an example
/// is at [`ProspectiveItem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Step {
    /// Position of the item in its pool, from 0.
    pub position: usize,
    /// What the planner sets aside for it.
    pub allocation: u64,
}

/// An ordered plan for a pool: which items to attempt, in which order, with which allocation each.
///
/// No item is in it twice. It knows whether its planner saw costs and outcomes, and so do all
/// results that come from it.
///
/// With the feature `serde` a plan can be stored and read again. It is read without its pool, whose
/// size [`execute`](crate::execute) checks.
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
/// assert_eq!((plan.allocated(), plan.is_informed()), (400, false));
/// assert!(matches!(
///     Plan::new(&[("b", 250), ("a", 151)], &pool, 400),
///     Err(Error::OverBudget { allocated: 401, budget: 400 })
/// ));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Plan {
    steps: Vec<Step>,
    informed: bool,
}

checked_when_read!(Plan { steps: Vec<Step>, informed: bool }, |plan| {
    let mut positions: Vec<usize> = plan.steps.iter().map(|step| step.position).collect();
    positions.sort_unstable();
    let distinct = positions.windows(2).all(|pair| pair[0] < pair[1]);
    must(distinct, "an item is in the plan twice; plan each once")
});

impl Plan {
    /// A plan as its author wrote it. The author is taken to have seen no cost and no outcome.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownId`], [`Error::DuplicateId`] with positions in the plan, and
    /// [`Error::OverBudget`] where the allocations sum to more than the budget.
    pub fn new<S: AsRef<str>>(steps: &[(S, u64)], pool: &Pool, budget: u64) -> Result<Self, Error> {
        let known = |(step, (id, allocation)): (usize, &(S, u64))| match pool.position(id.as_ref())
        {
            Some(position) => Ok(Step { position, allocation: *allocation }),
            None => Err(Error::UnknownId { index: step, id: id.as_ref().to_owned() }),
        };
        let steps = steps.iter().enumerate().map(known).collect::<Result<_, _>>()?;
        Self::within(pool, Some(budget), steps, false)
    }

    /// What a planner without knowledge of costs and outcomes plans.
    ///
    /// # Errors
    ///
    /// As [`Self::new`], and [`Error::OtherPool`] for a position outside the pool.
    pub fn prospective(
        planner: &impl ProspectivePlanner,
        pool: &Pool,
        budget: u64,
    ) -> Result<Self, Error> {
        let shown: Vec<ProspectiveItem<'_>> =
            pool.items().iter().enumerate().map(ProspectiveItem::of).collect();
        Self::within(pool, Some(budget), planner.plan(&shown, budget), false)
    }

    /// What a reference that knows or forecasts costs or outcomes plans. It is no contestant: its
    /// plan is marked, and so is every result of it.
    ///
    /// # Errors
    ///
    /// As [`Self::prospective`], and what the planner returns.
    pub fn informed(
        planner: &impl InformedPlanner,
        pool: &Pool,
        budget: u64,
    ) -> Result<Self, Error> {
        Self::within(pool, Some(budget), planner.plan(pool, budget)?, true)
    }

    /// The steps, in order of execution.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Whether the planner saw costs or outcomes.
    #[must_use]
    pub const fn is_informed(&self) -> bool {
        self.informed
    }

    /// What is allocated together.
    #[must_use]
    pub fn allocated(&self) -> u128 {
        self.steps.iter().map(|step| u128::from(step.allocation)).sum()
    }

    /// Checks positions, repetition and, where one is given, the budget.
    pub(crate) fn within(
        pool: &Pool,
        budget: Option<u64>,
        steps: Vec<Step>,
        informed: bool,
    ) -> Result<Self, Error> {
        let items = pool.items();
        let mut seen = vec![None; items.len()];
        for (step, &Step { position, .. }) in steps.iter().enumerate() {
            let Some(first) = seen.get_mut(position) else {
                return Err(Error::OtherPool { index: step, position, items: items.len() });
            };
            if let Some(first) = first.replace(step) {
                let id = items[position].id().to_owned();
                return Err(Error::DuplicateId { id, first, second: step });
            }
        }
        let plan = Self { steps, informed };
        match budget {
            Some(budget) if plan.allocated() > u128::from(budget) => {
                Err(Error::OverBudget { allocated: plan.allocated(), budget })
            }
            _ => Ok(plan),
        }
    }
}
