use scoring_rules::{ExactSum, Interval, Level, Weight};

use crate::{
    checks::{at_least_two, finite, in_range, same_length},
    error::Error,
    numerics::{
        powers_of_two::{largest_exponent, times_power_of_two},
        students_t::two_sided_quantile,
    },
};

/// An estimate with a standard error that does not take rows of one cluster for independent.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct ClusterEstimate {
    /// The estimate.
    pub estimate: f64,
    /// Its standard error, in the units of the estimate; 0 where it is below 1e-14 of the size of
    /// the values and so no more than rounding.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::stored_number::not_negative"))]
    pub standard_error: f64,
    /// Number of clusters with a row of positive weight.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::stored_number::at_least_two"))]
    pub clusters: usize,
}

impl ClusterEstimate {
    /// The interval `estimate ± t standard error`, with t the quantile of Student's t distribution
    /// with clusters - 1 degrees of freedom that leaves `(1 - level) / 2` on either side.
    ///
    /// With few clusters it is wider than that of the normal distribution, and still tends to be too
    /// narrow where they differ in size. It can leave the range of what is estimated. An end that is
    /// too large for a number is infinite.
    ///
    /// Reference: Cameron and Miller (2015), A practitioner's guide to cluster-robust inference,
    /// section VI.D, doi:10.3368/jhr.50.2.317.
    ///
    /// # Errors
    ///
    /// [`Error::ScoringRules`] with fewer than two clusters or an estimate that is a NaN, which no
    /// function of this crate returns.
    ///
    /// ```
    /// use trajectory_metrics::{Error, Level, cluster_mean};
    ///
    /// let tasks = cluster_mean(&[1.0, 2.0, 3.0, 6.0], None, &["a", "a", "b", "b"])?;
    /// assert_eq!((tasks.estimate, tasks.standard_error), (3.0, 1.5));
    /// // One degree of freedom: the quantile of 0.975 is 12.7062.
    /// let interval = tasks.interval(Level::new(0.95)?)?;
    /// assert!((interval.high() - (3.0 + 12.7062 * 1.5)).abs() < 1e-3);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn interval(&self, level: Level) -> Result<Interval, Error> {
        at_least_two("clusters", self.clusters)?;
        let half = two_sided_quantile(level.get(), (self.clusters - 1) as f64);
        let half = if self.standard_error == 0.0 { 0.0 } else { half * self.standard_error };
        Ok(Interval::new(self.estimate - half, self.estimate + half)?)
    }
}

/// The (weighted) mean of values, with its cluster-robust standard error.
///
/// With G clusters: the root of `G / (G - 1)` times the sum over clusters of
/// `(sum of w (v - mean))^2`, divided by the sum of w. Where each row is its own cluster and
/// weights are equal this is the standard deviation (with n - 1 below) divided by the root of n.
/// For the paired difference of two streams give the differences as values.
///
/// Needs many clusters, about 40, to be trusted; with few use
/// [`sign_flip_test`](crate::sign_flip_test()).
///
/// Cost: one sort.
///
/// Reference: Cameron and Miller (2015), A practitioner's guide to cluster-robust inference,
/// doi:10.3368/jhr.50.2.317.
///
/// # Errors
///
/// [`Error::Length`] unless weights, where given, and clusters have one entry a row;
/// [`Error::ScoringRules`] for a value that is not finite, with fewer than two clusters, and where
/// the standard error is too large for a number; [`Error::Empty`] without a row of positive weight.
///
/// ```
/// use trajectory_metrics::{Error, cluster_mean};
///
/// let scores = [1.0, 2.0, 3.0, 6.0];
/// let rows = cluster_mean(&scores, None, &[0, 1, 2, 3])?;
/// assert!((rows.standard_error - (14.0 / 3.0 / 4.0_f64).sqrt()).abs() < 1e-15);
/// let tasks = cluster_mean(&scores, None, &["a", "a", "b", "b"])?;
/// assert_eq!((tasks.estimate, tasks.standard_error, tasks.clusters), (3.0, 1.5, 2));
/// # Ok::<(), Error>(())
/// ```
pub fn cluster_mean<G: Ord>(
    values: &[f64],
    weights: Option<&[Weight]>,
    clusters: &[G],
) -> Result<ClusterEstimate, Error> {
    let rows = Rows::new(values.len(), weights, clusters)?;
    let (values, exponent) = rows.scaled("values", values)?;
    let total = rows.total(|_| true);
    if total == 0.0 {
        return Err(Error::Empty);
    }
    let mean = rows.mean(&values, total, |_| true);
    let size = rows.sum(|i| values[i].abs()) / total;
    rows.estimate(mean, size, exponent, |i| (values[i] - mean) / total)
}

