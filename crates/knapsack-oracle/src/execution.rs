use crate::{
    error::Error,
    plans::plan::{Plan, Step},
    pools::{item::Item, pool::Pool},
};

/// Whether the allocations of a plan are binding when it is executed.
///
/// Reference: TRIAGE (2026), section 3.2, arXiv:2605.13414.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Regime {
    /// Regime U, in which allocations do not bind: an attempt runs to its end and spends its true cost, regardless of
    /// its allocation. Execution stops at the first item that costs more than the rest of the budget.
    Advisory,
    /// Regime E, in which allocations bind: an attempt is cut off at its allocation, and spends the whole allocation
    /// regardless of the outcome. Execution stops at the first allocation that exceeds the rest of the budget.
    /// [`Plan::execute_capped`] takes the outcomes from real runs.
    Enforced,
}

/// One attempted item: an entry of [`Execution::attempts`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Attempt {
    /// The position of the item in its pool, from 0.
    pub position: usize,
    /// The amount of the budget that the attempt spent.
    pub spent: u64,
    /// The value that the attempt earned: the value of the item if it was solved, and otherwise 0.
    pub earned: f64,
}

/// The result of executing a plan. Returned by [`Plan::execute`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Execution {
    /// The regime in which the plan was executed.
    pub regime: Regime,
    /// The attempts in order. They cover the first steps of the plan.
    pub attempts: Vec<Attempt>,
    /// The position of the item at which execution stopped, because the item did not fit the rest of the budget.
    /// `None` if the plan was executed to its end.
    pub stopped_by: Option<usize>,
    /// The value that all attempts earned together.
    pub earned: f64,
    /// The part of the budget that all attempts spent.
    pub spent: u64,
    /// Whether the planner knew costs or outcomes.
    pub informed: bool,
}

impl Plan {
    /// Executes a plan in order until its end, or until the budget is exhausted.
    ///
    /// Nothing is attempted after the item that stops the plan, even if a later item would fit.
    ///
    /// Reference: TRIAGE (2026), section 3.2, arXiv:2605.13414.
    ///
    /// ```
    /// use knapsack_oracle::{Error, Item, Plan, Pool, Regime};
    ///
    /// let pool = Pool::new(vec![
    ///     Item::new("a", 1.0, 500, true)?,
    ///     Item::new("b", 1.0, 300, true)?,
    ///     Item::new("c", 1.0, 200, true)?,
    /// ])?;
    /// let plan = Plan::new(&[("b", 250), ("a", 300), ("c", 50)], &pool, 600)?;
    ///
    /// // The attempt of b spends 300, and a does not fit in the other 300.
    /// let advisory = plan.execute(&pool, 600, Regime::Advisory)?;
    /// assert_eq!((advisory.earned, advisory.spent, advisory.stopped_by), (1.0, 300, Some(0)));
    /// let attempt = &advisory.attempts[0];
    /// assert_eq!((attempt.position, attempt.spent, attempt.earned), (1, 300, 1.0));
    /// assert!(advisory.regime == Regime::Advisory && !advisory.informed);
    ///
    /// // Each allocation is less than the cost of its item.
    /// let enforced = plan.execute(&pool, 600, Regime::Enforced)?;
    /// assert_eq!((enforced.earned, enforced.spent, enforced.stopped_by), (0.0, 600, None));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`Error::Step`] if the plan has a position outside this pool.
    pub fn execute(&self, pool: &Pool, budget: u64, regime: Regime) -> Result<Execution, Error> {
        attempt_each(self, pool, budget, regime, |item, step| {
            let is_finished = regime == Regime::Advisory || step.allocation >= item.cost();
            Ok(item.is_solved() && is_finished)
        })
    }

