use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{Error, Pool, Step};

/// A reference that knows, or was told, costs and outcomes: what could be done with such knowledge.
/// [`Plan::informed`](crate::Plan::informed) marks its plans.
///
/// ```
/// use knapsack_oracle::{
///     CheapestFirst, Error, Item, OraclePlanner, Plan, Pool, Regime, ValuePerCost, execute,
/// };
///
/// let pool = Pool::new(vec![
///     Item::new("cheap", 1.0, 100, false)?,
///     Item::new("dense", 9.0, 300, true)?,
///     Item::new("dear", 10.0, 400, true)?,
/// ])?;
/// let earned = |plan: Plan| execute(&plan, &pool, 400, Regime::Enforced).map(|run| run.earned);
/// assert_eq!(earned(Plan::informed(&CheapestFirst, &pool, 400)?)?, 9.0);
/// assert_eq!(earned(Plan::informed(&ValuePerCost, &pool, 400)?)?, 9.0);
/// assert_eq!(earned(Plan::informed(&OraclePlanner, &pool, 400)?)?, 10.0);
/// assert!(Plan::informed(&OraclePlanner, &pool, 400)?.is_informed());
/// # Ok::<(), Error>(())
/// ```
pub trait InformedPlanner {
    /// The steps in order, with allocations that sum to at most the budget.
    ///
    /// # Errors
    ///
    /// Where it cannot plan for this pool.
    fn plan(&self, pool: &Pool, budget: u64) -> Result<Vec<Step>, Error>;
}

/// The cheapest items first, each with its true cost, as long as they fit; solvable or not. An
/// example is at [`InformedPlanner`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CheapestFirst;

/// Items in order of value per cost, each with its true cost, as long as they fit; solvable or not.
/// An example is at [`InformedPlanner`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ValuePerCost;

/// A best set of solvable items, cheapest first, each with its true cost: efficiency 1 in both
/// regimes. Takes as long as [`Pool::oracle`](crate::Pool::oracle). An example is at
/// [`InformedPlanner`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OraclePlanner;

/// Plans on forecasts: leaves out what is forecast to be solved with a probability below a
/// threshold, and takes the rest cheapest first by their forecast costs, which are its allocations,
/// as long as they fit.
///
/// ```
/// use knapsack_oracle::{Error, ForecastThreshold, Item, Plan, Pool, Step};
///
/// let item = |id| Item::new(id, 1.0, 10, true);
/// let pool = Pool::new(vec![item("a")?, item("b")?, item("c")?])?;
/// let planner = ForecastThreshold::new(vec![12, 9, 8], vec![0.9, 0.5, 0.4], 0.5)?;
/// let plan = Plan::informed(&planner, &pool, 30)?;
/// let want = [Step { position: 1, allocation: 9 }, Step { position: 0, allocation: 12 }];
/// assert_eq!(plan.steps(), want);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ForecastThreshold {
    costs: Vec<u64>,
    success_probabilities: Vec<f64>,
    threshold: f64,
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for ForecastThreshold {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        struct Stored {
            costs: Vec<u64>,
            success_probabilities: Vec<f64>,
            threshold: f64,
        }
        let Stored { costs, success_probabilities, threshold } = Stored::deserialize(deserializer)?;
        Self::new(costs, success_probabilities, threshold).map_err(serde::de::Error::custom)
    }
}

impl ForecastThreshold {
    /// Forecasts for the items of a pool, in its order: the cost of each and the probability, from
    /// 0 to 1, that it is solved.
    ///
    /// # Errors
    ///
    /// [`Error::Length`]; [`Error::Entry`] for a probability and [`Error::Setting`] for a threshold
    /// outside 0 to 1.
    pub fn new(
        costs: Vec<u64>,
        success_probabilities: Vec<f64>,
        threshold: f64,
    ) -> Result<Self, Error> {
        let (expected, found) = (costs.len(), success_probabilities.len());
        if expected != found {
            return Err(Error::Length { what: "success probabilities", expected, found });
        }
        let is_share = |value: f64| (0.0..=1.0).contains(&value);
        let range = "a number from 0 to 1";
        for (index, &value) in success_probabilities.iter().enumerate() {
            if !is_share(value) {
                return Err(Error::Entry { what: "success probability", index, value, range });
            }
        }
        if !is_share(threshold) {
            return Err(Error::Setting { name: "threshold", value: threshold, range });
        }
        Ok(Self { costs, success_probabilities, threshold })
    }

