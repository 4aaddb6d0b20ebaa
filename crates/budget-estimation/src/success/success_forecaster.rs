use scoring_rules::Probability;

use crate::{
    error::Error,
    key_effects::{Keys, SuccessEffects},
    replay::prefix::Prefix,
    resource::Resource,
    rollouts::rollout::Rollout,
    state::{Scratch, Sealed},
    success::{
        abort_limit::{AbortLimit, lowest_of},
        chance_calibration::ChanceCalibration,
        success_fit::{PastRuns, SuccessFit, thinned},
        success_rows::{SuccessRows, is_over},
    },
};

/// The number of runs before the first fit.
const FIRST_FIT: u64 = 30;

/// Fits take place when the number of runs has grown by this factor.
const GROWTH: f64 = 1.5;

/// The number of calibration runs of a model after which no more are added, unless the limit needs
/// more: they would raise the threshold only a little.
const MOST_CALIBRATION_RUNS: usize = 1000;

/// Marks a probability below every threshold.
const BELOW_ALL: f64 = -1.0;

/// The largest number of models that are kept: the one in service and the waiting ones.
const MOST_MODELS: usize = 6;

/// The probability that a run succeeds within its caps, as predicted at one prefix.
///
/// ```
/// use budget_estimation::{
///     AbortLimit, BudgetMonitor, Error, Probability, RecordedRun, SuccessForecaster,
/// };
///
/// let mut run = RecordedRun::new(BudgetMonitor::new([("tokens", Some(100.0))])?)?;
/// let tokens = run.rollouts().resource("tokens")?;
/// run.push(&[Some(60.0)])?;
/// let mut forecaster = SuccessForecaster::new(AbortLimit::default());
/// let forecast = forecaster.forecast(&run.prefix(tokens)?)?;
/// assert_eq!((forecast.chance, forecast.is_impossible), (Probability::HALF, false));
/// run.push(&[Some(60.0)])?;
/// let forecast = forecaster.forecast(&run.prefix(tokens)?)?;
/// assert_eq!((forecast.chance, forecast.is_impossible), (Probability::ZERO, true));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SuccessForecast {
    /// The probability that the run succeeds and exceeds none of its caps.
    pub chance: Probability,
    /// Whether the run may be predicted impossible, because the limit on false alarms allows it or because the run has
    /// exceeded a cap.
    pub is_impossible: bool,
}

