use scoring_rules::Interval;

use crate::{
    calibration::online_calibrator::OnlineCalibrator, error::Error, estimates::estimate::Estimate,
    estimators::estimator::Estimator, replay::prefix::Prefix, resource::Resource,
    rollouts::rollout::Rollout,
};

/// The unit of a margin.
///
/// ```
/// use budget_estimation::{
///     Calibrated, Error, Estimate, Level, MarginUnit, Rollouts, SplitConformal, estimator_from_fn,
///     score_rollouts,
/// };
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[5.0, 12.0], true)?;
/// rollouts.push(&[10.0, 12.0], true)?;
/// let tokens = rollouts.resource("tokens")?;
/// let second = |unit| {
///     // Predicts 10 for the first run, which still spends 12: short by 2, or by 20 %.
///     let twice = estimator_from_fn(|prefix| {
///         let more = 2.0 * prefix.usage().total();
///         Estimate::interval(more, more)
///     });
///     let mut calibrated = Calibrated::new(twice, SplitConformal::new(Level::HALF), unit);
///     let samples = score_rollouts(&rollouts, tokens, &mut calibrated)?;
///     Ok::<_, Error>(samples[1].estimate())
/// };
/// assert_eq!(second(MarginUnit::Resource)?, Estimate::interval(18.0, 22.0)?);
/// assert_eq!(second(MarginUnit::Midpoint)?, Estimate::interval(16.0, 24.0)?);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum MarginUnit {
    /// The resource's own unit, so that the margin is the same early and late in a run.
    Resource,
    /// The midpoint of the interval: a margin of 0.1 is a tenth of the estimated remaining amount.
    Midpoint,
}

/// An estimator whose intervals are widened or narrowed, so that they contain what remained as often
/// as they claim. Learns from each finished run.
///
/// An interval `[low, high]` becomes `[low - q u, high + q u]`, with the calibrator's margin q and
/// the unit u. A negative lower end becomes 0, an infinite margin gives `[0, f64::MAX]`, and an
/// interval that a negative margin reverses becomes no answer. The answer is `impossible` if the
/// lower end exceeds what is left under a cap. Other answers pass unchanged. An interval up to
/// `f64::MAX` carries no information, and mean widths and errors that include one are meaningless:
/// replace it by no answer there.
///
/// The calibrator learns from runs that succeeded within their caps, at every prefix, k = 1 to T - 1,
/// with an interval of the estimator; the coverage therefore refers to prefixes of such runs. The
/// estimator learns from a run after the calibrator.
///
/// ```
/// use budget_estimation::{
///     Calibrated, Error, Estimate, Level, MarginUnit, Rollouts, SplitConformal, estimator_from_fn,
///     score_rollouts,
/// };
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// for cost in [10.0, 14.0, 11.0, 13.0, 12.0, 13.5, 12.0] {
///     rollouts.push(&[5.0, cost, 5.0], true)?;
/// }
/// let tokens = rollouts.resource("tokens")?;
/// // Always predicts exactly 10 more tokens.
/// let point = estimator_from_fn(|_| Estimate::interval(10.0, 10.0));
/// let split = SplitConformal::new(Level::new(0.8)?);
/// let mut calibrated = Calibrated::new(point, split, MarginUnit::Resource);
/// let samples = score_rollouts(&rollouts, tokens, &mut calibrated)?;
/// // The margin is finite from the fifth run on.
/// assert!(samples.iter().all(|sample| sample.is_hit()));
/// assert_eq!(samples[12].estimate(), Estimate::interval(1.0, 19.0)?);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored<E, C>"))]
pub struct Calibrated<E, C> {
    estimator: E,
    calibrator: C,
    unit: MarginUnit,
    /// For the current run: completed turns, and the interval of the estimator.
    given: Vec<(usize, Interval)>,
}

impl<E: Estimator, C: OnlineCalibrator> Calibrated<E, C> {
    /// Combines an estimator and a calibrator, both before the first run.
    #[must_use]
    pub const fn new(estimator: E, calibrator: C, unit: MarginUnit) -> Self {
        Self { estimator, calibrator, unit, given: Vec::new() }
    }

    /// The calibrator.
    #[must_use]
    pub const fn calibrator(&self) -> &C {
        &self.calibrator
    }