    /// Forecasts that are right but for noise: each cost is off by a share drawn uniformly from
    /// `-cost_error` to `cost_error`, rounded, and each outcome is forecast wrongly with the
    /// probability `outcome_error`. With errors of 0 it knows everything. Shows what forecasts so
    /// good are worth.
    ///
    /// A pure function of its arguments and of the order of the items.
    ///
    /// ```
    /// use knapsack_oracle::{Alpha, Error, ForecastThreshold, Item, Plan, Pool, Regime, execute};
    ///
    /// let item = |i: u64| Item::new(format!("{i}"), 1.0, 10 + i, i % 3 == 0);
    /// let pool = Pool::new((0..30).map(item).collect::<Result<_, _>>()?)?;
    /// let budget = pool.budget(Alpha::new(0.25)?);
    /// let knowing = ForecastThreshold::noisy(&pool, 0.0, 0.0, 7)?;
    /// let plan = Plan::informed(&knowing, &pool, budget)?;
    /// let earned = execute(&plan, &pool, budget, Regime::Enforced)?.earned;
    /// assert_eq!(earned, pool.oracle(budget)?.value);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] for an error that is not from 0 to 1.
    pub fn noisy(
        pool: &Pool,
        cost_error: f64,
        outcome_error: f64,
        seed: u64,
    ) -> Result<Self, Error> {
        for (name, value) in [("cost error", cost_error), ("outcome error", outcome_error)] {
            if !(0.0..=1.0).contains(&value) {
                return Err(Error::Setting { name, value, range: "a number from 0 to 1" });
            }
        }
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        // From 0 inclusive to 1 exclusive.
        let mut share = || (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let (mut costs, mut success_probabilities) = (Vec::new(), Vec::new());
        for item in pool.items() {
            let change = item.cost() as f64 * cost_error * (2.0 * share() - 1.0);
            // Costs above 2^53 keep their digits where there is no noise.
            let size = change.abs().round() as u64;
            let cost = if change < 0.0 {
                item.cost().saturating_sub(size)
            } else {
                item.cost().saturating_add(size)
            };
            costs.push(cost);
            let wrong = share() < outcome_error;
            success_probabilities.push(if item.is_solved() != wrong { 1.0 } else { 0.0 });
        }
        Ok(Self { costs, success_probabilities, threshold: 0.5 })
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
        let (expected, found) = (pool.items().len(), self.costs.len());
        if expected != found {
            return Err(Error::Length { what: "forecasts", expected, found });
        }
        let hopeful = |&i: &usize| self.success_probabilities[i] >= self.threshold;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Item;

    #[test]
    fn noise_stays_within_its_bounds_and_is_that_of_its_seed() {
        let item = |i: u64| Item::new(i.to_string(), 1.0, 1_000, i < 1_000).unwrap();
        let pool = Pool::new((0..2_000).map(item).collect()).unwrap();
        let noisy = ForecastThreshold::noisy(&pool, 0.2, 0.1, 5).unwrap();
        assert_eq!(noisy, ForecastThreshold::noisy(&pool, 0.2, 0.1, 5).unwrap());
        assert_ne!(noisy, ForecastThreshold::noisy(&pool, 0.2, 0.1, 6).unwrap());
        assert!(noisy.costs.iter().all(|cost| (800..=1_200).contains(cost)));
        let mean = noisy.costs.iter().sum::<u64>() as f64 / 2_000.0;
        // The standard deviation of a cost is 400 / sqrt(12).
        assert!((mean - 1_000.0).abs() < 4.0 * 115.5 / 2_000_f64.sqrt(), "{mean}");
        let wrong = pool.items().iter().zip(&noisy.success_probabilities);
        let wrong = wrong.filter(|(item, p)| item.is_solved() != (**p == 1.0)).count();
        assert!(wrong.abs_diff(200) < 54, "{wrong}");
        for error in [-0.1, 1.1, f64::NAN] {
            assert!(ForecastThreshold::noisy(&pool, error, 0.0, 1).is_err());
            assert!(ForecastThreshold::noisy(&pool, 0.0, error, 1).is_err());
        }
    }

    #[test]
    fn forecasts_that_are_none_are_refused() {
        let new = ForecastThreshold::new;
        let range = "a number from 0 to 1";
        let what = "success probabilities";
        assert_eq!(new(vec![1], vec![], 0.5), Err(Error::Length { what, expected: 1, found: 0 }));
        let error = new(vec![1, 1], vec![0.0, f64::NAN], 0.5).unwrap_err();
        assert!(matches!(error, Error::Entry { what: "success probability", index: 1, .. }));
        let error = Error::Setting { name: "threshold", value: -0.5, range };
        assert_eq!(new(vec![1], vec![1.0], -0.5), Err(error));
    }
}