/// Learns online, run by run, to predict the probability that a run succeeds within its caps. Also predicts that a run
/// is impossible if it has exceeded a cap or its probability is low enough, with a guaranteed limit on the rate of false
/// alarms.
///
/// **Probability.** A logistic regression with a ridge penalty ([`censoring::LogisticSuccess`]) on the columns of
/// the feature vector of a prefix, on a logarithmic scale; the numbers of turns that fit under the cap at the
/// mean and at the recent pace; squares and products of three of these; and the effects of the keys of the run, shrunk
/// towards 0. Each run has the same total weight. The regression is fitted after 30 runs and whenever the number of runs
/// has grown by half. Its probabilities for later runs are out of sample. Platt scaling with the same weights calibrates
/// them. Before the first fit, the probability is the share of feasible runs, (s + 1) / (n + 2).
///
/// **Impossible.** A run that has exceeded a cap is impossible. Otherwise it is predicted impossible if its probability
/// is below one half, and if a model with a certified threshold gives it a probability below that threshold. A threshold
/// is calibrated on the probabilities of all feasible runs *after* the fit, and of none in the fit. Fit, threshold and
/// use follow each other in time, so the guarantee of [`AbortLimit`] holds for each threshold, for independent runs of
/// one distribution. (Cross-fitting would use the runs better, but its guarantee is weaker.) A new model replaces the
/// one in service when it has half the number of calibration runs, and at least [`AbortLimit::least_runs`]. This depends
/// on the number of feasible runs and not on their probabilities, so it does not select thresholds. The guarantee covers
/// the forecasts of [`Rollout::replay`](crate::Rollout::replay), after each turn except the last. Before the first turn,
/// no model is used: the probability is the share of feasible runs plus the effects of the keys, and no run is predicted
/// impossible. The guarantee is for one threshold at a time, not jointly for all thresholds in service over time.
///
/// **Runs that were cut off** have no known outcome, and nothing is learnt from them, unless they exceeded a cap first.
/// This assumes that the reason for the cut-off is unrelated to their probability of success. If a run that was
/// predicted impossible is cut off, it counts as a false alarm in the calibration, the worst case. Otherwise thresholds
/// would rise from run to run, because feasible runs with low probabilities would never be seen. To stop runs and keep
/// learning, choose a random share of the runs before their first turn, let these run to their end, and learn only from
/// them.
///
/// Memory does not grow with the number of runs, except for the values of keys and up to 1,000 runs, or twice
/// [`AbortLimit::least_runs`], that calibrate a threshold. A forecast takes O(d) for d columns, in addition to the
/// search for the largest cost. Learning a run of T turns takes O(d T), and a fit takes O(d^2) for each of at most 8,192
/// rows.
///
/// ```
/// use budget_estimation::{AbortLimit, Error, Rollouts, SuccessForecaster};
///
/// // Runs whose first turn is expensive fail.
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// for i in 0..200 {
///     let fails = i % 3 == 0;
///     let first = if fails { 400.0 } else { 100.0 } + f64::from(i * 37 % 100);
///     rollouts.push(&[first, 50.0, 70.0], !fails)?;
/// }
/// let tokens = rollouts.resource("tokens")?;
/// let mut forecaster = SuccessForecaster::new(AbortLimit::default());
/// for rollout in rollouts.iter() {
///     forecaster.learn(&rollout, tokens)?;
/// }
/// let mut first_turn = |run: usize| {
///     let prefix = rollouts.get(run)?.replay(tokens)?.next().ok_or(scoring_rules::Error::Empty)?;
///     forecaster.forecast(&prefix)
/// };
/// let (failure, success) = (first_turn(0)?, first_turn(1)?);
/// assert!(failure.is_impossible && failure.chance.get() < 0.1);
/// assert!(!success.is_impossible && success.chance.get() > 0.9);
/// assert!(forecaster.threshold().is_some());
/// # Ok::<(), Error>(())
/// ```
///
/// The predicted probabilities of a run are a stream of forecasts of its outcome. The trajectory proper score of
/// `trajectory_metrics` evaluates them:
///
/// ```
/// use budget_estimation::{AbortLimit, Error, Probability, Rollouts, SuccessForecaster};
/// use trajectory_metrics::{LogScore, Tps, Traces, WeightSchedule};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// for i in 0..200 {
///     let fails = i % 3 == 0;
///     let first = if fails { 400.0 } else { 100.0 } + f64::from(i * 37 % 100);
///     rollouts.push(&[first, 50.0, 70.0], !fails)?;
/// }
/// let tokens = rollouts.resource("tokens")?;
/// let mut forecaster = SuccessForecaster::new(AbortLimit::default());
/// let mut traces = Traces::default();
/// for rollout in rollouts.iter() {
///     let mut chances = Vec::new();
///     for prefix in rollout.replay(tokens)? {
///         chances.push(forecaster.forecast(&prefix)?.chance);
///     }
///     traces.push(&chances, rollout.is_feasible()?)?;
///     forecaster.learn(&rollout, tokens)?;
/// }
/// let tps = Tps::new(LogScore::clipped(1e-6)?, WeightSchedule::LinearFront);
/// let base_rate = Probability::new(2.0 / 3.0)?;
/// let constant = traces.map_forecasts(|_, _| base_rate);
/// assert!(tps.mean(&traces, None)? > tps.mean(&constant, None)? + 0.3);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct SuccessForecaster {
    learnt: Sealed<Learnt>,
    #[cfg_attr(feature = "serde", serde(skip))]
    space: Scratch<Space>,
}

#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
struct Learnt {
    limit: AbortLimit,
    /// `None` before the first run.
    rows: Option<SuccessRows>,
    effects: SuccessEffects,
    past: PastRuns,
    /// The number of runs at which the next fit takes place.
    next_fit: u64,
    /// From the oldest, which is in service, to the newest.
    models: Vec<Candidate>,
    calibration: ChanceCalibration,
}

