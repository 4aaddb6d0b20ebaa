#[cfg(feature = "serde")]
use crate::stored::{is_amount, must};
use crate::{
    Error, Pool,
    random::{permutation::Permutations, sum::sum, task::Task},
    stored::checked_when_read,
};

/// What happens at an item that does not fit what is left of the budget.
///
/// ```
/// use knapsack_oracle::{Error, FitRule, Item, Pool};
///
/// // The large item fits no budget below 100, but ends the orders in which its turn comes.
/// let item = |id, cost| Item::new(id, 1.0, cost, true);
/// let pool = Pool::new(vec![item("a", 5)?, item("b", 100)?, item("c", 5)?])?;
/// let value = |rule| pool.random_sampled(10, rule, 100, 7).map(|sampled| sampled.value);
/// assert_eq!(value(FitRule::SkipWhatDoesNotFit)?, 2.0);
/// assert!(value(FitRule::StopAtFirst)? < 2.0);
/// # Ok::<(), Error>(())
/// ```
///
/// The paper describes both: section 3.2 draws "subject to remaining-budget feasibility", section 4
/// runs shuffles as plans are run, which stop. Its figures follow the latter, the default here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum FitRule {
    /// Execution ends there.
    #[default]
    StopAtFirst,
    /// The item is passed over, at no cost, and the next one is tried.
    SkipWhatDoesNotFit,
}

/// The random reference as estimated from shuffles. From [`Pool::random_sampled`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SampledRandom {
    /// The mean value earned.
    pub value: f64,
    /// The standard error of that mean, `sqrt(s^2 / shuffles)` with s^2 the sample variance; at
    /// least 0.
    pub standard_error: f64,
    /// The mean cost spent, at most the budget.
    pub spent: f64,
    /// How many shuffles it is the mean of.
    pub shuffles: usize,
}

checked_when_read!(
    SampledRandom { value: f64, standard_error: f64, spent: f64, shuffles: usize },
    |read| {
        let amounts = [read.value, read.standard_error, read.spent].into_iter().all(is_amount);
        must(amounts, "a number is not finite and at least 0")?;
        must((2..=MAX_SHUFFLES).contains(&read.shuffles), "`shuffles` is not from 2 to 10 million")
    }
);

impl Pool {
    /// What a planner without any self-knowledge earns on average, as [`Pool::random_exact`],
    /// estimated from random orders that are drawn from a seed, by either rule. The paper takes
    /// 1,000 shuffles.
    ///
    /// A pure function of its arguments and of the order of the items: each 1,024 shuffles read a
    /// stream of their own of a ChaCha8 generator, and an order is drawn only as far as it is run.
    /// Takes O(shuffles n) and O(n) memory; nothing is drawn where all items fit the budget.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] for fewer than 2 shuffles, which have no standard error, and for more than
    /// 10 million.
    ///
    /// ```
    /// use knapsack_oracle::{Error, FitRule, Item, Pool};
    ///
    /// // Each item runs if it comes first, and nothing fits after it: one solved of three.
    /// let item = |id, solved| Item::new(id, 1.0, 6, solved);
    /// let pool = Pool::new(vec![item("a", true)?, item("b", false)?, item("c", false)?])?;
    /// let exact = pool.random_exact(10)?;
    /// assert_eq!((exact.value, exact.spent), (1.0 / 3.0, 6.0));
    /// let sampled = pool.random_sampled(10, FitRule::StopAtFirst, 1_000, 7)?;
    /// assert!((sampled.value - exact.value).abs() < 4.0 * sampled.standard_error);
    /// assert_eq!((sampled.spent, sampled.shuffles), (6.0, 1_000));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn random_sampled(
        &self,
        budget: u64,
        rule: FitRule,
        shuffles: usize,
        seed: u64,
    ) -> Result<SampledRandom, Error> {
        if shuffles < 2 {
            let value = shuffles as f64;
            return Err(Error::Setting { name: "shuffles", value, range: "at least 2" });
        }
        if shuffles > MAX_SHUFFLES {
            let value = shuffles as f64;
            let range = "at most 10 million";
            return Err(Error::Setting { name: "shuffles", value, range });
        }
        let tasks = &Task::all(self);
        if self.total_cost() <= budget {
            let value = sum(tasks.iter().map(|task| task.earned));
            let spent = self.total_cost() as f64;
            return Ok(SampledRandom { value, standard_error: 0.0, spent, shuffles });
        }
        let n = tasks.len() as u64;
        let runs = Runs { tasks, budget, rule, shuffles, seed };
        Ok(match () {
            () if n <= 1 << 7 => runs.all::<8>(),
            () if n <= 1 << 14 => runs.all::<4>(),
            () if n <= 1 << 28 => runs.all::<2>(),
            () => runs.all::<1>(),
        })
    }
}

/// The most shuffles that are run: the limit of bootstrap resamples in `trajectory-metrics`.
const MAX_SHUFFLES: usize = 10_000_000;

/// Shuffles that read one stream.
const BLOCK: usize = 1 << 10;

struct Runs<'a> {
    tasks: &'a [Task],
    budget: u64,
    rule: FitRule,
    shuffles: usize,
    seed: u64,
}

impl Runs<'_> {
    fn all<const K: usize>(&self) -> SampledRandom {
        let mut earned = Vec::with_capacity(BLOCK.min(self.shuffles));
        let mut tasks = self.tasks.to_vec();
        let (mut mean, mut squares, mut spent, mut done) = (0.0_f64, 0.0_f64, 0_u128, 0_usize);
        for (stream, start) in (0_u64..).zip((0..self.shuffles).step_by(BLOCK)) {
            tasks.copy_from_slice(self.tasks);
            let orders = Permutations::<K>::new(tasks.len(), self.seed, stream);
            let size = BLOCK.min(self.shuffles - start);
            spent += self.block(&mut tasks, orders, size, &mut earned);
            // The mean and the squared deviations of this block join those so far.
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

    /// Runs one block, writes down what each order earned, and returns what all spent.
    fn block<const K: usize>(
        &self,
        tasks: &mut [Task],
        mut orders: Permutations<K>,
        size: usize,
        earned: &mut Vec<f64>,
    ) -> u128 {
        let cheapest = self.tasks.iter().map(|task| task.cost).min().unwrap_or_default();
        let mut spent = 0_u128;
        earned.clear();
        earned.extend((0..size).map(|_| {
            let (mut left, mut value) = (self.budget, 0.0);
            match self.rule {
                FitRule::StopAtFirst => orders.each(tasks, |task| {
                    let fits = task.cost <= left;
                    if fits {
                        left -= task.cost;
                        value += task.earned;
                    }
                    fits
                }),
                FitRule::SkipWhatDoesNotFit => orders.each(tasks, |task| {
                    let fits = task.cost <= left;
                    left -= if fits { task.cost } else { 0 };
                    value += if fits { task.earned } else { 0.0 };
                    left >= cheapest
                }),
            }
            spent += u128::from(self.budget - left);
            value
        }));
        spent
    }
}
