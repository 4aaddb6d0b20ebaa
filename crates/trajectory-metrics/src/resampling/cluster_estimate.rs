use scoring_rules::{Interval, Level, Weight};

use crate::{
    checks::{at_least_two, bounded, finite, same_length, setting},
    error::Error,
    no_interval::NoInterval,
    numerics::students_t::two_sided_quantile,
    resampling::{arm::Arm, clustered_rows::ClusteredRows},
};

/// An estimate with a cluster-robust standard error: rows of one cluster may depend on each other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ClusterEstimate {
    /// The estimate.
    pub estimate: f64,
    /// The standard error, in the unit of the estimate. A standard error below 1e-14 of the size of the values is rounding
    /// and is set to 0.
    pub standard_error: f64,
    /// Number of clusters with a row of positive weight.
    pub clusters: usize,
    /// Degrees of freedom of the standard error: the number of clusters minus one, and less if some clusters are
    /// larger than others, or for a [difference](Self::difference) if some clusters have rows of one arm only.
    pub degrees_of_freedom: f64,
    /// The variance from which intervals are computed.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) variance: f64,
    /// The number of clusters; for a difference, the number of clusters of the smaller arm.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) fewest: usize,
    /// The effective number of rows if the rows of a cluster are copies of each other.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) rows: f64,
    /// For values in [0, 1]: the effective number of equal clusters that contribute to the distance of the values from 0,
    /// or from 1 if it is smaller.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) rarer: f64,
    /// The distance by which half a cluster at the farther end of the range would move the mean, if there are values inside
    /// the range.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) unseen: f64,
    /// Whether the rows are outcomes and each row is its own cluster.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) are_outcomes: bool,
}

impl ClusterEstimate {
    /// Makes an estimate whose intervals follow from this standard error.
    pub(crate) fn new(
        estimate: f64,
        standard_error: f64,
        clusters: usize,
        degrees_of_freedom: f64,
    ) -> Self {
        Self {
            estimate,
            standard_error,
            clusters,
            degrees_of_freedom,
            variance: standard_error * standard_error,
            fewest: clusters,
            rows: clusters as f64,
            rarer: f64::INFINITY,
            unseen: 0.0,
            are_outcomes: false,
        }
    }