#[derive(Clone, Debug, Default)]
struct Space {
    keys: Keys,
    /// The row of a prefix without the effect of the keys.
    raw: Vec<f64>,
    /// A row of the regression.
    row: Vec<f64>,
}

/// A fitted model and the later runs that calibrate its threshold.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
struct Candidate {
    fit: SuccessFit,
    /// The lowest probability of each calibration run, in ascending order.
    lowest: Vec<f64>,
    threshold: Option<Probability>,
}

impl SuccessForecaster {
    /// Creates a forecaster that has seen no run.
    #[must_use]
    pub fn new(limit: AbortLimit) -> Self {
        let learnt = Learnt {
            limit,
            rows: None,
            effects: SuccessEffects::default(),
            past: PastRuns::default(),
            next_fit: FIRST_FIT,
            models: Vec::new(),
            calibration: ChanceCalibration::default(),
        };
        Self { learnt: Sealed(learnt), space: Scratch::default() }
    }

    /// Returns the limit and the resource of the learnt runs, if there are any.
    #[cfg(feature = "serde")]
    pub(crate) fn limit_and_resource(&self) -> (AbortLimit, Option<&str>) {
        let Learnt { limit, rows, .. } = &self.learnt.0;
        (*limit, rows.as_ref().map(SuccessRows::resource_name))
    }

    /// Returns the current threshold, on the scale of uncalibrated probabilities. While it is `None`, only runs that
    /// exceeded a cap are predicted impossible.
    #[must_use]
    pub fn threshold(&self) -> Option<Probability> {
        self.learnt.0.models.first().and_then(|model| model.threshold)
    }

    /// Returns the probability of success after a prefix, and whether it is so low that the run is predicted to fail.
    ///
    /// # Errors
    ///
    /// [`Error::Unlike`] for a prefix of another resource than the learnt runs.
    pub fn forecast(&mut self, prefix: &Prefix<'_>) -> Result<SuccessForecast, Error> {
        if is_over(prefix) {
            return Ok(SuccessForecast { chance: Probability::ZERO, is_impossible: true });
        }
        let learnt = &self.learnt.0;
        let (Some(rows), Some(newest)) = (&learnt.rows, learnt.models.last()) else {
            let chance = Probability::new(learnt.effects.base_rate())?;
            return Ok(SuccessForecast { chance, is_impossible: false });
        };
        let Space { keys, raw, row } = &mut self.space.0;
        keys.set(prefix.keys());
        if prefix.turns() == 0 {
            let chance = learnt.effects.chance(keys)?;
            return Ok(SuccessForecast { chance, is_impossible: false });
        }
        rows.fill(raw, prefix)?;
        let stated = newest.chance(raw, newest.fit.effects().effect(keys), row)?;
        let chance = learnt.calibration.apply(stated);
        let mut is_impossible = false;
        if chance < Probability::HALF
            && let Some(serving) = learnt.models.first()
            && let Some(threshold) = serving.threshold
        {
            let effect = serving.fit.effects().effect(keys);
            is_impossible = serving.chance(raw, effect, row)? < threshold;
        }
        Ok(SuccessForecast { chance, is_impossible })
    }

