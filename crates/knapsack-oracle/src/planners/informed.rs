use crate::{Error, Pool, Step};

/// A reference that knows, or was told, costs and outcomes: what could be done with such knowledge.
/// [`Plan::informed`](crate::Plan::informed) marks its plans.
pub trait InformedPlanner {
    /// The steps in order, with allocations that sum to at most the budget.
    ///
    /// # Errors
    ///
    /// Where it cannot plan for this pool.
    fn plan(&self, pool: &Pool, budget: u64) -> Result<Vec<Step>, Error>;
}

/// The cheapest items first, each with its true cost, as long as they fit; solvable or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheapestFirst;

/// Items in order of value per cost, each with its true cost, as long as they fit; solvable or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ValuePerCost;

/// A best set of solvable items, cheapest first, each with its true cost: efficiency 1 in both regimes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OraclePlanner;

/// Plans on forecasts: leaves out what is forecast to be solved with less than a threshold's chance,
/// and takes the rest cheapest forecast first, each with its forecast cost, as long as these fit.
#[derive(Clone, Debug, PartialEq)]
pub struct ForecastThreshold {
    costs: Vec<u64>,
    solved: Vec<f64>,
    threshold: f64,
}

impl ForecastThreshold {
    /// Forecasts for the items of a pool, in its order: the cost of each and the chance, from 0 to 1,
    /// that it is solved.
    ///
    /// # Errors
    ///
    /// [`Error::Lengths`]; [`Error::Setting`] for a chance or a threshold outside 0 to 1.
    pub fn new(costs: Vec<u64>, solved: Vec<f64>, threshold: f64) -> Result<Self, Error> {
        if costs.len() != solved.len() {
            return Err(Error::Lengths { left: costs.len(), right: solved.len() });
        }
        for (name, value) in solved.iter().map(|&p| ("chance", p)).chain([("threshold", threshold)])
        {
            if !(0.0..=1.0).contains(&value) {
                return Err(Error::Setting { name, value, range: "a number from 0 to 1" });
            }
        }
        Ok(Self { costs, solved, threshold })
    }
}

impl InformedPlanner for CheapestFirst {
    fn plan(&self, pool: &Pool, budget: u64) -> Result<Vec<Step>, Error> {
        let mut order: Vec<usize> = (0..pool.items().len()).collect();
        order.sort_by_key(|&i| pool.items()[i].cost());
        Ok(while_they_fit(&order, budget, |i| pool.items()[i].cost()))
    }
}

impl InformedPlanner for ValuePerCost {
    fn plan(&self, pool: &Pool, budget: u64) -> Result<Vec<Step>, Error> {
        let points = &pool.points().each;
        let cost = |i: usize| pool.items()[i].cost();
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_by_key(|&i| cost(i));
        // Cross products, so that equal ratios tie whatever their digits.
        let product = |i: usize, j: usize| u128::from(points[i]) * u128::from(cost(j));
        order.sort_by(|&a, &b| product(b, a).cmp(&product(a, b)));
        Ok(while_they_fit(&order, budget, cost))
    }
}

impl InformedPlanner for OraclePlanner {
    fn plan(&self, pool: &Pool, budget: u64) -> Result<Vec<Step>, Error> {
        let mut order = pool.oracle(budget)?.chosen;
        order.sort_by_key(|&i| pool.items()[i].cost());
        Ok(while_they_fit(&order, budget, |i| pool.items()[i].cost()))
    }
}

impl InformedPlanner for ForecastThreshold {
    fn plan(&self, pool: &Pool, budget: u64) -> Result<Vec<Step>, Error> {
        if self.costs.len() != pool.items().len() {
            return Err(Error::Lengths { left: self.costs.len(), right: pool.items().len() });
        }
        let hopeful = |&i: &usize| self.solved[i] >= self.threshold;
        let mut order: Vec<usize> = (0..self.costs.len()).filter(hopeful).collect();
        order.sort_by_key(|&i| self.costs[i]);
        Ok(while_they_fit(&order, budget, |i| self.costs[i]))
    }
}

/// The first items of an order that fit together, each with its cost.
fn while_they_fit(order: &[usize], budget: u64, cost: impl Fn(usize) -> u64) -> Vec<Step> {
    let mut left = budget;
    order
        .iter()
        .map_while(|&position| {
            let allocation = cost(position);
            left = left.checked_sub(allocation)?;
            Some(Step { position, allocation })
        })
        .collect()
}