    fn unit_of(&self, interval: Interval) -> f64 {
        match self.unit {
            MarginUnit::Resource => 1.0,
            // A unit of 0: only an infinite margin changes such an interval.
            MarginUnit::Midpoint => interval.low() / 2.0 + interval.high() / 2.0,
        }
    }

    /// The smallest margin under which the widened interval contains what remained.
    fn score(&self, interval: Interval, remaining: f64) -> f64 {
        let distance = (interval.low() - remaining).max(remaining - interval.high());
        let mut score = match self.unit_of(interval) {
            unit if unit > 0.0 => distance / unit,
            _ if distance <= 0.0 => f64::NEG_INFINITY,
            _ => f64::INFINITY,
        };
        // Rounding can leave the score a few units in the last place short. The margin is often the
        // score of an equal run, for which that would turn a hit into a miss.
        let holds = |wide: Option<Interval>| wide.is_some_and(|wide| wide.contains(remaining));
        for _ in 0..8 {
            if !score.is_finite() || holds(self.widened(interval, score)) {
                break;
            }
            score = score.next_up();
        }
        score
    }

    /// The widened interval; `None` if the margin reverses it.
    fn widened(&self, interval: Interval, margin: f64) -> Option<Interval> {
        if margin == f64::INFINITY {
            return Interval::new(0.0, f64::MAX).ok();
        }
        if margin == f64::NEG_INFINITY {
            return None;
        }
        let by = margin * self.unit_of(interval);
        let low = (interval.low() - by).max(0.0);
        let high = (interval.high() + by).min(f64::MAX);
        // The ends are never NaN, so that only a reversed interval is an error.
        Interval::new(low, high).ok()
    }

    /// Stores the interval of the estimator until the run has ended. If the number of turns falls,
    /// another run has begun, and the previous one was abandoned.
    fn remember(&mut self, turns: usize, interval: Interval) {
        if turns == 0 {
            return;
        }
        match self.given.last_mut() {
            Some((last, given)) if *last == turns => *given = interval,
            Some((last, _)) if *last > turns => self.given = vec![(turns, interval)],
            _ => self.given.push((turns, interval)),
        }
    }
}

impl<E: Estimator, C: OnlineCalibrator> Estimator for Calibrated<E, C> {
    fn estimate(&mut self, prefix: &Prefix<'_>) -> Result<Estimate, Error> {
        let estimate = self.estimator.estimate(prefix)?;
        let Estimate::Interval(interval) = estimate else { return Ok(estimate) };
        self.remember(prefix.turns(), interval);
        Ok(match self.widened(interval, self.calibrator.margin()) {
            None => Estimate::NoAnswer,
            Some(wide) => Estimate::Interval(wide).collapsed(prefix.usage().left()),
        })
    }

    fn learn(&mut self, rollout: &Rollout<'_>, resource: Resource) -> Result<(), Error> {
        // Removed first, so that an error does not leave them to the next run.
        let given = std::mem::take(&mut self.given);
        if rollout.is_feasible()? {
            let mut scores = Vec::with_capacity(given.len());
            // An estimate after the last turn is not scored.
            for (turns, interval) in given.into_iter().filter(|(turns, _)| *turns < rollout.turns())
            {
                scores.push(self.score(interval, rollout.remaining(resource, turns)?));
            }
            self.calibrator.update(&scores);
        }
        self.estimator.learn(rollout, resource)
    }
}

/// The stored form, before its check.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored<E, C> {
    estimator: E,
    calibrator: C,
    unit: MarginUnit,
    given: Vec<(usize, Interval)>,
}

#[cfg(feature = "serde")]
impl<E, C> TryFrom<Stored<E, C>> for Calibrated<E, C> {
    type Error = Error;

    fn try_from(stored: Stored<E, C>) -> Result<Self, Error> {
        let Stored { estimator, calibrator, unit, given } = stored;
        let turns: Vec<usize> = given.iter().map(|(turns, _)| *turns).collect();
        if turns.first() == Some(&0) || !turns.is_sorted_by(|a, b| a < b) {
            return Err(Error::StoredValue { problem: "turns must rise, and begin at 1 or later" });
        }
        Ok(Self { estimator, calibrator, unit, given })
    }
}