    /// Executes a plan with enforced allocations. `solves` returns whether a real run of the step, cut off at its
    /// allocation, solved the item.
    ///
    /// [`Plan::execute`] assumes that an attempt with an allocation of at least its baseline cost ends like
    /// the baseline attempt. This holds if a solver is deterministic and does not see its limit.
    /// Otherwise the outcome must come from a run whose hard limit was the allocation.
    ///
    /// `solves` is called with each step that fits the rest of the budget, in order, and returns whether the
    /// item was solved within its allocation. It may run the solver or look up a recorded run. It is not
    /// called for an allocation of 0, which cannot solve anything.
    ///
    /// A run under a limit may solve an item that the baseline attempt did not solve. Then the plan may
    /// earn more than [`Pool::oracle`], which knows the baseline attempts only, and
    /// [`Efficiency::new`](crate::Efficiency::new) refuses the value.
    ///
    /// Reference: TRIAGE (2026), section 3.2, arXiv:2605.13414: "the outcome is the result under that
    /// limit".
    ///
    /// ```
    /// use std::collections::BTreeMap;
    ///
    /// use knapsack_oracle::{Error, Item, Plan, Pool, Regime};
    ///
    /// let pool = Pool::new(vec![
    ///     Item::new("a", 1.0, 500, true)?,
    ///     Item::new("b", 1.0, 300, true)?,
    ///     Item::new("c", 1.0, 200, true)?,
    /// ])?;
    /// let plan = Plan::new(&[("a", 400), ("b", 300), ("c", 50)], &pool, 750)?;
    /// // The model knew its limits: it solved a with 400 tokens, but failed b.
    /// let capped = BTreeMap::from([((0, 400), true), ((1, 300), false), ((2, 50), false)]);
    /// let run = plan.execute_capped(&pool, 750, |step| -> Result<bool, Box<dyn std::error::Error>> {
    ///     let outcome = capped.get(&(step.position, step.allocation));
    ///     outcome.copied().ok_or_else(|| format!("no run for {step:?}").into())
    /// })?;
    /// assert_eq!((run.attempts[0].earned, run.attempts[1].earned), (1.0, 0.0));
    /// assert_eq!((run.earned, run.spent, run.regime), (1.0, 750, Regime::Enforced));
    ///
    /// let assumed = plan.execute(&pool, 750, Regime::Enforced)?;
    /// assert_eq!((assumed.attempts[0].earned, assumed.attempts[1].earned), (0.0, 1.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`Error::Step`] if the plan has a position outside this pool, and the errors of
    /// `solves`.
    pub fn execute_capped<E: From<Error>>(
        &self,
        pool: &Pool,
        budget: u64,
        mut solves: impl FnMut(Step) -> Result<bool, E>,
    ) -> Result<Execution, E> {
        attempt_each(self, pool, budget, Regime::Enforced, |_, step| {
            if step.allocation == 0 { Ok(false) } else { solves(step) }
        })
    }
}

/// Attempts the steps of a plan in order, until one does not fit the rest of the budget.
fn attempt_each<E: From<Error>>(
    plan: &Plan,
    pool: &Pool,
    budget: u64,
    regime: Regime,
    mut solves: impl FnMut(&Item, Step) -> Result<bool, E>,
) -> Result<Execution, E> {
    let items = pool.items();
    let (mut attempts, mut stopped_by) = (Vec::with_capacity(plan.steps().len()), None);
    let (mut left, mut points) = (budget, 0_u64);
    for (index, &step) in plan.steps().iter().enumerate() {
        let Step { position, allocation } = step;
        let Some(item) = items.get(position) else {
            return Err(Error::other_pool(index, position, items.len()).into());
        };
        let spent = match regime {
            Regime::Advisory => item.cost(),
            Regime::Enforced => allocation,
        };
        let Some(rest) = left.checked_sub(spent) else {
            stopped_by = Some(position);
            break;
        };
        left = rest;
        let solved = solves(item, step)?;
        if solved {
            // The sum is at most the sum over the pool, which does not overflow.
            points = points.saturating_add(pool.points().each[position]);
        }
        attempts.push(Attempt { position, spent, earned: if solved { item.value() } else { 0.0 } });
    }
    let earned = pool.points().value(points);
    Ok(Execution {
        regime,
        attempts,
        stopped_by,
        earned,
        spent: budget - left,
        informed: plan.is_informed(),
    })
}
