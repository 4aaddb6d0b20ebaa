use scoring_rules::{Seed, checks::setting};

use crate::{
    engines::{compensated_sum::sum, random_order::permutations::Permutations},
    error::Error,
    pools::{item::Item, pool::Pool},
};

/// The rule for an item that does not fit the rest of the budget.
///
/// ```
/// use knapsack_oracle::{Error, FitRule, Item, Pool, Seed};
///
/// // The large item does not fit the budget of 10. It either ends the order or is skipped.
/// let item = |id, cost| Item::new(id, 1.0, cost, true);
/// let pool = Pool::new(vec![item("a", 5)?, item("b", 100)?, item("c", 5)?])?;
/// let value = |rule| pool.random_sampled(10, rule, 100, Seed(7)).map(|sampled| sampled.value);
/// assert_eq!(value(FitRule::SkipWhatDoesNotFit)?, 2.0);
/// assert!(value(FitRule::StopAtFirst)? < 2.0);
/// # Ok::<(), Error>(())
/// ```
///
/// The paper describes both rules: section 3.2 draws "subject to remaining-budget feasibility";
/// section 4 runs shuffles like plans, which stop. Its figures follow section 4, the default here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum FitRule {
    /// Execution stops.
    #[default]
    StopAtFirst,
    /// The item is skipped at no cost, and execution continues with the next item.
    SkipWhatDoesNotFit,
}

/// Estimates of the expectations for a planner that attempts items in random order. Returned by
/// [`Pool::random_sampled`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SampledRandom {
    /// The mean value earned over the shuffles.
    pub value: f64,
    /// The standard error of `value`: `sqrt(s^2 / shuffles)`, where s^2 is the sample variance.
    pub standard_error: f64,
    /// The mean cost over the shuffles, at most the budget.
    pub spent: f64,
    /// The number of shuffles.
    pub shuffles: usize,
}

impl Pool {
    /// Estimates the expected value of a planner without any self-knowledge, from a sample of random orders.
    ///
    /// [`Pool::random_exact`] computes the expectation for [`FitRule::StopAtFirst`]. The paper uses
    /// 1,000 shuffles.
    ///
    /// The result is a pure function of the arguments and the order of the items: each block of
    /// 1,024 shuffles reads its own stream of a ChaCha8 generator. An order is drawn only as far as
    /// it runs, and nothing is drawn if all items fit the budget. Takes O(shuffles n) time and O(n)
    /// memory.
    ///
    /// # Errors
    ///
    /// Returns [`scoring_rules::Error::Setting`] for fewer than 2 shuffles, which have no standard error, and for
    /// more than 10 million.
    ///
    /// ```
    /// use knapsack_oracle::{Error, FitRule, Item, Pool, Seed};
    ///
    /// // Only the first item of each order fits, and one of the three items is solved.
    /// let item = |id, solved| Item::new(id, 1.0, 6, solved);
    /// let pool = Pool::new(vec![item("a", true)?, item("b", false)?, item("c", false)?])?;
    /// let exact = pool.random_exact(10)?;
    /// assert_eq!((exact.value, exact.spent), (1.0 / 3.0, 6.0));
    /// let sampled = pool.random_sampled(10, FitRule::StopAtFirst, 1_000, Seed(7))?;
    /// assert!((sampled.value - exact.value).abs() < 4.0 * sampled.standard_error);
    /// assert_eq!((sampled.spent, sampled.shuffles), (6.0, 1_000));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn random_sampled(
        &self,
        budget: u64,
        rule: FitRule,
        shuffles: usize,
        seed: Seed,
    ) -> Result<SampledRandom, Error> {
        let is_valid = (2..=MAX_SHUFFLES).contains(&shuffles);
        setting("shuffles", shuffles as f64, is_valid, "from 2 to 10 million")?;
        let outcomes = &ItemOutcome::all(self);
        if budget >= self.total_cost() {
            let value = sum(outcomes.iter().map(|outcome| outcome.earned));
            let spent = self.total_cost() as f64;
            return Ok(SampledRandom { value, standard_error: 0.0, spent, shuffles });
        }
        let n = outcomes.len() as u64;
        let runs = Runs { outcomes, budget, rule, shuffles, seed: seed.0 };
        Ok(match () {
            () if n <= 1 << 7 => runs.all::<8>(),
            () if n <= 1 << 14 => runs.all::<4>(),
            () if n <= 1 << 28 => runs.all::<2>(),
            () => runs.all::<1>(),
        })
    }
}

