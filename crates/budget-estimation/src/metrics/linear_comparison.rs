use scoring_rules::{ExactMean, Weight};

use crate::{
    error::Error,
    metrics::{
        one_resource::OneResource,
        tally::{mean, take},
    },
    replay::sample::Sample,
};

/// The error of the middle of an interval against that of linear extrapolation,
/// `(C_k / k) T - C_k`, on the same prefixes.
///
/// Over feasible samples with an interval after at least one turn; all others are passed over. The
/// extrapolation knows T: a hard reference to beat, which no estimator can be. Parts can be merged
/// in any order.
///
/// ```
/// use budget_estimation::{Error, Estimate, LinearComparison, Rollouts, Sample};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
///
/// let mut comparison = LinearComparison::default();
/// // 100 remain after one turn; two more like it would be 100, the middle is 90.
/// comparison.update(&Sample::new(&rollout, tokens, 1, Estimate::interval(80.0, 100.0)?)?)?;
/// // 80 remain after two; one more like these would be 35, the middle is 75.
/// comparison.update(&Sample::new(&rollout, tokens, 2, Estimate::interval(70.0, 80.0)?)?)?;
/// let summary = comparison.finish()?;
/// assert_eq!((summary.estimate_error, summary.linear_error), (7.5, 22.5));
/// assert_eq!((summary.reduction, summary.relative_reduction), (15.0, Some(15.0 / 22.5)));
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, section 4.1 and figure 4.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct LinearComparison {
    resource: OneResource,
    estimate: ExactMean,
    linear: ExactMean,
    reduction: ExactMean,
}

/// What an estimator gains over linear extrapolation, from [`LinearComparison`].
///
/// ```
/// use budget_estimation::{Error, Estimate, LinearComparison, Rollouts, Sample};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
///
/// // 100 remain after one turn; two more like it would be just these.
/// let mut comparison = LinearComparison::default();
/// comparison.update(&Sample::new(&rollout, tokens, 1, Estimate::interval(80.0, 100.0)?)?)?;
/// let summary = comparison.finish()?;
/// assert_eq!((summary.estimate_error, summary.linear_error), (10.0, 0.0));
/// assert_eq!((summary.reduction, summary.relative_reduction), (-10.0, None));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct LinearSummary {
    /// Mean absolute error of the middles, in units of the resource.
    pub estimate_error: f64,
    /// Mean absolute error of the extrapolation.
    pub linear_error: f64,
    /// Mean paired difference, extrapolation minus middle: positive where the estimator is closer.
    pub reduction: f64,
    /// The reduction over the error of the extrapolation, at most 1; none where that is 0.
    pub relative_reduction: Option<f64>,
}

impl Sample {
    /// By how much the middle of the interval is closer to what remained than linear extrapolation
    /// that knows T: the difference of the absolute errors. None without an interval and for k = 0.
    #[must_use]
    pub fn linear_error_reduction(&self) -> Option<f64> {
        self.absolute_errors().map(|[estimate, linear]| linear - estimate)
    }

    /// Of the middle of the interval, and of the extrapolation.
    #[inline]
    fn absolute_errors(&self) -> Option<[f64; 2]> {
        let (ends, linear) = (self.estimate().ends()?, self.linear_reference()?);
        let middle = ends.low() + (ends.high() - ends.low()) / 2.0;
        Some([middle, linear].map(|value| (value - self.remaining()).abs()))
    }
}

impl LinearComparison {
    /// Takes in one sample.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] for an interval so large that its error is no number;
    /// [`Error::MixedResources`] for a sample of another resource than earlier ones.
    #[inline]
    pub fn update(&mut self, sample: &Sample) -> Result<(), Error> {
        self.add(sample, Weight::ONE)
    }

    /// Takes in one sample of the given weight.
    ///
    /// # Errors
    ///
    /// As [`LinearComparison::update`].
    pub fn update_weighted(&mut self, sample: &Sample, weight: Weight) -> Result<(), Error> {
        self.add(sample, weight)
    }

    #[inline]
    pub(crate) fn add(&mut self, sample: &Sample, weight: Weight) -> Result<(), Error> {
        if weight != Weight::ZERO {
            self.resource.check(sample)?;
        }
        let errors =
            sample.absolute_errors().filter(|_| sample.is_feasible() && weight != Weight::ZERO);
        let Some([estimate, linear]) = errors else {
            return Ok(());
        };
        if !(estimate.is_finite() && linear.is_finite()) {
            return Err(sample.too_large());
        }
        self.resource.take(sample);
        take(&mut self.estimate, estimate, weight)?;
        take(&mut self.linear, linear, weight)?;
        take(&mut self.reduction, linear - estimate, weight)
    }

    /// Takes in everything that `other` has.
    ///
    /// # Errors
    ///
    /// [`Error::MixedResources`] if their samples are of different resources.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        self.resource.merge(other.resource)?;
        self.estimate.merge(&other.estimate);
        self.linear.merge(&other.linear);
        self.reduction.merge(&other.reduction);
        Ok(())
    }

    /// The comparison over all samples so far.
    ///
    /// # Errors
    ///
    /// [`Error::NoFeasibleSample`] without a feasible sample of positive weight that has an
    /// interval.
    pub fn finish(&self) -> Result<LinearSummary, Error> {
        let of = |part: &ExactMean| mean(part).ok_or(Error::NoFeasibleSample);
        let (estimate_error, linear_error) = (of(&self.estimate)?, of(&self.linear)?);
        let reduction = of(&self.reduction)?;
        let relative_reduction = (linear_error > 0.0).then(|| reduction / linear_error);
        Ok(LinearSummary { estimate_error, linear_error, reduction, relative_reduction })
    }
}
