use scoring_rules::Interval;

#[cfg(feature = "serde")]
use crate::checks::stored;
use crate::{
    calibration::adaptive_conformal::AdaptiveConformal, error::Error,
    estimates::estimate::Estimate, estimators::estimator::Estimator, replay::prefix::Prefix,
    resource::Resource, rollouts::rollout::Rollout,
};

scoring_rules::checked! {
    /// Wraps an estimator, and widens or narrows its intervals to reach their nominal coverage of the remaining cost.
    /// Learns from each finished run.
    ///
    /// An interval `[low, high]` with midpoint m becomes `[low - q m, high + q m]`, with the calibrator's margin
    /// q: a margin of 0.1 is a tenth of the estimated remaining cost. A negative lower bound becomes 0. The answer is `impossible` if the lower bound exceeds the
    /// amount left under a cap. An interval without a finite upper bound, as before the first runs, becomes a
    /// missing answer. So does an interval that a negative margin reverses. Other answers do not change.
    ///
    /// The calibrator learns from runs that succeeded within their caps, at every prefix, k = 1 to T - 1,
    /// with an interval of the estimator; the coverage therefore refers to prefixes of such runs. The
    /// estimator learns from a run after the calibrator.
    ///
    /// ```
    /// use budget_estimation::{
    ///     AdaptiveConformal, Calibrated, Error, Estimate, Level, Rollouts, estimator_from_fn,
    /// };
    ///
    /// let mut rollouts = Rollouts::new(["tokens"])?;
    /// for cost in [10.0, 14.0, 11.0, 13.0, 12.0, 13.5, 12.0] {
    ///     rollouts.push(&[5.0, cost, 5.0], true)?;
    /// }
    /// let tokens = rollouts.resource("tokens")?;
    /// // Always predicts exactly 10 more tokens.
    /// let point = estimator_from_fn(|_| Estimate::interval(10.0, 10.0));
    /// let adaptive = AdaptiveConformal::new(Level::new(0.8)?, 0.001)?;
    /// let mut calibrated = Calibrated::new(point, adaptive);
    /// let samples = rollouts.score(tokens, &mut calibrated)?;
    /// // The margin is infinite for the first runs.
    /// assert_eq!(samples[1].estimate(), Estimate::NoAnswer);
    /// assert_eq!(samples[12].estimate(), Estimate::interval(1.5, 18.5)?);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// Reference: Romano, Patterson, Candès (2019), Conformalized quantile regression, NeurIPS, theorem 1.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Calibrated<E> {
        estimator: E,
        calibrator: AdaptiveConformal,
        /// For the current run: completed turns, and the interval of the estimator.
        given: Vec<(usize, Interval)>,
    }
    check: Self::check
}

impl<E: Estimator> Calibrated<E> {
    /// Combines an estimator and a calibrator. Neither may have seen a run.
    #[must_use]
    pub const fn new(estimator: E, calibrator: AdaptiveConformal) -> Self {
        Self { estimator, calibrator, given: Vec::new() }
    }

    /// Returns the calibrator, with its margin after the runs so far.
    #[must_use]
    pub const fn calibrator(&self) -> &AdaptiveConformal {
        &self.calibrator
    }

    /// Returns the smallest margin with which the interval contains the remaining cost.
    fn score(interval: Interval, remaining: f64) -> f64 {
        let distance = (interval.low() - remaining).max(remaining - interval.high());
        let mut score = match midpoint(interval) {
            unit if unit > 0.0 => distance / unit,
            // Only an infinite margin changes an interval without a size.
            _ if distance <= 0.0 => f64::NEG_INFINITY,
            _ => f64::INFINITY,
        };
        // Rounding can leave the score a few units in the last place short. The margin is often the score of
        // an equal run, and a score that is too low would turn its hit into a miss.
        for _ in 0..8 {
            let [low, high] = Self::moved(interval, score);
            if !score.is_finite() || (low <= remaining && remaining <= high) {
                break;
            }
            score = score.next_up();
        }
        score
    }

    /// Returns the bounds of an interval after moving them by a margin.
    fn moved(interval: Interval, margin: f64) -> [f64; 2] {
        // Without a product of 0 and infinity.
        let by = if margin.is_finite() { margin * midpoint(interval) } else { margin };
        [(interval.low() - by).max(0.0), interval.high() + by]
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

/// Returns the midpoint of an interval, without overflow.
fn midpoint(interval: Interval) -> f64 {
    interval.low() / 2.0 + interval.high() / 2.0
}

impl<E: Estimator> Estimator for Calibrated<E> {
    fn estimate(&mut self, prefix: &Prefix<'_>) -> Result<Estimate, Error> {
        let estimate = self.estimator.estimate(prefix)?;
        let Estimate::Interval(interval) = estimate else { return Ok(estimate) };
        self.remember(prefix.turns(), interval);
        let [low, high] = Self::moved(interval, self.calibrator.margin());
        // A negative margin can reverse an interval.
        let Ok(moved) = Interval::new(low, high) else { return Ok(Estimate::NoAnswer) };
        Ok(match Estimate::Interval(moved).collapsed(prefix.usage().left()) {
            // Without an upper bound, nothing is known about the remaining cost, even under a cap.
            Estimate::Interval(ends) if ends.high() == f64::INFINITY => Estimate::NoAnswer,
            collapsed => collapsed,
        })
    }

    fn learn(&mut self, rollout: &Rollout<'_>, resource: Resource) -> Result<(), Error> {
        // Removed first, so that an error does not leave them to the next run.
        let given = std::mem::take(&mut self.given);
        rollout.column(resource)?;
        if rollout.is_feasible()? {
            let mut scores = Vec::with_capacity(given.len());
            // An estimate after the last turn is not scored.
            for (turns, interval) in given.into_iter().filter(|(turns, _)| *turns < rollout.turns())
            {
                scores.push(Self::score(interval, rollout.remaining(resource, turns)?));
            }
            self.calibrator.update(&scores);
        }
        self.estimator.learn(rollout, resource)
    }
}

#[cfg(feature = "serde")]
impl<E> Calibrated<E> {
    fn check(&self) -> Result<(), Error> {
        let rise = self.given.is_sorted_by(|a, b| a.0 < b.0);
        let late = self.given.first().is_none_or(|(turns, _)| *turns > 0);
        stored(rise && late, "turns must rise, and begin at 1 or later")
    }
}