    /// Learns from a run that has ended.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownCost`] if a cost of the resource is unknown, or if it is unknown whether the run is feasible;
    /// [`Error::Unlike`] for another resource than in earlier runs; [`Error::NoSuchResource`] for a handle from other
    /// rollouts. Nothing is learned.
    pub fn learn(&mut self, rollout: &Rollout<'_>, resource: Resource) -> Result<(), Error> {
        let feasible = rollout.is_feasible()?;
        let open: Vec<Prefix<'_>> =
            rollout.replay(resource)?.filter(|prefix| !is_over(prefix)).collect();
        let learnt = &mut self.learnt.0;
        let rows = match &learnt.rows {
            Some(rows) => rows.clone(),
            None => SuccessRows::new(rollout, resource)?,
        };
        let width = rows.columns();
        let mut raw = Vec::with_capacity(open.len() * width);
        let Space { keys, raw: of_prefix, row } = &mut self.space.0;
        keys.set(rollout.keys());
        let effect = learnt.effects.effect(keys);
        for prefix in &open {
            rows.fill(of_prefix, prefix)?;
            raw.extend_from_slice(of_prefix);
            raw.push(effect);
        }
        if rollout.is_censored() && !rollout.is_known_over() {
            return self.learn_cut_off(&open);
        }
        let limit = learnt.limit;
        let most = most_calibration_runs(limit);
        let mut chances = Vec::with_capacity(learnt.models.len());
        for (at, model) in learnt.models.iter().enumerate() {
            // The newest model learns from each run, others from feasible runs until they have enough.
            let is_newest = at + 1 == learnt.models.len();
            let is_needed = is_newest || (feasible && model.lowest.len() < most);
            if !is_needed {
                chances.push(Vec::new());
                continue;
            }
            let effect = model.fit.effects().effect(keys);
            let all =
                raw.chunks_exact(width).map(|raw| model.chance(&raw[..width - 1], effect, row));
            chances.push(all.collect::<Result<Vec<Probability>, Error>>()?);
        }
        if let Some(newest) = chances.last() {
            learnt.calibration.push(newest, feasible)?;
        }
        learnt.effects.learn(keys, feasible);
        if feasible {
            for (model, chances) in learnt.models.iter_mut().zip(&chances) {
                model.calibrate(limit, lowest_of(chances));
            }
            learnt.replace_model();
        }
        let kept = thinned(open.len()).filter_map(|at| raw.get(at * width..(at + 1) * width));
        learnt.past.push(kept.flatten().copied().collect(), feasible);
        learnt.rows = Some(rows);
        learnt.fit_if_due(width)
    }

    /// Learns from a run without an outcome.
    fn learn_cut_off(&mut self, open: &[Prefix<'_>]) -> Result<(), Error> {
        for prefix in open {
            if self.forecast(prefix)?.is_impossible {
                // It will never be known whether the run was feasible. It counts as a feasible run that every
                // threshold stops, the worst case.
                let learnt = &mut self.learnt.0;
                for model in &mut learnt.models {
                    model.calibrate(learnt.limit, BELOW_ALL);
                }
                break;
            }
        }
        Ok(())
    }
}

impl Learnt {
    /// Puts the newest model with enough calibration runs into service.
    fn replace_model(&mut self) {
        let least = self.limit.least_runs();
        let of_serving = self.models.first().map_or(0, |model| model.lowest.len());
        let enough = least.max(of_serving / 2);
        let ready = self.models.iter().rposition(|model| model.lowest.len() >= enough);
        self.models.drain(..ready.unwrap_or(0));
    }

    /// Fits a model when the number of runs has grown enough.
    fn fit_if_due(&mut self, columns: usize) -> Result<(), Error> {
        if self.effects.runs() < self.next_fit {
            return Ok(());
        }
        self.next_fit = (self.next_fit as f64 * GROWTH).ceil() as u64;
        if let Some(fit) = SuccessFit::new(&self.past, columns, &self.effects)? {
            if self.models.len() == MOST_MODELS {
                // The models that have waited for longer are nearer to their service.
                self.models.pop();
            }
            self.models.push(Candidate { fit, lowest: Vec::new(), threshold: None });
        }
        Ok(())
    }
}

/// Returns the largest number of calibration runs of a model. A limit with a large minimum gets twice that minimum.
fn most_calibration_runs(limit: AbortLimit) -> usize {
    limit.least_runs().saturating_mul(2).max(MOST_CALIBRATION_RUNS)
}

impl Candidate {
    /// Returns the probability for a raw row without its effect of keys, and that effect in this model.
    fn chance(&self, raw: &[f64], effect: f64, row: &mut Vec<f64>) -> Result<Probability, Error> {
        row.clear();
        row.extend_from_slice(raw);
        row.push(effect);
        self.fit.chance(row)
    }

    /// Adds a calibration run with this lowest probability, unless there are enough.
    fn calibrate(&mut self, limit: AbortLimit, lowest: f64) {
        if self.lowest.len() < most_calibration_runs(limit) {
            let place = self.lowest.partition_point(|other| *other <= lowest);
            self.lowest.insert(place, lowest);
            self.threshold = limit.passing(&self.lowest);
        }
    }
}