/// The ratio of two (weighted) sums, `sum of w y / sum of w x`, with its cluster-robust standard
/// error: that of the mean of `y - ratio x`, divided by the mean of x (linearisation).
///
/// For rates over totals that vary from row to row, such as errors per step.
///
/// Reference: Binder (1983), On the variances of asymptotically normal estimators from complex
/// surveys, doi:10.2307/1402588.
///
/// # Errors
///
/// As [`cluster_mean`]; [`Error::Setting`] where the denominators sum to 0; [`Error::ScoringRules`]
/// where the ratio or its error is too large for a number.
///
/// ```
/// use trajectory_metrics::{Error, cluster_ratio};
///
/// let (wrong, steps) = ([1.0, 0.0, 3.0], [10.0, 5.0, 25.0]);
/// let rate = cluster_ratio(&wrong, &steps, None, &["a", "b", "c"])?;
/// assert_eq!(rate.estimate, 0.1);
/// // Residuals 0, -0.5 and 0.5 over 40 steps.
/// assert!((rate.standard_error - (1.5 * 0.5_f64).sqrt() / 40.0).abs() < 1e-15);
/// # Ok::<(), Error>(())
/// ```
pub fn cluster_ratio<G: Ord>(
    numerators: &[f64],
    denominators: &[f64],
    weights: Option<&[Weight]>,
    clusters: &[G],
) -> Result<ClusterEstimate, Error> {
    let rows = Rows::new(numerators.len(), weights, clusters)?;
    same_length("denominators", numerators.len(), denominators.len())?;
    let (numerators, above_exponent) = rows.scaled("numerators", numerators)?;
    let (denominators, below_exponent) = rows.scaled("denominators", denominators)?;
    if rows.total(|_| true) == 0.0 {
        return Err(Error::Empty);
    }
    let below = rows.sum(|i| denominators[i]);
    if below == 0.0 {
        let name = "sum of denominators";
        return Err(Error::Setting { name, value: below, range: "other than 0" });
    }
    let ratio = rows.sum(|i| numerators[i]) / below;
    let sizes = |values: &[f64]| rows.sum(|i| values[i].abs()) / below.abs();
    let size = sizes(&numerators) + ratio.abs() * sizes(&denominators);
    rows.estimate(ratio, size, above_exponent - below_exponent, |i| {
        (numerators[i] - ratio * denominators[i]) / below
    })
}

/// The (weighted) mean of the rows of a second kind minus that of the others, with its
/// cluster-robust standard error by linearisation; a cluster may hold rows of both.
///
/// For two agents on the same tasks: `second` says which rows are the second agent's. The
/// small-sample factor is `G / (G - 1)` over all clusters.
///
/// Reference: as [`cluster_ratio`].
///
/// # Errors
///
/// As [`cluster_mean`]; [`Error::Empty`] without a row of positive weight of each kind.
///
/// ```
/// use trajectory_metrics::{Error, cluster_difference};
///
/// let scores = [0.2, 0.4, 0.5, 0.7];
/// let second = [false, true, false, true];
/// // The second agent gains 0.2 on both tasks.
/// let gain = cluster_difference(&scores, &second, None, &["a", "a", "b", "b"])?;
/// assert!((gain.estimate - 0.2).abs() < 1e-15 && gain.standard_error < 1e-15);
/// # Ok::<(), Error>(())
/// ```
pub fn cluster_difference<G: Ord>(
    values: &[f64],
    second: &[bool],
    weights: Option<&[Weight]>,
    clusters: &[G],
) -> Result<ClusterEstimate, Error> {
    let rows = Rows::new(values.len(), weights, clusters)?;
    same_length("second", values.len(), second.len())?;
    let (values, exponent) = rows.scaled("values", values)?;
    let totals = [rows.total(|i| !second[i]), rows.total(|i| second[i])];
    if totals.contains(&0.0) {
        return Err(Error::Empty);
    }
    let kinds = [false, true];
    let means = kinds.map(|of| rows.mean(&values, totals[usize::from(of)], |i| second[i] == of));
    let size = rows.sum(|i| values[i].abs() / totals[usize::from(second[i])]);
    rows.estimate(means[1] - means[0], size, exponent, |i| {
        let kind = usize::from(second[i]);
        let share = (values[i] - means[kind]) / totals[kind];
        if second[i] { share } else { -share }
    })
}

/// Rows with their weights and clusters.
pub(crate) struct Rows<'a, G> {
    weights: Option<&'a [Weight]>,
    clusters: &'a [G],
}

