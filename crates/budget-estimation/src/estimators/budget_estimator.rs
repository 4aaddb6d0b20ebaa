use std::collections::{BTreeMap, btree_map::Entry};

use scoring_rules::{Level, Seed};

#[cfg(feature = "serde")]
use crate::checks::stored;
use crate::{
    error::Error,
    estimates::estimate::Estimate,
    estimators::estimator::Estimator,
    learning::resource_learner::ResourceLearner,
    replay::prefix::Prefix,
    resource::Resource,
    rollouts::rollout::Rollout,
    state::Sealed,
    success::{
        abort_limit::AbortLimit,
        success_forecaster::{SuccessForecast, SuccessForecaster},
    },
};

scoring_rules::checked! {
    /// The default estimator. It learns run by run to predict the remaining cost of a run, and whether the run will succeed
    /// within its caps.
    ///
    /// It answers from the first run on, takes any number of resources, and is stored by serde. Keys and features
    /// of the runs are used if there are any.
    ///
    /// **Intervals.** A quantile regression forest predicts the distribution of the remaining cost from
    /// the feature vector of a prefix and from the keys of the run: the mean effects of each key on the total and
    /// on the number of turns, shrunk towards 0 if few runs have the key. A second forecast depends only on the turn. The
    /// estimator uses the mixture of both that would have scored best so far. It removes the part of the distribution above
    /// the amount left under the cap. The interval is thus for a run within its cap.
    ///
    /// The bounds are two quantiles of this distribution. Their levels depend on the stage of the run, which is its
    /// predicted progress. They are chosen by the scores that they would have given the forecasts of up to 150 recent
    /// feasible runs: the least interval loss, with a penalty unless the coverage is right in each fifth of these runs and
    /// in all of them. Feedback keeps the coverage, not a guarantee. From 1,000 runs on, a pseudorandom sixteenth of the
    /// runs is used, so that the coverage needs about 1,000 runs to return after a change: if the agent changes, start a new
    /// estimator. The coverage holds for feasible runs. Runs that will fail cannot be told apart before they end, and the
    /// intervals contain their remaining cost less often.
    ///
    /// Failed runs are learnt with a weight of 0.3. For the forest, the remaining cost of a run that was cut off is a lower
    /// bound (Kaplan-Meier). For the choice of the bounds of intervals, the forest completes such a run by three equally
    /// likely remaining costs. Both assume that, among similar prefixes, the reason for the cut-off is unrelated to the
    /// remaining cost. If no run has had more turns than a run that was cut off, nothing shows how that run would have
    /// continued. Until a longer run is learnt, it then counts as a run that failed there, as if there were a limit on
    /// turns.
    ///
    /// **First runs.** Up to the eighth run, the share of the total that is spent is assumed to be uniform between 0 and 1.
    /// With tails of t = (1 - coverage) / 2, the interval reaches from t / (1 - t) to (1 - t) / t times the amount spent.
    ///
    /// **Impossible.** A [`SuccessForecaster`] decides under an [`AbortLimit`]. Until the forecaster has learnt enough runs,
    /// and whenever success cannot be predicted, only runs above a cap are impossible. The limit holds for each resource: a
    /// run that is stopped if it is impossible in any of r resources may be stopped wrongly at r times the rate.
    ///
    /// An estimate after k turns takes O(k + columns + trees · depth + entries of leaves). Forests are grown from at most
    /// 4,516 rows of recent runs, whenever the number of runs has grown by a tenth, by a quarter from 200 runs on, and
    /// twofold from 1,000 runs on. Memory does not grow with
    /// the number of runs, except for the values of keys.
    ///
    /// ```
    /// use budget_estimation::{
    ///     BudgetEstimator, BudgetMonitor, Error, Estimate, Estimator, RecordedRun, Rollouts,
    /// };
    ///
    /// // Small tasks take 3 turns, large ones 12.
    /// let mut past = Rollouts::new(["tokens"])?;
    /// for i in 0..60 {
    ///     let turns = if i % 2 == 0 { 3 } else { 12 };
    ///     let costs: Vec<f64> = (0..turns).map(|turn| f64::from(80 + (i * 7 + turn * 13) % 40)).collect();
    ///     past.push(&costs, true)?;
    ///     past.set_key(past.len() - 1, "task", if turns == 3 { "small" } else { "large" })?;
    /// }
    /// let mut run = RecordedRun::new(BudgetMonitor::new([("tokens", None)])?)?;
    /// run.set_key("task", "small")?;
    /// let tokens = run.rollouts().resource("tokens")?;
    /// run.push(&[Some(100.0)])?;
    ///
    /// let mut estimator = BudgetEstimator::default();
    /// // Before the first run, 10 % to 90 % of the total may be spent.
    /// let Estimate::Interval(ends) = estimator.estimate(&run.prefix(tokens)?)? else { panic!() };
    /// assert!((ends.low() - 100.0 / 9.0).abs() < 1e-9 && (ends.high() - 900.0).abs() < 1e-9);
    /// for rollout in past.iter() {
    ///     estimator.learn(&rollout, past.resource("tokens")?)?;
    /// }
    /// // About 200 tokens remain.
    /// let Estimate::Interval(ends) = estimator.estimate(&run.prefix(tokens)?)? else { panic!() };
    /// assert!(ends.low() > 150.0 && ends.high() < 250.0);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// References: Meinshausen (2006), Quantile regression forests, Journal of Machine Learning Research 7,
    /// 983-999; Romano, Patterson and Candès (2019), Conformalized quantile regression, arXiv:1905.03222, which
    /// corrects quantiles by past forecasts; Gott (1993), Implications of the Copernican principle for our future
    /// prospects, doi:10.1038/363315a0, for the first runs.
    #[derive(Clone, Debug, PartialEq)]
    pub struct BudgetEstimator {
        coverage: Level,
        limit: AbortLimit,
        seed: u64,
        /// By name of the resource.
        resources: BTreeMap<String, Learnt>,
    }
    check: |estimator| {
        let limited = |learnt: &Learnt| learnt.success.limit_and_resource().0 == estimator.limit;
        let problem = "a forecaster has another limit than its estimator";
        stored(estimator.resources.values().all(limited), problem)?;
        let of_its_name = |(name, learnt): (&String, &Learnt)| {
            let forecast = learnt.success.limit_and_resource().1;
            learnt.cost.0.resource_name() == name && forecast.is_none_or(|other| other == name)
        };
        let problem = "what was learnt of a resource is stored under the name of another";
        stored(estimator.resources.iter().all(of_its_name), problem)
    }
}