    /// Estimates the (weighted) mean of values, with its cluster-robust standard error.
    ///
    /// With G clusters, the standard error is the square root of `G / (G - 1)` times the sum over
    /// clusters of `(sum of w (v - mean))^2`, divided by the sum of w. If every row is its own cluster
    /// and weights are equal, this is the sample standard deviation divided by the square root of n. To
    /// compare two streams on the same rows, pass the differences as values.
    ///
    /// Intervals use the CR2 variance, which corrects the residuals: each cluster pulls the mean towards itself, so that
    /// its residuals are too small. They use Student's t with Satterthwaite's degrees of freedom of this variance, under
    /// the assumption that the rows of a cluster are copies of each other. If all clusters have the same size, the variance
    /// is the square of the standard error above, and the degrees of freedom are one less than the number of clusters. Let
    /// x be the share of a cluster in the total weight and r its sum of `w (v - mean)`:
    ///
    /// ```text
    /// variance = sum of r^2 / (1 - x) / (sum of w)^2
    /// degrees = (trace of C)^2 / trace of C^2, C = B B' with B = diag(1 / sqrt(1 - x)) (I - x 1') diag(x)
    /// ```
    ///
    /// Reliable with many clusters, about 40; with few, use
    /// [`SignFlipTest::new`](crate::SignFlipTest::new).
    ///
    /// Cost: one sort.
    ///
    /// Reference: Cameron and Miller (2015), A practitioner's guide to cluster-robust inference,
    /// doi:10.3368/jhr.50.2.317; Bell and McCaffrey (2002), Bias reduction in standard errors for linear regression with
    /// multi-stage samples, Survey Methodology 28, 169-181; Imbens and Kolesar (2016), Robust standard errors in small
    /// samples, doi:10.1162/REST_a_00552.
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
        Self::within(values, weights, clusters, [0.0, 1.0])
    }

    /// The mean of values; if all are in this range, with the additional terms for bounded values.
    pub(crate) fn within<G: Ord>(
        values: &[f64],
        weights: Option<&[Weight]>,
        clusters: &[G],
        [least, largest]: [f64; 2],
    ) -> Result<Self, Error> {
        let rows = ClusteredRows::new(values.len(), weights, clusters)?;
        bounded("value", values)?;
        let total = rows.total(|_| true)?;
        let mean = rows.mean(values, total, |_| true);
        let size = rows.sum(|i| values[i].abs()) / total;
        let sums = rows.cluster_sums(|i| (values[i] - mean) / total);
        let shares = rows.cluster_sums(|_| 1.0 / total);
        // The effective number of equal clusters that contribute to the sum.
        let effective = |of: &dyn Fn(f64) -> f64| {
            let sums = rows.cluster_sums(|i| of(values[i]));
            let squares: f64 = sums.iter().map(|sum| sum * sum).sum();
            if squares > 0.0 { sums.iter().sum::<f64>().powi(2) / squares } else { 0.0 }
        };
        // The variance of independent outcomes follows from their rate.
        let counted = |row: &usize| weights.is_none_or(|all| all[*row] > Weight::ZERO);
        let counted = || (0..values.len()).filter(counted);
        let is_partial = !counted().all(|row| is_end(values[row], [least, largest]));
        let are_independent = sums.len() == counted().count()
            && !is_partial
            && shares.iter().all(|share| *share == shares[0]);
        let found = estimated(mean, size, &sums, &vec![[true; 2]; sums.len()])?;
        let variance = sums.iter().zip(&shares).map(|(sum, x)| sum * sum / rest(*x)).sum();
        // Partial credit varies little and does not show how rare full credit is.
        let rows = 1.0 / shares.iter().map(|x| x * x).sum::<f64>();
        let farthest = (mean - least).max(largest - mean);
        Ok(Self {
            variance: if found.standard_error > 0.0 { variance } else { 0.0 },
            degrees_of_freedom: satterthwaite(&shares),
            unseen: if is_partial { 0.5 * farthest / (rows + 1.0) } else { 0.0 },
            rows,
            rarer: effective(&|value| value - least).min(effective(&|value| largest - value)),
            are_outcomes: are_independent && !is_end(mean, [least, largest]),
            ..found
        })
    }

    /// Returns the ratio of two (weighted) sums, `sum of w y / sum of w x`, with its cluster-robust standard error by
    /// linearization: the standard error of the mean of `y - ratio x`, divided by the mean of x.
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
        let sums = rows.cluster_sums(|i| (numerators[i] - ratio * denominators[i]) / below);
        estimated(ratio, size, &sums, &vec![[true; 2]; sums.len()])
    }

    /// Estimates the (weighted) mean of the rows of the second arm minus the mean of the rows of the first arm, with its
    /// cluster-robust standard error by linearization. A cluster may contain rows of both arms.
    ///
    /// For two agents: the arm of a row is its agent, its cluster the task. A cluster with rows of both arms is a pair.
    /// With one row of each arm in each cluster this is the paired t test, and with one row in each cluster Welch's t test.
    /// In general, the variance is a sum over three groups of clusters (only the first arm, only the second arm, both
    /// arms):
    ///
    /// ```text
    /// V_k = n / (n - 1) times the sum over these clusters of (sum of w (v - mean) / W)^2
    /// degrees of freedom = (sum of V_k)^2 / sum of V_k^2 / (n_k (n - 1) / n)
    /// ```
    ///
    /// where W is the total weight of the arm of a row, n_k the number of clusters of the group, and n the number of all
    /// clusters of their arm; for the third group, the smaller number of both arms.
    ///
    /// Reference: the reference of [`Self::ratio`]; Welch (1947), The generalization of "Student's" problem
    /// when several different population variances are involved, doi:10.1093/biomet/34.1-2.28.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::mean`]; [`scoring_rules::Error::Length`] unless there is one arm per
    /// row; [`scoring_rules::Error::Empty`] unless both arms have a row of positive weight;
    /// [`Error::ScoringRules`] if an arm has fewer than two clusters.
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
        let sums = rows.cluster_sums(|i| {
            let kind = usize::from(from_second[i]);
            let share = (values[i] - means[kind]) / totals[kind];
            if from_second[i] { share } else { -share }
        });
        let has =
            [false, true].map(|kind| rows.cluster_sums(|i| f64::from(from_second[i] == kind)));
        let arms = has[0].iter().zip(&has[1]).map(|(first, second)| [*first > 0.0, *second > 0.0]);
        estimated(means[1] - means[0], size, &sums, &arms.collect::<Vec<_>>())
    }

    /// Returns the confidence interval `estimate ± t * standard error`. Here t is the quantile of `(1 + level) / 2` of
    /// Student's t distribution with [`Self::degrees_of_freedom`].
    ///
    /// With few clusters it is wider than the interval of the normal distribution, and still tends to be too narrow if the
    /// clusters differ in size. It can exceed the range of the estimated quantity. A bound that overflows is infinite.
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
        let quantile = two_sided_quantile(level.get(), self.degrees_of_freedom.max(1.0));
        let half = quantile * self.variance.sqrt();
        Ok(Interval::new(self.estimate - half, self.estimate + half)?)
    }

    /// Returns the estimate for a number of clusters multiplied by `factor`, with the same distribution of clusters.
    pub(crate) fn with_clusters(self, factor: f64) -> Self {
        Self {
            standard_error: self.standard_error / factor.sqrt(),
            variance: self.variance / factor,
            degrees_of_freedom: self.degrees_of_freedom * factor,
            rows: self.rows * factor,
            rarer: self.rarer * factor,
            ..self
        }
    }
}

