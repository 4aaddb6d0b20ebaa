use std::ops::Deref;

use crate::{
    loops::{
        row_sums::{fill, sum_of_pairs},
        runs::Runs,
        step_weights::StepWeights,
    },
    values::probability::Probability,
};

/// Scores one probability forecast for the outcome that happened. Higher is better.
///
/// A rule is *proper* if no forecast has a higher expected score than the forecaster's true belief,
/// and *strictly proper* if every other forecast has a lower one. The trait cannot enforce this. All
/// rules of this crate are proper, and [`Examination::new`](crate::propriety::Examination::new) tests other rules.
///
/// Only [`score`](Self::score) must be implemented. A type that dereferences to a rule is a rule as well, such as a reference, a
/// box or an [`Arc`](std::sync::Arc). The trait can be used as an object, and [`from_fn`](crate::from_fn) makes a rule from a
/// function:
///
/// ```
/// use scoring_rules::{BrierScore, Error, LogScore, Probability, ScoringRule, from_fn};
///
/// fn main() -> Result<(), Error> {
///     let log = LogScore::exact();
///     let shared: Box<dyn ScoringRule + Send + Sync> = Box::new(BrierScore);
///     let absolute = from_fn(|p: Probability, outcome| -(p.get() - f64::from(outcome)).abs());
///     let rules: Vec<Box<dyn ScoringRule + '_>> =
///         vec![shared, Box::new(&log), Box::new(absolute)];
///
///     let forecast = Probability::new(0.75)?;
///     let scores: Vec<f64> = rules.iter().map(|rule| rule.score(forecast, true)).collect();
///     assert_eq!(scores, [-0.0625, 0.75_f64.ln(), -0.25]);
///     Ok(())
/// }
/// ```
///
/// Reference: Gneiting and Raftery (2007), Strictly proper scoring rules, prediction, and
/// estimation, doi:10.1198/016214506000001437.
pub trait ScoringRule {
    /// Returns the score of a forecast of an event; `outcome` is true if the event happened. The score must be finite or
    /// minus infinity: means and [`Examination`](crate::propriety::Examination) refuse other numbers, and single scores
    /// of runs pass them on.
    #[must_use]
    fn score(&self, forecast: Probability, outcome: bool) -> f64;

    /// Returns the score of a forecast for both outcomes: if the event does not happen, and if it happens. They are
    /// the results of [`score`](Self::score), or within 3 units in the last place of them for
    /// [`LogScore`](crate::LogScore). One call is faster than two, also of a rule that is an object.
    #[must_use]
    fn scores(&self, forecast: Probability) -> [f64; 2] {
        [self.score(forecast, false), self.score(forecast, true)]
    }

    /// Returns the expected score of the forecast p if the event has probability q: `q S(p, 1) + (1 - q) S(p, 0)`. The
    /// arguments are p (`forecast`) and q (`truth`). An outcome of probability zero does not count, even if its score
    /// is infinite.
    #[must_use]
    fn expected(&self, forecast: Probability, truth: Probability) -> f64 {
        share(truth.get(), || self.score(forecast, true))
            + share(truth.complement().get(), || self.score(forecast, false))
    }

    /// Returns the generalised entropy of the probability `truth`, which is the expected score of the truthful
    /// forecast, times -1. For the log score this is Shannon's entropy in nats.
    #[must_use]
    fn entropy(&self, truth: Probability) -> f64 {
        // A difference, so that an entropy of zero is never negative zero.
        0.0 - self.expected(truth, truth)
    }

    /// Returns the expected loss from forecasting p if the event has probability q: `expected(q, q) - expected(p, q)`.
    /// The arguments are p (`forecast`) and q (`truth`). For a proper rule it is at least 0 up to rounding; a clearly
    /// negative value shows that a rule is not proper.
    #[must_use]
    fn divergence(&self, forecast: Probability, truth: Probability) -> f64 {
        let lost = |outcome| self.score(truth, outcome) - self.score(forecast, outcome);
        share(truth.get(), || lost(true)) + share(truth.complement().get(), || lost(false))
    }

    /// Scores rows: sets `scores[i]` to the score of the forecast `forecasts[i]` for the outcome `outcomes[i]`. Stops
    /// at the end of the shortest slice.
    ///
    /// The default calls [`score`](Self::score) for each row; the rules of this crate are faster. An override must keep each
    /// score within a relative difference of 1e-12 from the default.
    fn fill_scores(&self, forecasts: &[Probability], outcomes: &[bool], scores: &mut [f64]) {
        fill(forecasts, outcomes, scores, |forecast, outcome| self.score(forecast, outcome));
    }