#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
struct Learnt {
    cost: Sealed<ResourceLearner>,
    success: SuccessForecaster,
}

/// Intervals of a coverage of 0.8, and the default [`AbortLimit`].
impl Default for BudgetEstimator {
    fn default() -> Self {
        let coverage = Level::new(0.8).unwrap_or(Level::HALF);
        Self { coverage, limit: AbortLimit::default(), seed: 0, resources: BTreeMap::new() }
    }
}

impl BudgetEstimator {
    /// Creates an estimator that has seen no run, with this nominal coverage of its intervals.
    #[must_use]
    pub fn new(coverage: Level) -> Self {
        Self { coverage, ..Self::default() }
    }

    /// Sets the limit on false alarms. Everything learnt so far is lost.
    #[must_use]
    pub fn with_abort_limit(self, limit: AbortLimit) -> Self {
        Self { limit, resources: BTreeMap::new(), ..self }
    }

    /// Sets the seed of the random forests, 0 by default.
    #[must_use]
    pub fn with_seed(self, seed: Seed) -> Self {
        Self { seed: seed.0, ..self }
    }

    /// As [`SuccessForecaster::forecast`].
    fn forecast_success(&mut self, prefix: &Prefix<'_>) -> Result<SuccessForecast, Error> {
        match self.resources.get_mut(prefix.resource_name()) {
            Some(learnt) => learnt.success.forecast(prefix),
            None => SuccessForecaster::new(self.limit).forecast(prefix),
        }
    }

    /// Returns the interval if the share that is spent is uniform.
    fn first_interval(&self, prefix: &Prefix<'_>) -> Option<(f64, f64)> {
        let usage = prefix.usage();
        let (spent, left) = (usage.total(), usage.left().map(|left| left.max(0.0)));
        let tail = (1.0 - self.coverage.get()) / 2.0;
        let odds = (1.0 - tail) / tail;
        let most = left.unwrap_or(f64::INFINITY);
        match left {
            _ if spent > 0.0 => Some(((spent / odds).min(most), (spent * odds).min(most))),
            Some(left) => Some((0.0, left)),
            None => None,
        }
    }
}

impl Estimator for BudgetEstimator {
    fn estimate(&mut self, prefix: &Prefix<'_>) -> Result<Estimate, Error> {
        if self.forecast_success(prefix)?.is_impossible {
            return Ok(Estimate::Impossible);
        }
        let ends = match self.resources.get_mut(prefix.resource_name()) {
            Some(learnt) => learnt.cost.0.interval(prefix, self.coverage)?,
            None => None,
        };
        match ends.or_else(|| self.first_interval(prefix)) {
            Some((low, high)) => Estimate::interval(low, high),
            None => Ok(Estimate::NoAnswer),
        }
    }

    fn learn(&mut self, rollout: &Rollout<'_>, resource: Resource) -> Result<(), Error> {
        let learnt = match self.resources.entry(rollout.column(resource)?.name.clone()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let cost = Sealed(ResourceLearner::new(rollout, resource)?);
                new.insert(Learnt { cost, success: SuccessForecaster::new(self.limit) })
            }
        };
        learnt.success.learn(rollout, resource)?;
        learnt.cost.0.learn(rollout, resource, self.coverage, self.seed)
    }
}
