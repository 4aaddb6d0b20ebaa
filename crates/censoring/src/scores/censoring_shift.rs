use scoring_rules::{CompensatedSum, Probability};
use trajectory_metrics::{ScoringRule, Tps, Trace};

use crate::{
    checks::{can_be_averaged, too_large},
    error::Error,
    stops::stopped::split,
};

/// The change of a run's score if its outcome is hidden, in two parts. Made by [`CensoringShift::new`].
///
/// Both parts are in the units of the rule.
///
/// ```
/// use censoring::{Error, Probability, Tps, Trace, WeightSchedule, CensoringShift, from_fn};
///
/// let brier = from_fn(|p: Probability, y: bool| -(p.get() - f64::from(y)).powi(2));
/// let tps = Tps::new(brier, WeightSchedule::Uniform);
/// let trace = Trace::new(Probability::from_slice(&[0.75, 0.5])?, true)?;
/// let shift = CensoringShift::new(&tps, trace, 1)?;
/// assert_eq!((shift.prefix_swap, shift.tail_omission), (-0.25, 0.125));
/// assert_eq!(shift.total(), -0.125);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CensoringShift {
    /// The change because the steps up to the stop are scored as steps of a failure. It is 0 for a failure; for a
    /// success, it is positive under the log and Brier rules if forecasts are below 1/2.
    pub prefix_swap: f64,
    /// The change because the steps after the stop are left out. It is at least 0 for a rule whose scores are at most
    /// 0, and 0 for a stop at the last step.
    pub tail_omission: f64,
}

impl CensoringShift {
    /// Computes, in closed form, the score that a complete run would have if it were cut off after step `stop` and
    /// scored as a failure, minus its complete score.
    ///
    /// ```text
    /// prefix swap    sum over t = 1..Z of w_t (S(F_t, 0) - S(F_t, Y))
    /// tail omission  - sum over t = Z+1..T of w_t S(F_t, Y)
    /// ```
    ///
    /// Their sum is [`simple_score`](crate::simple_score()) of the
    /// [`Stopped::with_hidden_outcome`](crate::Stopped::with_hidden_outcome) minus [`Tps::score`] of the trace, up to rounding. It
    /// can have either sign, so the simple score is not a lower bound.
    ///
    /// The outcome must be known: the shift is a check of a score on complete runs, not a score itself.
    /// Cost: one or two scores per step.
    ///
    /// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
    /// quantification, arXiv:2605.24756, appendix I.1.
    ///
    /// # Errors
    ///
    /// [`Error::TrajectoryMetrics`] unless the stop is from 1 to the length of the trace, and if there are
    /// fewer custom weights than steps; [`scoring_rules::Error::Entry`] with the first step whose score is not from
    /// -1e100 to 1e100.
    ///
    /// ```
    /// use censoring::{Error, Probability, Tps, Trace, WeightSchedule, CensoringShift, from_fn};
    ///
    /// let brier = from_fn(|p: Probability, y: bool| -(p.get() - f64::from(y)).powi(2));
    /// let tps = Tps::new(brier, WeightSchedule::Uniform);
    /// let forecasts = Probability::from_slice(&[0.25, 0.5])?;
    /// let shift = CensoringShift::new(&tps, Trace::new(forecasts, true)?, 1)?;
    /// // Step 1 has a score of -1/16 instead of -9/16, and step 2 has none instead of -1/4. Each has a
    /// // weight of 1/2.
    /// assert_eq!((shift.prefix_swap, shift.tail_omission), (0.25, 0.125));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new<R: ScoringRule>(tps: &Tps<R>, trace: Trace<'_>, stop: usize) -> Result<Self, Error> {
        let (seen, unseen) = split(trace, stop)?;
        let weights = tps.schedule.weights(trace.forecasts().len())?;
        let score = |i: usize, forecast: Probability, outcome: bool| {
            let value = tps.rule.score(forecast, outcome);
            if can_be_averaged(value) {
                Ok(value)
            } else {
                Err(too_large("score of step", i + 1, value))
            }
        };
        let mut swap = CompensatedSum::default();
        for (i, (&forecast, weight)) in seen.iter().zip(&weights).enumerate() {
            let as_failure = score(i, forecast, false)?;
            if trace.outcome() {
                swap.add(weight * (as_failure - score(i, forecast, true)?));
            }
        }
        let mut tail = CompensatedSum::default();
        for (i, (&forecast, weight)) in unseen.iter().zip(&weights[stop..]).enumerate() {
            tail.add(weight * score(stop + i, forecast, trace.outcome())?);
        }
        // 0 - 0 is 0, and not negative zero.
        Ok(Self { prefix_swap: swap.value(), tail_omission: 0.0 - tail.value() })
    }

    /// Returns the sum of both parts, which is the whole change of the score.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.prefix_swap + self.tail_omission
    }
}