/// The degrees of freedom of a mean's variance, from the share of each cluster in the weight.
fn satterthwaite(shares: &[f64]) -> f64 {
    let sum = |term: &dyn Fn(f64, f64) -> f64| -> f64 {
        shares.iter().map(|&x| term(x, x * x / rest(x))).sum()
    };
    let q: f64 = shares.iter().map(|x| x * x).sum();
    let [zeroth, first, second] = [0, 1, 2].map(|power| sum(&|x, b| b * x.powi(power)));
    let trace = sum(&|x, b| b * (1.0 - 2.0 * x + q));
    let own = sum(&|x, b| b * b * (1.0 + 2.0 * (q - 2.0 * x)));
    let others = (zeroth * q).powi(2) + 2.0 * zeroth * second - 4.0 * q * zeroth * first
        + 2.0 * first * first;
    let degrees = trace * trace / (own + others);
    // Where one cluster has nearly all the weight, terms cancel, and the others count as one.
    let most = (shares.len() as f64 - 1.0).max(1.0);
    if degrees.is_finite() { degrees.clamp(1.0, most) } else { 1.0 }
}

/// The sum of all other shares.
fn rest(share: f64) -> f64 {
    (1.0 - share).max(f64::EPSILON)
}

/// Whether a value is the least or the largest of a range.
pub(crate) fn is_end(value: f64, range: [f64; 2]) -> bool {
    range.contains(&value)
}

/// An estimate whose sampling error is, to first order, the sum of these independent sums over clusters. `size` is the
/// size of the summed values, by which rounding is measured, and `arms` tells of each cluster whether it has rows of the
/// first and of the second arm.
fn estimated(
    estimate: f64,
    size: f64,
    sums: &[f64],
    arms: &[[bool; 2]],
) -> Result<ClusterEstimate, Error> {
    let [first, second] = [0, 1].map(|arm| arms.iter().filter(|has| has[arm]).count());
    for clusters in [first, second] {
        at_least_two("clusters", clusters)?;
    }
    let largest = sums.iter().fold(0.0_f64, |largest, sum| largest.max(sum.abs()));
    // Squares relative to the largest do not underflow.
    let relative = |sum: f64| if largest > 0.0 { sum / largest } else { 0.0 };
    let (mut variance, mut squared) = (0.0, 0.0);
    for (kind, n) in
        [([true, true], first.min(second)), ([true, false], first), ([false, true], second)]
    {
        let of_kind = || (0..sums.len()).filter(|g| arms[*g] == kind);
        let factor = n as f64 / (n - 1) as f64;
        let part = factor * of_kind().map(|g| relative(sums[g]).powi(2)).sum::<f64>();
        variance += part;
        if part > 0.0 {
            squared += part * part * factor / of_kind().count() as f64;
        }
    }
    let error = largest * variance.sqrt();
    let error = if error <= ROUNDING * size { 0.0 } else { error };
    let clusters = sums.len();
    let degrees = variance * variance / squared;
    let degrees = if degrees > 0.0 { degrees } else { (clusters - 1) as f64 };
    let found = ClusterEstimate::new(
        finite("the estimate", estimate)?,
        finite("the standard error", error)?,
        clusters,
        degrees,
    );
    Ok(ClusterEstimate { fewest: first.min(second), ..found })
}

/// A standard error below this share of the size of the summed values is rounding.
const ROUNDING: f64 = 1e-14;
