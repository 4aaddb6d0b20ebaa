use scoring_rules::Weight;

use crate::{checks::setting, error::Error, estimates::estimate::Estimate, replay::sample::Sample};

impl Estimate {
    /// Returns the interval reward of an estimate `[lo, hi]`, `S_k = 1[lo <= R <= hi] max(0, 1 - (hi - lo) / R)`,
    /// where R is the remaining cost. The reward is 0 for any estimate other than an interval.
    ///
    /// In [0, 1], higher is better; defined for runs that succeeded. **Not proper**: an estimator gains by
    /// hiding its uncertainty about the remaining cost. Also report the proper
    /// [`interval_loss`](scoring_rules::interval_loss).
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] unless R is above 0 and finite.
    ///
    /// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, section 3.3, equation 4.
    ///
    /// The reward compared with the proper loss: half of all runs still spend 100, and half spend 300.
    /// The honest interval covers both and earns less than the interval that pretends to know:
    ///
    /// ```
    /// use budget_estimation::{Error, Estimate};
    /// use scoring_rules::{Interval, Level, Observed, interval_loss};
    ///
    /// let honest = Interval::new(100.0, 300.0)?;
    /// let pretended = Interval::new(100.0, 100.0)?;
    ///
    /// let (mut rewards, mut losses) = ([0.0; 2], [0.0; 2]);
    /// for remaining in [100.0, 300.0] {
    ///     for (i, interval) in [honest, pretended].into_iter().enumerate() {
    ///         rewards[i] += Estimate::Interval(interval).interval_reward(remaining)? / 2.0;
    ///         let outcome = Observed::exact(remaining)?;
    ///         losses[i] += interval_loss(interval, outcome, Level::new(0.8)?) / 2.0;
    ///     }
    /// }
    /// let [honest, pretended] = rewards;
    /// assert!((honest - 1.0 / 6.0).abs() < 1e-15 && pretended == 0.5);
    /// // The proper loss: 200 for the honest interval, 1000 for the other.
    /// let [honest, pretended] = losses;
    /// assert!((honest - 200.0).abs() < 1e-9 && (pretended - 1000.0).abs() < 1e-9);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn interval_reward(self, remaining: f64) -> Result<f64, Error> {
        let valid = remaining > 0.0 && remaining < f64::INFINITY;
        setting("remaining amount", remaining, valid, "above 0 and finite")?;
        Ok(reward(self, remaining))
    }
}

/// [`Estimate::interval_reward`] of a remaining amount that is above 0 and finite.
#[inline]
pub(crate) fn reward(estimate: Estimate, remaining: f64) -> f64 {
    match estimate.ends() {
        Some(ends) if ends.contains(remaining) => (1.0 - ends.width() / remaining).max(0.0),
        _ => 0.0,
    }
}

/// The direction in which an interval misses the remaining cost.
///
/// ```
/// use budget_estimation::{Error, Estimate, Miss, Rollouts, Sample};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
///
/// let miss = |low, high| -> Result<_, Error> {
///     Ok(Sample::new(&rollout, tokens, 1, Estimate::interval(low, high)?)?.miss())
/// };
/// assert_eq!(miss(10.0, 99.0)?, Some(Miss::Optimistic));
/// assert_eq!(miss(101.0, 300.0)?, Some(Miss::Conservative));
/// assert_eq!(miss(10.0, 300.0)?, None);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Miss {
    /// The interval lies below the remaining cost: the run cost more than predicted.
    Optimistic,
    /// The interval lies above the remaining cost: the run cost less than predicted.
    Conservative,
}

impl Sample {
    /// Returns the direction in which the interval misses the remaining cost; `None` if the interval contains it, or if
    /// the estimate is not an interval.
    #[must_use]
    #[inline]
    pub fn miss(&self) -> Option<Miss> {
        let ends = self.estimate().ends()?;
        if ends.high() < self.remaining() {
            Some(Miss::Optimistic)
        } else if ends.low() > self.remaining() {
            Some(Miss::Conservative)
        } else {
            None
        }
    }

    /// Returns an error unless each value times the weight is finite.
    #[inline]
    pub(crate) fn check_size(&self, values: &[f64], weight: Weight) -> Result<(), Error> {
        if values.iter().all(|value| (value * weight.get()).is_finite()) {
            Ok(())
        } else {
            Err(self.problem("the interval is too large; its error overflows"))
        }
    }
}
