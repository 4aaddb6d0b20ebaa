use crate::{
    Interval, calibration::online_calibrator::OnlineCalibrator, error::Error,
    estimates::estimate::Estimate, estimators::estimator::Estimator, replay::prefix::Prefix,
    resource::Resource, rollouts::rollout::Rollout,
};

/// What a margin is measured in.
///
/// ```
/// use budget_estimation::{
///     Calibrated, Error, Estimate, Level, MarginUnit, Prefix, Rollouts, SplitConformal,
///     score_rollouts,
/// };
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[5.0, 12.0], true)?;
/// rollouts.push(&[10.0, 12.0], true)?;
/// let tokens = rollouts.resource("tokens")?;
/// let second = |unit| {
///     // Twice as much again as was spent, which is 2 of 10 short of the first run.
///     let twice = |prefix: &Prefix<'_>| {
///         let more = 2.0 * prefix.usage().total();
///         Estimate::interval(more, more)
///     };
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
    /// The resource's own unit: the same margin early and late in a run.
    Resource,
    /// The middle of the interval: a margin of 0.1 is a tenth of what is estimated to remain.
    Midpoint,
}

/// Any estimator, its intervals widened or narrowed so that they hold what remained as often as
/// they claim, learning from each run that ends.
///
/// An interval `[low, high]` becomes `[low - q u, high + q u]` with the calibrator's margin q and
/// the unit u. What would be below 0 is 0, an infinite margin gives `[0, f64::MAX]`, and an
/// interval that a negative margin turned round is no answer. Impossible where there is a cap and
/// already the lower end does not fit under it. Other answers of the estimator pass unchanged. An
/// upper end of `f64::MAX` holds everything and says nothing: for widths and errors take such an
/// answer for none, as their mean is without meaning.
///
/// It learns from runs that succeeded within their caps, from every prefix, k = 1 to T - 1, at
/// which the estimator gave an interval; so the coverage is that over prefixes of such runs. The
/// estimator learns from the run after the calibrator did.
///
/// ```
/// use budget_estimation::{
///     Calibrated, Error, Estimate, Level, MarginUnit, Prefix, Rollouts, SplitConformal,
///     score_rollouts,
/// };
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// for cost in [10.0, 14.0, 11.0, 13.0, 12.0, 13.5, 12.0] {
///     rollouts.push(&[5.0, cost, 5.0], true)?;
/// }
/// let tokens = rollouts.resource("tokens")?;
/// // Always sure of 10 more tokens.
/// let point = |_: &Prefix<'_>| Estimate::interval(10.0, 10.0);
/// let split = SplitConformal::new(Level::new(0.8)?);
/// let mut calibrated = Calibrated::new(point, split, MarginUnit::Resource);
/// let samples = score_rollouts(&rollouts, tokens, &mut calibrated)?;
/// // From the fifth run on there are enough to learn from.
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
    /// Of the run that goes on: completed turns, and what the estimator gave.
    given: Vec<(usize, Interval)>,
}

impl<E: Estimator, C: OnlineCalibrator> Calibrated<E, C> {
    /// An estimator and what calibrates it, both before the first run.
    #[must_use]
    pub const fn new(estimator: E, calibrator: C, unit: MarginUnit) -> Self {
        Self { estimator, calibrator, unit, given: Vec::new() }
    }

    /// What calibrates it.
    #[must_use]
    pub const fn calibrator(&self) -> &C {
        &self.calibrator
    }

    fn unit_of(&self, interval: Interval) -> f64 {
        match self.unit {
            MarginUnit::Resource => 1.0,
            // A middle of 0 has no size: only an infinite margin helps there.
            MarginUnit::Midpoint => interval.low() / 2.0 + interval.high() / 2.0,
        }
    }

    /// The smallest margin under which the interval, once widened, holds what remained.
    fn score(&self, interval: Interval, remaining: f64) -> Result<f64, Error> {
        let distance = (interval.low() - remaining).max(remaining - interval.high());
        let mut score = match self.unit_of(interval) {
            unit if unit > 0.0 => distance / unit,
            _ if distance <= 0.0 => f64::NEG_INFINITY,
            _ => f64::INFINITY,
        };
        // Rounding can leave it a few units in the last place short. As a margin is often the score
        // of a run that was just alike, that would make a miss of what counted as held.
        let holds = |wide: Option<Interval>| wide.is_some_and(|wide| wide.contains(remaining));
        for _ in 0..8 {
            if !score.is_finite() || holds(self.widened(interval, score)?) {
                break;
            }
            score = score.next_up();
        }
        Ok(score)
    }

    fn widened(&self, interval: Interval, margin: f64) -> Result<Option<Interval>, Error> {
        if margin == f64::INFINITY {
            return Ok(Some(Interval::new(0.0, f64::MAX)?));
        }
        if margin == f64::NEG_INFINITY {
            return Ok(None);
        }
        let by = margin * self.unit_of(interval);
        let low = (interval.low() - by).max(0.0);
        let high = (interval.high() + by).min(f64::MAX);
        if low <= high { Ok(Some(Interval::new(low, high)?)) } else { Ok(None) }
    }

    /// Keeps what the estimator gave until the run has ended. Fewer turns than before are those of
    /// another run: the one before was left without an end.
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
        Ok(match self.widened(interval, self.calibrator.margin())? {
            None => Estimate::NoAnswer,
            Some(wide) if prefix.usage().left().is_some_and(|left| wide.low() > left) => {
                Estimate::Impossible
            }
            Some(wide) => Estimate::Interval(wide),
        })
    }

    fn learn(&mut self, rollout: &Rollout<'_>, resource: Resource) -> Result<(), Error> {
        // Taken out first, so that an error does not leave them to the next run.
        let given = std::mem::take(&mut self.given);
        if rollout.is_feasible()? {
            let mut scores = Vec::with_capacity(given.len());
            // After the last turn there is nothing left to estimate.
            for (turns, interval) in given.into_iter().filter(|(turns, _)| *turns < rollout.turns())
            {
                scores.push(self.score(interval, rollout.remaining(resource, turns)?)?);
            }
            self.calibrator.update(&scores);
        }
        self.estimator.learn(rollout, resource)
    }
}

/// The stored form.
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
            return Err(Error::StoredState { problem: "turns must rise, from 1 on" });
        }
        Ok(Self { estimator, calibrator, unit, given })
    }
}
