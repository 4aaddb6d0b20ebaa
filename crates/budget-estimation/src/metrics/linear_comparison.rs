use scoring_rules::ExactMean;

use crate::{metrics::tally::finish_means, replay::sample::Sample};

/// The midpoint of each interval compared with linear extrapolation, `(C_k / k) T - C_k`, by their absolute errors,
/// from [`Metrics`](crate::Metrics).
///
/// Counts feasible samples that have an interval and at least one completed turn. The extrapolation uses the
/// number of turns T of the finished run, which no estimator knows, so it is a strong reference.
///
/// ```
/// use budget_estimation::{Error, Estimate, Metrics, Rollouts, Sample};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
///
/// let mut metrics = Metrics::new();
/// // After turn 1, 100 remain. Two more turns of 50 make 100; the midpoint is 90.
/// metrics.update(&Sample::new(&rollout, tokens, 1, Estimate::interval(80.0, 100.0)?)?)?;
/// // After turn 2, 80 remain. One more turn of 35 makes 35; the midpoint is 75.
/// metrics.update(&Sample::new(&rollout, tokens, 2, Estimate::interval(70.0, 80.0)?)?)?;
/// let summary = metrics.finish()?.linear.ok_or(scoring_rules::Error::Empty)?;
/// assert_eq!((summary.estimate_error, summary.linear_error), (7.5, 22.5));
/// assert_eq!((summary.reduction, summary.relative_reduction), (15.0, Some(15.0 / 22.5)));
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, section 4.1 and figure 4.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct LinearSummary {
    /// Mean absolute error of the midpoints, in units of the resource.
    pub estimate_error: f64,
    /// Mean absolute error of the extrapolation.
    pub linear_error: f64,
    /// Mean paired difference, extrapolation minus midpoint; positive if the estimator is closer.
    pub reduction: f64,
    /// The reduction divided by the error of the extrapolation, at most 1; `None` if that error is 0.
    pub relative_reduction: Option<f64>,
}

impl LinearSummary {
    /// Takes the errors of the midpoint, the errors of the extrapolation, and the second minus the first; `None` if
    /// no sample counts.
    pub(super) fn new(errors: &[ExactMean; 3]) -> Option<Self> {
        let [estimate_error, linear_error, reduction] = finish_means(errors);
        let (estimate_error, linear_error, reduction) =
            (estimate_error?, linear_error?, reduction?);
        let relative_reduction = (linear_error > 0.0).then(|| reduction / linear_error);
        Some(Self { estimate_error, linear_error, reduction, relative_reduction })
    }
}

impl Sample {
    /// Absolute error of the extrapolation.
    #[inline]
    pub(super) fn linear_error(&self) -> Option<f64> {
        Some((self.linear_reference()? - self.remaining()).abs())
    }
}