/// The largest number of shuffles, equal to the limit of bootstrap resamples in
/// `trajectory-metrics`.
const MAX_SHUFFLES: usize = 10_000_000;

/// The number of shuffles that read one stream.
const BLOCK: usize = 1 << 10;

struct Runs<'a> {
    outcomes: &'a [ItemOutcome],
    budget: u64,
    rule: FitRule,
    shuffles: usize,
    seed: u64,
}

impl Runs<'_> {
    fn all<const K: usize>(&self) -> SampledRandom {
        let mut earned = Vec::with_capacity(BLOCK.min(self.shuffles));
        let mut outcomes = self.outcomes.to_vec();
        let (mut mean, mut squares, mut done) = (0.0_f64, 0.0_f64, 0_usize);
        let mut spent = 0_u128;
        for (stream, start) in (0_u64..).zip((0..self.shuffles).step_by(BLOCK)) {
            outcomes.copy_from_slice(self.outcomes);
            let orders = Permutations::<K>::new(outcomes.len(), self.seed, stream);
            let size = BLOCK.min(self.shuffles - start);
            self.block(&mut outcomes, orders, size, &mut earned, &mut spent);
            // Merges the mean and the squared deviations of this block into the totals of all blocks.
            let (before, size) = (done as f64, size as f64);
            done += earned.len();
            let block_mean = sum(earned.iter().copied()) / size;
            let deviations = earned.iter().map(|&value| (value - block_mean).powi(2));
            let step = block_mean - mean;
            squares += sum(deviations) + step * step * before * size / (before + size);
            mean += step * size / (before + size);
        }
        let shuffles = done as f64;
        SampledRandom {
            value: mean,
            standard_error: (squares / (shuffles - 1.0) / shuffles).sqrt(),
            spent: spent as f64 / shuffles,
            shuffles: done,
        }
    }

    /// Runs one block of orders. Writes the value of each order into `earned` and adds their cost to
    /// `spent`.
    fn block<const K: usize>(
        &self,
        outcomes: &mut [ItemOutcome],
        mut orders: Permutations<K>,
        size: usize,
        earned: &mut Vec<f64>,
        spent: &mut u128,
    ) {
        let cheapest = self.outcomes.iter().map(|outcome| outcome.cost).min().unwrap_or_default();
        earned.clear();
        earned.extend((0..size).map(|_| {
            let (mut left, mut value) = (self.budget, 0.0);
            match self.rule {
                FitRule::StopAtFirst => orders.each(outcomes, |outcome| {
                    let rest = left.checked_sub(outcome.cost);
                    if let Some(rest) = rest {
                        left = rest;
                        value += outcome.earned;
                    }
                    rest.is_some()
                }),
                FitRule::SkipWhatDoesNotFit => orders.each(outcomes, |outcome| {
                    if let Some(rest) = left.checked_sub(outcome.cost) {
                        left = rest;
                        value += outcome.earned;
                    }
                    left >= cheapest
                }),
            }
            *spent += u128::from(self.budget - left);
            value
        }));
    }
}

/// The result of an attempt of an item by a random planner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ItemOutcome {
    pub(super) cost: u64,
    /// The value that an attempt earns.
    pub(super) earned: f64,
}

impl ItemOutcome {
    pub(super) fn all(pool: &Pool) -> Vec<Self> {
        let outcome = |item: &Item| Self {
            cost: item.cost(),
            earned: if item.is_solved() { item.value() } else { 0.0 },
        };
        pool.items().iter().map(outcome).collect()
    }
}
