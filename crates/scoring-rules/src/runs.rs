//! Weighted sums of scores over the steps of a run, for many runs under one rule.
//!
//! Whole-number weights have shortcuts that the rules of this crate use: the log score takes one logarithm
//! per run. Other rules are scored step by step.

pub use crate::loops::{runs::Runs, step_weights::StepWeights};
use crate::{rule::ScoringRule, values::probability::Probability};

/// Returns the weighted sum of [`ScoringRule::score`] over the steps of one run, within a relative
/// difference of 1e-12. An infinite score makes the sum infinite.
///
/// ```
/// use scoring_rules::{BrierScore, Probability, runs::{StepWeights, weighted_sum}};
///
/// let steps = Probability::from_slice(&[0.5, 1.0])?;
/// assert_eq!(weighted_sum(&BrierScore, steps, true, StepWeights::Falling), -0.5);
/// # Ok::<(), scoring_rules::Error>(())
/// ```
#[must_use]
#[inline]
pub fn weighted_sum<R: ScoringRule + ?Sized>(
    rule: &R,
    steps: &[Probability],
    outcome: bool,
    weights: StepWeights,
) -> f64 {
    rule.weighted_sum(steps, outcome, weights)
}
