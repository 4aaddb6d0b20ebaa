use scoring_rules::FromFn;

use crate::{
    amount::Amount,
    error::Error,
    planners::{
        informed::InformedPlanner,
        prospective::{ProspectiveItem, ProspectivePlanner},
    },
    plans::plan::Step,
    pools::pool::Pool,
};

/// Makes a [`ProspectivePlanner`] from a function of the items that it is shown and the budget.
///
/// ```
/// use knapsack_oracle::{Error, Item, Plan, Pool, Step, prospective_from_fn};
///
/// let last_only = prospective_from_fn(|items, budget| {
///     let last = items.last().map(|item| Step { position: item.position(), allocation: budget });
///     last.into_iter().collect()
/// });
/// let pool = Pool::new(vec![Item::new("a", 1.0, 50, true)?, Item::new("b", 2.0, 70, true)?])?;
/// let plan = Plan::prospective(&last_only, &pool, 100)?;
/// assert_eq!(plan.steps(), [Step { position: 1, allocation: 100 }]);
/// assert!(!plan.is_informed());
/// # Ok::<(), Error>(())
/// ```
pub const fn prospective_from_fn<A, F>(plan: F) -> FromFn<F>
where
    F: Fn(&[ProspectiveItem<'_>], A) -> Vec<Step<A>>,
{
    FromFn { function: plan }
}

/// Makes an [`InformedPlanner`] from a function of the pool and the budget.
///
/// ```
/// use knapsack_oracle::{Error, Item, Plan, Pool, Step, informed_from_fn};
///
/// let cheapest_only = informed_from_fn(|pool, _| {
///     let cheapest = (0..pool.items().len()).min_by_key(|&i| pool.items()[i].cost());
///     let step = |position: usize| Step { position, allocation: pool.items()[position].cost() };
///     Ok(cheapest.map(step).into_iter().collect())
/// });
/// let pool = Pool::new(vec![Item::new("a", 1.0, 50, true)?, Item::new("b", 2.0, 70, true)?])?;
/// let plan = Plan::informed(&cheapest_only, &pool, 100)?;
/// assert_eq!(plan.steps(), [Step { position: 0, allocation: 50 }]);
/// assert!(plan.is_informed());
/// # Ok::<(), Error>(())
/// ```
pub const fn informed_from_fn<A: Amount, F>(plan: F) -> FromFn<F>
where
    F: Fn(&Pool<A>, A) -> Result<Vec<Step<A>>, Error>,
{
    FromFn { function: plan }
}

impl<A, F> ProspectivePlanner<A> for FromFn<F>
where
    F: Fn(&[ProspectiveItem<'_>], A) -> Vec<Step<A>>,
{
    fn plan(&self, items: &[ProspectiveItem<'_>], budget: A) -> Vec<Step<A>> {
        (self.function)(items, budget)
    }
}

impl<A: Amount, F> InformedPlanner<A> for FromFn<F>
where
    F: Fn(&Pool<A>, A) -> Result<Vec<Step<A>>, Error>,
{
    fn plan(&self, pool: &Pool<A>, budget: A) -> Result<Vec<Step<A>>, Error> {
        (self.function)(pool, budget)
    }
}