    /// Returns the sum of the scores in one block of up to about a thousand rows, without correcting rounding errors.
    /// Stops at the end of the shorter slice. Means such as [`mean_score`](crate::mean_score) add such blocks.
    ///
    /// The default adds [`score`](Self::score) for each row; the rules of this crate are faster. A wrapper of such a rule, for
    /// example a named type, is equally fast if it forwards this method and [`fill_scores`](Self::fill_scores):
    ///
    /// ```
    /// use scoring_rules::{Error, LogScore, Probability, ScoringRule, mean_score};
    ///
    /// struct Nats(LogScore);
    ///
    /// impl ScoringRule for Nats {
    ///     fn score(&self, forecast: Probability, outcome: bool) -> f64 {
    ///         self.0.score(forecast, outcome)
    ///     }
    ///
    ///     fn fill_scores(&self, forecasts: &[Probability], outcomes: &[bool], scores: &mut [f64]) {
    ///         self.0.fill_scores(forecasts, outcomes, scores);
    ///     }
    ///
    ///     fn sum_scores(&self, forecasts: &[Probability], outcomes: &[bool]) -> f64 {
    ///         self.0.sum_scores(forecasts, outcomes)
    ///     }
    /// }
    ///
    /// let forecasts = Probability::from_slice(&[0.9, 0.2, 0.6])?;
    /// let outcomes = [true, false, false];
    /// let mean = mean_score(&Nats(LogScore::exact()), forecasts, &outcomes, None)?;
    /// assert_eq!(mean, mean_score(&LogScore::exact(), forecasts, &outcomes, None)?);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    fn sum_scores(&self, forecasts: &[Probability], outcomes: &[bool]) -> f64 {
        sum_of_pairs(forecasts, outcomes, |forecast, outcome| self.score(forecast, outcome))
    }

    /// Returns the weighted sum of [`score`](Self::score) over the steps of one run, like
    /// [`weighted_sums`](Self::weighted_sums) for several runs.
    #[doc(hidden)]
    fn weighted_sum(&self, steps: &[Probability], outcome: bool, weights: StepWeights) -> f64 {
        let (mut sum, end) = ([0.0], steps.len());
        self.weighted_sums(Runs::one(steps, &end, &outcome), weights, &mut sum);
        sum[0]
    }

    /// Sets `sums[i]` to the weighted sum of [`score`](Self::score) over the steps of run i, within a relative difference of
    /// 1e-12. Stops at the end of the shorter of `sums` and the runs. An infinite score makes a sum infinite.
    #[doc(hidden)]
    fn weighted_sums(&self, runs: Runs<'_>, weights: StepWeights, sums: &mut [f64]) {
        for (sum, (start, end, outcome)) in sums.iter_mut().zip(runs.iter()) {
            *sum = weights.sum(&runs.forecasts[start..end], |p| self.score(p, outcome));
        }
    }
}

impl<P: Deref<Target: ScoringRule>> ScoringRule for P {
    #[inline]
    fn score(&self, forecast: Probability, outcome: bool) -> f64 {
        (**self).score(forecast, outcome)
    }

    #[inline]
    fn scores(&self, forecast: Probability) -> [f64; 2] {
        (**self).scores(forecast)
    }

    #[inline]
    fn expected(&self, forecast: Probability, truth: Probability) -> f64 {
        (**self).expected(forecast, truth)
    }

    #[inline]
    fn entropy(&self, truth: Probability) -> f64 {
        (**self).entropy(truth)
    }

    #[inline]
    fn divergence(&self, forecast: Probability, truth: Probability) -> f64 {
        (**self).divergence(forecast, truth)
    }

    #[inline]
    fn fill_scores(&self, forecasts: &[Probability], outcomes: &[bool], scores: &mut [f64]) {
        (**self).fill_scores(forecasts, outcomes, scores);
    }

    #[inline]
    fn sum_scores(&self, forecasts: &[Probability], outcomes: &[bool]) -> f64 {
        (**self).sum_scores(forecasts, outcomes)
    }

    #[inline]
    fn weighted_sum(&self, steps: &[Probability], outcome: bool, weights: StepWeights) -> f64 {
        (**self).weighted_sum(steps, outcome, weights)
    }

    #[inline]
    fn weighted_sums(&self, runs: Runs<'_>, weights: StepWeights, sums: &mut [f64]) {
        (**self).weighted_sums(runs, weights, sums);
    }
}

/// `weight * value()`, and 0 for a weight of 0 even if the value is infinite.
fn share(weight: f64, value: impl FnOnce() -> f64) -> f64 {
    if weight == 0.0 { 0.0 } else { weight * value() }
}
