use scoring_rules::{Interval, Level, Weight};

use crate::{
    checks::{at_least_two, bounded, finite, same_length, setting},
    error::Error,
    no_interval::NoInterval,
    numerics::students_t::two_sided_quantile,
    resampling::{arm::Arm, clustered_rows::ClusteredRows},
};

/// An estimate with a cluster-robust standard error, which does not assume that rows of one cluster
/// are independent.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ClusterEstimate {
    /// The estimate.
    pub estimate: f64,
    /// The standard error, in the unit of the estimate. It is 0 if it is below 1e-14 of the size of
    /// the values, which is no more than rounding.
    pub standard_error: f64,
    /// Number of clusters with a row of positive weight.
    pub clusters: usize,
}

impl ClusterEstimate {
    /// The (weighted) mean of values, with its cluster-robust standard error.
    ///
    /// With G clusters, the standard error is the square root of `G / (G - 1)` times the sum over
    /// clusters of `(sum of w (v - mean))^2`, divided by the sum of w. If every row is its own cluster
    /// and weights are equal, this is the sample standard deviation divided by the square root of n. To
    /// compare two streams on the same rows, pass the differences as values.
    ///
    /// Reliable with many clusters, about 40; with few, use
    /// [`SignFlipTest::new`](crate::SignFlipTest::new).
    ///
    /// Cost: one sort.
    ///
    /// Reference: Cameron and Miller (2015), A practitioner's guide to cluster-robust inference,
    /// doi:10.3368/jhr.50.2.317.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] unless clusters, and weights if given, have one entry per row;
    /// [`scoring_rules::Error::Entry`] for a value outside [-1e100, 1e100];
    /// [`scoring_rules::Error::Empty`] if no row has positive weight; [`Error::ScoringRules`] with
    /// fewer than two clusters.
    ///
    /// ```
    /// use trajectory_metrics::{ClusterEstimate, Error};
    ///
    /// let scores = [1.0, 2.0, 3.0, 6.0];
    /// let rows = ClusterEstimate::mean(&scores, None, &[0, 1, 2, 3])?;
    /// assert!((rows.standard_error - (14.0 / 3.0 / 4.0_f64).sqrt()).abs() < 1e-15);
    /// let tasks = ClusterEstimate::mean(&scores, None, &["a", "a", "b", "b"])?;
    /// assert_eq!((tasks.estimate, tasks.standard_error, tasks.clusters), (3.0, 1.5, 2));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn mean<G: Ord>(
        values: &[f64],
        weights: Option<&[Weight]>,
        clusters: &[G],
    ) -> Result<Self, Error> {
        let rows = ClusteredRows::new(values.len(), weights, clusters)?;
        bounded("value", values)?;
        let total = rows.total(|_| true)?;
        let mean = rows.mean(values, total, |_| true);
        let size = rows.sum(|i| values[i].abs()) / total;
        linearized(&rows, mean, size, |i| (values[i] - mean) / total)
    }

    /// The ratio of two (weighted) sums, `sum of w y / sum of w x`, with its cluster-robust standard
    /// error by linearization: the standard error of the mean of `y - ratio x`, divided by the mean of
    /// x.
    ///
    /// For rates whose denominators vary from row to row, such as errors per step.
    ///
    /// Reference: Binder (1983), On the variances of asymptotically normal estimators from complex
    /// surveys, doi:10.2307/1402588.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::mean`]; [`scoring_rules::Error::Setting`] if the denominators sum to 0;
    /// [`Error::ScoringRules`] if the ratio or its standard error overflows.
    ///
    /// ```
    /// use trajectory_metrics::{ClusterEstimate, Error};
    ///
    /// let (wrong, steps) = ([1.0, 0.0, 3.0], [10.0, 5.0, 25.0]);
    /// let rate = ClusterEstimate::ratio(&wrong, &steps, None, &["a", "b", "c"])?;
    /// assert_eq!(rate.estimate, 0.1);
    /// // Residuals 0, -0.5 and 0.5 over 40 steps.
    /// assert!((rate.standard_error - (1.5 * 0.5_f64).sqrt() / 40.0).abs() < 1e-15);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn ratio<G: Ord>(
        numerators: &[f64],
        denominators: &[f64],
        weights: Option<&[Weight]>,
        clusters: &[G],
    ) -> Result<Self, Error> {
        let rows = ClusteredRows::new(numerators.len(), weights, clusters)?;
        same_length("denominators", numerators.len(), denominators.len())?;
        bounded("numerator", numerators)?;
        bounded("denominator", denominators)?;
        rows.total(|_| true)?;
        let below = rows.sum(|i| denominators[i]);
        setting("sum of denominators", below, below != 0.0, "other than 0")?;
        let ratio = rows.sum(|i| numerators[i]) / below;
        let size_of = |values: &[f64]| rows.sum(|i| values[i].abs()) / below.abs();
        let size = size_of(numerators) + ratio.abs() * size_of(denominators);
        linearized(&rows, ratio, size, |i| (numerators[i] - ratio * denominators[i]) / below)
    }

    /// The (weighted) mean of the rows of the second arm minus the mean of those of the first, with its
    /// cluster-robust standard error by linearization. A cluster may contain rows of both arms.
    ///
    /// For two agents on the same tasks: the arm of a row is its agent. The small-sample factor is `G / (G - 1)` over all clusters.
    ///
    /// Reference: the reference of [`Self::ratio`].
    ///
    /// # Errors
    ///
    /// The errors of [`Self::mean`]; [`scoring_rules::Error::Length`] unless there is one arm per
    /// row; [`scoring_rules::Error::Empty`] unless both arms have a row of positive weight.
    ///
    /// ```
    /// use trajectory_metrics::{Arm, ClusterEstimate, Error};
    ///
    /// let scores = [0.2, 0.4, 0.5, 0.7];
    /// let arms = [Arm::First, Arm::Second, Arm::First, Arm::Second];
    /// // The second agent gains 0.2 on both tasks.
    /// let gain = ClusterEstimate::difference(&scores, &arms, None, &["a", "a", "b", "b"])?;
    /// assert!((gain.estimate - 0.2).abs() < 1e-15 && gain.standard_error < 1e-15);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn difference<G: Ord>(
        values: &[f64],
        arms: &[Arm],
        weights: Option<&[Weight]>,
        clusters: &[G],
    ) -> Result<Self, Error> {
        let rows = ClusteredRows::new(values.len(), weights, clusters)?;
        same_length("arms", values.len(), arms.len())?;
        let from_second: Vec<bool> = arms.iter().map(|arm| *arm == Arm::Second).collect();
        bounded("value", values)?;
        let totals = [rows.total(|i| !from_second[i])?, rows.total(|i| from_second[i])?];
        let mean = |kind| rows.mean(values, totals[usize::from(kind)], |i| from_second[i] == kind);
        let means = [mean(false), mean(true)];
        let size = rows.sum(|i| values[i].abs() / totals[usize::from(from_second[i])]);
        linearized(&rows, means[1] - means[0], size, |i| {
            let kind = usize::from(from_second[i]);
            let share = (values[i] - means[kind]) / totals[kind];
            if from_second[i] { share } else { -share }
        })
    }

    /// The confidence interval `estimate ± t * standard error`, where t is the quantile of Student's
    /// t distribution with `clusters - 1` degrees of freedom that leaves `(1 - level) / 2` on either
    /// side.
    ///
    /// With few clusters it is wider than the interval of the normal distribution, and still tends
    /// to be too narrow if the clusters differ in size. It can exceed the range of the estimated
    /// quantity. An end that overflows is infinite.
    ///
    /// Reference: Cameron and Miller (2015), A practitioner's guide to cluster-robust inference,
    /// section VI.D, doi:10.3368/jhr.50.2.317.
    ///
    /// # Errors
    ///
    /// [`Error::NoInterval`] if the standard error is 0: an interval of one point would claim
    /// certainty. [`Error::ScoringRules`] if there are fewer than two clusters or the estimate is NaN;
    /// no function of this crate returns such an estimate.
    ///
    /// ```
    /// use trajectory_metrics::{ClusterEstimate, Error, Level};
    ///
    /// let tasks = ClusterEstimate::mean(&[1.0, 2.0, 3.0, 6.0], None, &["a", "a", "b", "b"])?;
    /// assert_eq!((tasks.estimate, tasks.standard_error), (3.0, 1.5));
    /// // One degree of freedom: the quantile of 0.975 is 12.7062.
    /// let interval = tasks.interval(Level::new(0.95)?)?;
    /// assert!((interval.high() - (3.0 + 12.7062 * 1.5)).abs() < 1e-3);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn interval(&self, level: Level) -> Result<Interval, Error> {
        at_least_two("clusters", self.clusters)?;
        if self.standard_error == 0.0 {
            return Err(NoInterval::Constant.into());
        }
        let quantile = two_sided_quantile(level.get(), (self.clusters - 1) as f64);
        let half = quantile * self.standard_error;
        Ok(Interval::new(self.estimate - half, self.estimate + half)?)
    }
}

/// An estimate whose sampling error is, to first order, the weighted sum of `part` over the rows.
/// `size` is the size of the summed values, by which rounding is measured.
fn linearized<G: Ord>(
    rows: &ClusteredRows<'_, G>,
    estimate: f64,
    size: f64,
    part: impl Fn(usize) -> f64,
) -> Result<ClusterEstimate, Error> {
    let sums = rows.cluster_sums(part);
    let clusters = sums.len();
    at_least_two("clusters", clusters)?;
    let largest = sums.iter().fold(0.0_f64, |largest, sum| largest.max(sum.abs()));
    // Squares relative to the largest do not underflow.
    let relative = |sum: &f64| if largest > 0.0 { sum / largest } else { 0.0 };
    let squares: f64 = sums.iter().map(relative).map(|share| share * share).sum();
    let factor = clusters as f64 / (clusters - 1) as f64;
    let error = largest * (factor * squares).sqrt();
    let error = if error <= ROUNDING * size { 0.0 } else { error };
    Ok(ClusterEstimate {
        estimate: finite("the estimate", estimate)?,
        standard_error: finite("the standard error", error)?,
        clusters,
    })
}

/// A standard error below this share of the size of the summed values is rounding.
const ROUNDING: f64 = 1e-14;
