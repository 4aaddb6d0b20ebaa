use scoring_rules::{ExactMean, Weight};

use crate::{
    error::Error,
    metrics::{
        one_resource::OneResource,
        tally::{add_to_means, finish_means, merge_means},
    },
    replay::sample::Sample,
};

/// Compares the midpoint of each interval with linear extrapolation, `(C_k / k) T - C_k`, by their
/// absolute errors.
///
/// Counts feasible samples that have an interval and at least one completed turn; all other samples
/// are ignored. The extrapolation uses the number of turns T of the finished run, which no estimator
/// knows, so it is a strong reference. Parts can be merged in any order.
///
/// ```
/// use budget_estimation::{Error, Estimate, LinearComparison, Rollouts, Sample};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
///
/// let mut comparison = LinearComparison::default();
/// // After turn 1, 100 remain. Two more turns of 50 make 100; the midpoint is 90.
/// comparison.update(&Sample::new(&rollout, tokens, 1, Estimate::interval(80.0, 100.0)?)?)?;
/// // After turn 2, 80 remain. One more turn of 35 makes 35; the midpoint is 75.
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
    /// Errors of the midpoint, errors of the extrapolation, and the second less the first.
    errors: [ExactMean; 3],
}

/// The gain of an estimator over linear extrapolation, from [`LinearComparison`].
///
/// ```
/// use budget_estimation::{Error, Estimate, LinearComparison, Rollouts, Sample};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
///
/// // After turn 1, 100 remain, which is exactly what the extrapolation gives.
/// let mut comparison = LinearComparison::default();
/// comparison.update(&Sample::new(&rollout, tokens, 1, Estimate::interval(80.0, 100.0)?)?)?;
/// let summary = comparison.finish()?;
/// assert_eq!((summary.estimate_error, summary.linear_error), (10.0, 0.0));
/// assert_eq!((summary.reduction, summary.relative_reduction), (-10.0, None));
/// # Ok::<(), Error>(())
/// ```
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

impl Sample {
    /// Absolute error of linear extrapolation (which knows T) minus that of the midpoint; positive if
    /// the midpoint is closer to what remained. `None` without an interval and for k = 0.
    #[must_use]
    pub fn linear_error_reduction(&self) -> Option<f64> {
        self.absolute_errors().map(|[estimate, linear]| linear - estimate)
    }

    /// Absolute errors of the midpoint and of the extrapolation.
    #[inline]
    fn absolute_errors(&self) -> Option<[f64; 2]> {
        let (ends, linear) = (self.estimate().ends()?, self.linear_reference()?);
        let midpoint = ends.low() + (ends.high() - ends.low()) / 2.0;
        Some([midpoint, linear].map(|value| (value - self.remaining()).abs()))
    }
}

impl LinearComparison {
    /// Adds one sample.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] if the error of the midpoint, times the weight, overflows;
    /// [`Error::MixedResources`] if earlier samples have another resource. The sample is not added.
    #[inline]
    pub fn update(&mut self, sample: &Sample) -> Result<(), Error> {
        self.update_weighted(sample, Weight::ONE)
    }

    /// Adds one sample with a weight.
    ///
    /// # Errors
    ///
    /// As [`LinearComparison::update`].
    #[inline(always)]
    pub fn update_weighted(&mut self, sample: &Sample, weight: Weight) -> Result<(), Error> {
        if weight == Weight::ZERO {
            return Ok(());
        }
        let errors = sample.absolute_errors().filter(|_| sample.is_feasible());
        let Some([estimate, linear]) = errors else { return self.resource.update(sample) };
        sample.check_size(&[estimate, linear], weight)?;
        self.resource.update(sample)?;
        add_to_means(&mut self.errors, [estimate, linear, linear - estimate], weight)
    }

    /// Adds all samples of `other`.
    ///
    /// # Errors
    ///
    /// [`Error::MixedResources`] if the two have samples of different resources.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        self.resource.merge(other.resource)?;
        merge_means(&mut self.errors, &other.errors);
        Ok(())
    }

    /// The comparison over all samples so far.
    ///
    /// # Errors
    ///
    /// [`Error::Undefined`] without a feasible sample of positive weight that has an interval.
    pub fn finish(&self) -> Result<LinearSummary, Error> {
        let [Some(estimate_error), Some(linear_error), Some(reduction)] =
            finish_means(&self.errors)
        else {
            let reason = "no feasible sample has an interval";
            return Err(Error::Undefined { name: "the comparison with extrapolation", reason });
        };
        let relative_reduction = (linear_error > 0.0).then(|| reduction / linear_error);
        Ok(LinearSummary { estimate_error, linear_error, reduction, relative_reduction })
    }
}
