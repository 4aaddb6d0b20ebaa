use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use scoring_rules::{
    Probability, Seed,
    checks::{same_length, setting},
};

use crate::{
    error::Error,
    planners::{informed::InformedPlanner, while_they_fit::while_they_fit},
    plans::plan::Step,
    pools::pool::Pool,
};

scoring_rules::checked! {
    /// A planner that follows forecasts of costs and outcomes.
    ///
    /// It leaves out the items whose forecast probability of being solved is below a threshold. It
    /// takes the others in ascending order of forecast cost, as long as they fit. Each allocation is
    /// the forecast cost.
    ///
    /// ```
    /// use knapsack_oracle::{ForecastThreshold, Item, Plan, Pool, Probability, Step};
    ///
    /// fn main() -> Result<(), Box<dyn std::error::Error>> {
    ///     let item = |id| Item::new(id, 1.0, 10, true);
    ///     let pool = Pool::new(vec![item("a")?, item("b")?, item("c")?])?;
    ///     let probabilities = Probability::from_slice(&[0.9, 0.5, 0.4])?.to_vec();
    ///     let planner =
    ///         ForecastThreshold::new(vec![12, 9, 8], probabilities, Probability::new(0.5)?)?;
    ///     let plan = Plan::informed(&planner, &pool, 30)?;
    ///     let want = [Step { position: 1, allocation: 9 }, Step { position: 0, allocation: 12 }];
    ///     assert_eq!(plan.steps(), want);
    ///     Ok(())
    /// }
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ForecastThreshold {
        costs: Vec<u64>,
        success_probabilities: Vec<Probability>,
        threshold: Probability,
    }
    check: ForecastThreshold::check
}

impl ForecastThreshold {
    /// Creates the planner from the forecasts of each item of a pool, in the order of the pool: its
    /// cost, and the probability that it is solved.
    ///
    /// # Errors
    ///
    /// Returns [`scoring_rules::Error::Length`] if the two lists differ in length.
    pub fn new(
        costs: Vec<u64>,
        success_probabilities: Vec<Probability>,
        threshold: Probability,
    ) -> Result<Self, Error> {
        let planner = Self { costs, success_probabilities, threshold };
        planner.check()?;
        Ok(planner)
    }

    fn check(&self) -> Result<(), Error> {
        let found = self.success_probabilities.len();
        Ok(same_length("success probabilities", self.costs.len(), found)?)
    }

    /// Creates a planner whose forecasts are the truth with noise, to show the value of forecasts of a given
    /// quality.
    ///
    /// Each cost is off by a share drawn uniformly from `-cost_error` to `cost_error`, rounded to
    /// a whole number. Each outcome is forecast wrongly with the probability `outcome_error`. The
    /// threshold is 0.5. If both errors are 0, the planner knows everything.
    ///
    /// The result is a pure function of the arguments and the order of the items.
    ///
    /// ```
    /// use knapsack_oracle::{
    ///     Alpha, Error, ForecastThreshold, Item, Plan, Pool, Probability, Regime, Seed,
    /// };
    ///
    /// let item = |i: u64| Item::new(format!("{i}"), 1.0, 10 + i, i % 3 == 0);
    /// let pool = Pool::new((0..30).map(item).collect::<Result<_, _>>()?)?;
    /// let budget = pool.budget(Alpha::new(0.25)?);
    /// let without_noise = ForecastThreshold::noisy(&pool, 0.0, Probability::ZERO, Seed::new(7))?;
    /// let plan = Plan::informed(&without_noise, &pool, budget)?;
    /// let earned = plan.execute(&pool, budget, Regime::Enforced)?.earned;
    /// assert_eq!(earned, pool.oracle(budget)?.value);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`scoring_rules::Error::Setting`] if `cost_error` is not from 0 to 1.
    pub fn noisy(
        pool: &Pool,
        cost_error: f64,
        outcome_error: Probability,
        seed: Seed,
    ) -> Result<Self, Error> {
        let is_valid = (0.0..=1.0).contains(&cost_error);
        setting("cost error", cost_error, is_valid, "a number from 0 to 1")?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed.get());
        // A uniform draw from [0, 1).
        let mut share = || (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let (mut costs, mut success_probabilities) = (Vec::new(), Vec::new());
        for item in pool.items() {
            let change = item.cost() as f64 * cost_error * (2.0 * share() - 1.0);
            // Costs above 2^53 keep their digits if there is no noise.
            let size = change.abs().round() as u64;
            let cost = if change < 0.0 {
                item.cost().saturating_sub(size)
            } else {
                item.cost().saturating_add(size)
            };
            costs.push(cost);
            let wrong = share() < outcome_error.get();
            let solved = item.is_solved() != wrong;
            success_probabilities.push(if solved { Probability::ONE } else { Probability::ZERO });
        }
        Ok(Self { costs, success_probabilities, threshold: Probability::HALF })
    }
}

impl InformedPlanner for ForecastThreshold {
    fn plan(&self, pool: &Pool, budget: u64) -> Result<Vec<Step>, Error> {
        same_length("forecasts", pool.items().len(), self.costs.len())?;
        let is_taken = |&i: &usize| self.success_probabilities[i] >= self.threshold;
        let mut order: Vec<usize> = (0..self.costs.len()).filter(is_taken).collect();
        order.sort_by_key(|&i| self.costs[i]);
        Ok(while_they_fit(&order, budget, |i| self.costs[i]))
    }
}
