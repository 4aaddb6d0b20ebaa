use crate::{
    Probability, Runs, StepWeights,
    rows::mean_score::{fill, sum_of_pairs},
};

/// Anything that scores one forecast against what happened. Higher is better.
///
/// A rule is *proper* when nobody can expect a better score than by reporting what they believe,
/// and *strictly* proper when every other report is expected to score worse. The trait cannot
/// demand this; the rules of this crate have it.
///
/// Closures implement the trait, so any function is a rule:
///
/// ```
/// use scoring_rules::{Probability, ScoringRule, StepWeights};
///
/// let quadratic = |p: Probability, outcome: bool| {
///     let y = f64::from(outcome);
///     -(p.get() - y) * (p.get() - y)
/// };
/// let p = Probability::new(0.8)?;
/// assert_eq!(quadratic.score(Probability::HALF, true), -0.25);
///
/// // What a report of 0.8 is expected to score and to lose where the truth is one half.
/// assert!((quadratic.expected(p, Probability::HALF) + 0.34).abs() < 1e-15);
/// assert_eq!(quadratic.entropy(Probability::HALF), 0.25);
/// assert!((quadratic.divergence(p, Probability::HALF) - 0.09).abs() < 1e-15);
///
/// // Many rows, and all steps of a run that succeeded.
/// let (forecasts, outcomes) = ([Probability::HALF, Probability::ONE], [true, false]);
/// let mut scores = [0.0; 2];
/// quadratic.fill_scores(&forecasts, &outcomes, &mut scores);
/// assert_eq!(scores, [-0.25, -1.0]);
/// assert_eq!(quadratic.sum_scores(&forecasts, &outcomes), -1.25);
/// assert_eq!(quadratic.weighted_sum(&forecasts, true, StepWeights::Falling), -0.5);
/// # Ok::<(), scoring_rules::Error>(())
/// ```
///
/// Because closures are rules, a reference to a rule cannot be one by itself; where a function
/// wants a rule by value, hand on `|p, outcome| rule.score(p, outcome)`. The trait can be made an
/// object.
///
/// Reference: Gneiting and Raftery (2007), Strictly proper scoring rules, prediction, and
/// estimation, doi:10.1198/016214506000001437.
pub trait ScoringRule {
    /// The score of `forecast`, the probability given to the event, once it is known whether the
    /// event happened.
    #[must_use]
    fn score(&self, forecast: Probability, outcome: bool) -> f64;

    /// What `forecast` is expected to score where the event has probability `truth`:
    /// `q S(p, 1) + (1 - q) S(p, 0)`. An outcome of probability zero does not count, even where
    /// its score is infinite.
    #[must_use]
    fn expected(&self, forecast: Probability, truth: Probability) -> f64 {
        share(truth.get(), || self.score(forecast, true))
            + share(truth.complement().get(), || self.score(forecast, false))
    }

    /// The generalised entropy of `truth`: minus what the truthful forecast is expected to score.
    /// For the log score this is Shannon's entropy in nats.
    #[must_use]
    fn entropy(&self, truth: Probability) -> f64 {
        // A difference, so that no uncertainty is plain zero and not negative zero.
        0.0 - self.expected(truth, truth)
    }

    /// What is lost, on average, by reporting `forecast` where `truth` holds:
    /// `expected(q, q) - expected(p, q)`. Never negative for a proper rule, but for rounding; a
    /// negative value shows that a rule of your own is not proper.
    #[must_use]
    fn divergence(&self, forecast: Probability, truth: Probability) -> f64 {
        let lost = |outcome| self.score(truth, outcome) - self.score(forecast, outcome);
        share(truth.get(), || lost(true)) + share(truth.complement().get(), || lost(false))
    }

    /// Scores rows: `scores[i]` becomes the score of `forecasts[i]` with `outcomes[i]`. Stops at
    /// the end of the shortest; [`score_slice`](crate::score_slice) checks the lengths.
    ///
    /// Overridden where many rows together are faster than one after the other. An override keeps
    /// each score within 1e-12 relative.
    fn fill_scores(&self, forecasts: &[Probability], outcomes: &[bool], scores: &mut [f64]) {
        fill(forecasts, outcomes, scores, |forecast, outcome| self.score(forecast, outcome));
    }

    /// The sum of the scores of one block of rows: of up to about a thousand, as it is not
    /// compensated. [`mean_score`](crate::mean_score) adds up blocks. Stops at the end of the
    /// shorter of the two.
    ///
    /// An override keeps the result within 1e-12 relative of the plain sum.
    #[must_use]
    fn sum_scores(&self, forecasts: &[Probability], outcomes: &[bool]) -> f64 {
        sum_of_pairs(forecasts, outcomes, |forecast, outcome| self.score(forecast, outcome))
    }

    /// The weighted sum of the scores of several forecasts of one outcome.
    ///
    /// A rule overrides this where it knows a faster way than one score at a time. An override
    /// keeps the result within 1e-12 relative of the plain sum.
    #[must_use]
    fn weighted_sum(&self, forecasts: &[Probability], outcome: bool, weights: StepWeights) -> f64 {
        weights.sum(forecasts, |forecast| self.score(forecast, outcome))
    }

    /// The same for many runs at once: `sums[i]` becomes the sum of run i, to the bit that of
    /// [`Self::weighted_sum`]. Stops at the end of the shorter of the two.
    ///
    /// Overridden where several runs together are faster than one after the other.
    fn weighted_sums(&self, runs: Runs<'_>, weights: StepWeights, sums: &mut [f64]) {
        for (sum, (start, end, outcome)) in sums.iter_mut().zip(runs.iter()) {
            *sum = self.weighted_sum(&runs.forecasts()[start..end], outcome, weights);
        }
    }
}

impl<F: Fn(Probability, bool) -> f64> ScoringRule for F {
    #[inline]
    fn score(&self, forecast: Probability, outcome: bool) -> f64 {
        self(forecast, outcome)
    }
}

/// `weight * value()`, where no weight means no contribution whatever the value.
fn share(weight: f64, value: impl FnOnce() -> f64) -> f64 {
    if weight == 0.0 { 0.0 } else { weight * value() }
}