impl<'a, G: Ord> Rows<'a, G> {
    pub(crate) fn new(
        n: usize,
        weights: Option<&'a [Weight]>,
        clusters: &'a [G],
    ) -> Result<Self, Error> {
        same_length("clusters", n, clusters.len())?;
        same_length("weights", n, weights.map_or(n, <[Weight]>::len))?;
        Ok(Self { weights, clusters })
    }

    pub(crate) fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[row].get())
    }

    /// Weight of the rows that are asked for.
    pub(crate) fn total(&self, of: impl Fn(usize) -> bool) -> f64 {
        let rows = (0..self.clusters.len()).filter(|&row| of(row));
        rows.map(|row| self.weight(row)).collect::<ExactSum>().value()
    }

    /// Sum of weight times value, the same in any order.
    pub(crate) fn sum(&self, value: impl Fn(usize) -> f64) -> f64 {
        let mut sum = ExactSum::default();
        (0..self.clusters.len()).for_each(|row| sum.add_product(self.weight(row), value(row)));
        sum.value()
    }

    /// The mean of the rows that are asked for, which together weigh `total`. What the first
    /// division loses is added, so that the mean of equal values is their value.
    pub(crate) fn mean(&self, values: &[f64], total: f64, of: impl Fn(usize) -> bool) -> f64 {
        let value = |row: usize| if of(row) { values[row] } else { 0.0 };
        let rough = self.sum(value) / total;
        let mut rest = ExactSum::default();
        for row in (0..values.len()).filter(|&row| of(row)) {
            rest.add_product(self.weight(row), values[row]);
            rest.add_product(self.weight(row), -rough);
        }
        rough + rest.value() / total
    }

    /// The values divided by two to the power that is given with them: that of the largest of
    /// positive weight, so that no square and no sum leaves the range of numbers. Rows of weight 0
    /// become 0.
    pub(crate) fn scaled(
        &self,
        what: &'static str,
        values: &[f64],
    ) -> Result<(Vec<f64>, i32), Error> {
        finite(what, values)?;
        let counted = |row: usize| if self.weight(row) > 0.0 { values[row] } else { 0.0 };
        let exponent = largest_exponent((0..values.len()).map(counted));
        let scaled = (0..values.len()).map(|row| times_power_of_two(counted(row), -exponent));
        Ok((scaled.collect(), exponent))
    }

    /// Sum of weight times value in each cluster that weighs anything, in the order of their names.
    pub(crate) fn cluster_sums(&self, value: impl Fn(usize) -> f64) -> Vec<f64> {
        let weighty = (0..self.clusters.len()).filter(|&row| self.weight(row) > 0.0);
        let mut terms: Vec<(&G, f64)> =
            weighty.map(|row| (&self.clusters[row], self.weight(row) * value(row))).collect();
        // By size within a cluster, so that not even rounding depends on the order of the rows.
        terms.sort_unstable_by(|a, b| a.0.cmp(b.0).then_with(|| a.1.total_cmp(&b.1)));
        let clusters = terms.chunk_by(|a, b| a.0 == b.0);
        clusters.map(|cluster| cluster.iter().map(|term| term.1).sum()).collect()
    }

    /// The estimate whose error is the weighted sum of each row's part in it. `size` is that of
    /// what is summed; `exponent` is the power of two that all were divided by.
    fn estimate(
        &self,
        estimate: f64,
        size: f64,
        exponent: i32,
        part: impl Fn(usize) -> f64,
    ) -> Result<ClusterEstimate, Error> {
        let sums = self.cluster_sums(part);
        let clusters = sums.len();
        at_least_two("clusters", clusters)?;
        let largest = sums.iter().fold(0.0_f64, |largest, sum| largest.max(sum.abs()));
        // In units of the largest, so that no square leaves the range of numbers.
        let in_units = |sum: &f64| if largest > 0.0 { sum / largest } else { 0.0 };
        let squares: f64 = sums.iter().map(in_units).map(|sum| sum * sum).sum();
        let factor = clusters as f64 / (clusters - 1) as f64;
        let error = largest * (factor * squares).sqrt();
        let error = if error <= ROUNDING * size { 0.0 } else { error };
        Ok(ClusterEstimate {
            estimate: in_range("the estimate", times_power_of_two(estimate, exponent))?,
            standard_error: in_range("the standard error", times_power_of_two(error, exponent))?,
            clusters,
        })
    }
}

/// A standard error below this share of the size of what is summed is rounding.
const ROUNDING: f64 = 1e-14;
