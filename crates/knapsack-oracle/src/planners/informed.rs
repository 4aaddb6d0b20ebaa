use crate::{
    error::Error,
    plans::plan::{Plan, Step},
    pools::pool::Pool,
};

/// A reference planner that knows or forecasts costs and outcomes. [`Plan::informed`] runs it and
/// marks its plans.
///
/// ```
/// use knapsack_oracle::{Error, Item, Plan, Pool, ReferencePlanner, Regime};
///
/// let pool = Pool::new(vec![
///     Item::new("cheap", 1.0, 100, false)?,
///     Item::new("dense", 9.0, 300, true)?,
///     Item::new("dear", 10.0, 400, true)?,
/// ])?;
/// let run = |planner| {
///     Plan::informed(&planner, &pool, 400)?.execute(&pool, 400, Regime::Enforced)
/// };
/// assert_eq!(run(ReferencePlanner::CheapestFirst)?.earned, 9.0);
/// assert_eq!(run(ReferencePlanner::ValuePerCost)?.earned, 9.0);
/// assert_eq!(run(ReferencePlanner::Oracle)?.earned, 10.0);
/// assert!(run(ReferencePlanner::Oracle)?.informed);
/// # Ok::<(), Error>(())
/// ```
pub trait InformedPlanner {
    /// Returns the steps in order. Their allocations must sum to at most the budget.
    ///
    /// # Errors
    ///
    /// Returns an error if the planner cannot plan for this pool.
    fn plan(&self, pool: &Pool, budget: u64) -> Result<Vec<Step>, Error>;
}

impl Plan {
    /// Makes a plan with a reference planner that knows or forecasts costs and outcomes. The plan
    /// and all its results are marked as informed.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Plan::prospective`] and of the planner.
    pub fn informed(
        planner: &(impl InformedPlanner + ?Sized),
        pool: &Pool,
        budget: u64,
    ) -> Result<Self, Error> {
        Self::from_steps(planner.plan(pool, budget)?, pool, budget, true)
    }
}

/// A planner that knows the true cost of every item and allocates it. [`Self::Oracle`] also knows the outcomes.
/// [`InformedPlanner`] has an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ReferencePlanner {
    /// Takes the cheapest items first, whether solvable or not, until one does not fit.
    CheapestFirst,
    /// Takes items in descending order of value divided by cost, whether solvable or not, until one does not fit.
    ValuePerCost,
    /// Takes the items that [`Pool::oracle`] chooses, cheapest first. Its efficiency is 1 in both regimes.
    Oracle,
}

impl InformedPlanner for ReferencePlanner {
    fn plan(&self, pool: &Pool, budget: u64) -> Result<Vec<Step>, Error> {
        let cost = |&i: &usize| pool.items()[i].cost();
        let mut order: Vec<usize> = match self {
            Self::Oracle => pool.oracle(budget)?.chosen,
            Self::CheapestFirst | Self::ValuePerCost => (0..pool.items().len()).collect(),
        };
        order.sort_by_key(cost);
        if *self == Self::ValuePerCost {
            let points = &pool.points().each;
            // Cross products are exact, so equal ratios tie.
            let product = |i: usize, j: usize| u128::from(points[i]) * u128::from(cost(&j));
            order.sort_by(|&i, &j| product(j, i).cmp(&product(i, j)));
        }
        Ok(while_they_fit(&order, pool, budget))
    }
}

/// Returns the steps of the longest prefix of an order whose costs fit the budget; each allocation is the cost.
fn while_they_fit(order: &[usize], pool: &Pool, budget: u64) -> Vec<Step> {
    let mut left = budget;
    let step = |&position: &usize| {
        let allocation = pool.items()[position].cost();
        left = left.checked_sub(allocation)?;
        Some(Step { position, allocation })
    };
    order.iter().map_while(step).collect()
}
