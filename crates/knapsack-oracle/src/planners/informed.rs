use crate::{
    error::Error,
    plans::plan::{Plan, Step},
    pools::pool::Pool,
};

/// A reference planner that knows or forecasts costs and outcomes. [`Plan::informed`] runs it and
/// marks its plans.
///
/// ```
/// use knapsack_oracle::{
///     CheapestFirst, Error, Item, OraclePlanner, Plan, Pool, Regime, ValuePerCost,
/// };
///
/// let pool = Pool::new(vec![
///     Item::new("cheap", 1.0, 100, false)?,
///     Item::new("dense", 9.0, 300, true)?,
///     Item::new("dear", 10.0, 400, true)?,
/// ])?;
/// let earned = |plan: Plan| plan.execute(&pool, 400, Regime::Enforced).map(|run| run.earned);
/// assert_eq!(earned(Plan::informed(&CheapestFirst, &pool, 400)?)?, 9.0);
/// assert_eq!(earned(Plan::informed(&ValuePerCost, &pool, 400)?)?, 9.0);
/// assert_eq!(earned(Plan::informed(&OraclePlanner, &pool, 400)?)?, 10.0);
/// assert!(Plan::informed(&OraclePlanner, &pool, 400)?.is_informed());
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

/// A planner that takes the cheapest items first, whether solvable or not, until one does not fit. Each allocation is
/// the true cost. [`InformedPlanner`] has an example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CheapestFirst;

/// A planner that takes items in descending order of value divided by cost, whether solvable or not, until one does not
/// fit. Each allocation is the true cost. [`InformedPlanner`] has an example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ValuePerCost;

/// A planner that takes the items that [`Pool::oracle`] chooses, cheapest first. Each allocation is the true cost. Its
/// efficiency is 1 in both regimes. [`InformedPlanner`] has an example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OraclePlanner;

impl InformedPlanner for CheapestFirst {
    fn plan(&self, pool: &Pool, budget: u64) -> Result<Vec<Step>, Error> {
        let mut order: Vec<usize> = (0..pool.items().len()).collect();
        order.sort_by_key(|&i| pool.items()[i].cost());
        Ok(while_they_fit(&order, pool, budget))
    }
}

impl InformedPlanner for ValuePerCost {
    fn plan(&self, pool: &Pool, budget: u64) -> Result<Vec<Step>, Error> {
        let points = &pool.points().each;
        let cost = |i: usize| pool.items()[i].cost();
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_by_key(|&i| cost(i));
        // Cross products are exact, so equal ratios tie.
        let product = |i: usize, j: usize| u128::from(points[i]) * u128::from(cost(j));
        order.sort_by(|&a, &b| product(b, a).cmp(&product(a, b)));
        Ok(while_they_fit(&order, pool, budget))
    }
}

impl InformedPlanner for OraclePlanner {
    fn plan(&self, pool: &Pool, budget: u64) -> Result<Vec<Step>, Error> {
        let mut order = pool.oracle(budget)?.chosen;
        order.sort_by_key(|&i| pool.items()[i].cost());
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
