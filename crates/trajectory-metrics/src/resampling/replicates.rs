use scoring_rules::{
    Interval, Level,
    checks::{not_nan, undefined},
};

use crate::{
    checks::same_length,
    error::Error,
    no_interval::NoInterval,
    numerics::{
        normal,
        quantiles::{quantile, tail},
        students_t::two_sided_quantile,
    },
};

/// The value of a statistic computed from all rows, and its values in many resamples of the rows. The resamples give
/// its standard error and confidence intervals.
///
/// Made by [`Bootstrap`](crate::Bootstrap), or from values computed elsewhere.
///
/// ```
/// use trajectory_metrics::{Error, Level, Replicates};
///
/// let replicates = Replicates::new(2.0, vec![1.0, 2.0, 3.0, 4.0, f64::NAN])?;
/// assert_eq!((replicates.estimate(), replicates.undefined()), (2.0, 1));
/// assert_eq!(replicates.values().last(), Some(None));
/// let error = replicates.standard_error().unwrap();
/// assert_eq!(error, (5.0_f64 / 3.0).sqrt());
/// assert_eq!(replicates.in_standard_errors(), Some(2.0 / error));
/// let interval = replicates.figure(Level::HALF).interval?;
/// assert_eq!((interval.low(), interval.high()), (1.75, 3.25));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Replicates {
    estimate: f64,
    /// In the order of the replicates; NaN where the statistic was undefined.
    values: Vec<f64>,
    /// A digest of the draws, so that only values of the same draws are compared; `None` if unknown.
    draws: Option<u64>,
    /// The size of the values, or of the values whose differences they are. Rounding is measured
    /// relative to it.
    scale: f64,
    /// Number of resampled clusters on which the statistic depends; `None` if unknown.
    clusters: Option<usize>,
    /// Whether the statistic is a proportion, and each cluster is one independent row.
    proportion: bool,
}

impl PartialEq for Replicates {
    fn eq(&self, other: &Self) -> bool {
        // Undefined values are equal to each other, unlike NaN.
        self.values().eq(other.values())
            && (self.estimate, self.draws, self.scale) == (other.estimate, other.draws, other.scale)
            && (self.clusters, self.proportion) == (other.clusters, other.proportion)
    }
}

impl Replicates {
    /// Creates replicates from values that were computed elsewhere: the estimate from all rows, and one value per
    /// resample, which is NaN if it is undefined.
    ///
    /// # Errors
    ///
    /// [`Error::ScoringRules`] if the estimate is NaN; [`scoring_rules::Error::Undefined`] if all
    /// values are.
    pub fn new(estimate: f64, values: Vec<f64>) -> Result<Self, Error> {
        Self::of_draws(estimate, values, None)
    }

    pub(crate) fn of_draws(
        estimate: f64,
        values: Vec<f64>,
        draws: Option<u64>,
    ) -> Result<Self, Error> {
        not_nan("the estimate", estimate)?;
        if values.iter().all(|value| value.is_nan()) {
            let reason = "the statistic is undefined in every resample";
            return Err(undefined("the bootstrap distribution", reason).into());
        }
        let scale = size(estimate, &values);
        Ok(Self { estimate, values, draws, scale, clusters: None, proportion: false })
    }

    /// Sets the number of resampled clusters on which the statistic depends, which determines the width of
    /// [`Self::figure`]. Without this call, replicates of a [`Bootstrap`](crate::Bootstrap) have the number of all its
    /// clusters; a statistic of only some rows may depend on fewer.
    #[must_use]
    pub fn with_clusters(self, clusters: usize) -> Self {
        Self { clusters: Some(clusters), ..self }
    }

    /// Marks the statistic as a proportion: the mean of values 0 and 1 over independent rows with equal
    /// weights, each row in a separate cluster. [`Self::figure`] is then exact for a proportion
    /// of 0 or 1, which does not vary over the resamples.
    #[must_use]
    pub(crate) fn of_independent_outcomes(self) -> Self {
        Self { proportion: true, ..self }
    }

    /// Returns the value of the statistic computed from all rows, without resampling.
    #[must_use]
    pub fn estimate(&self) -> f64 {
        self.estimate
    }

    /// Returns the value in each resample; `None` if it is undefined there.
    #[must_use]
    pub fn values(&self) -> impl ExactSizeIterator<Item = Option<f64>> {
        self.values.iter().map(|&value| (!value.is_nan()).then_some(value))
    }

    /// Returns the number of resamples in which the statistic was undefined.
    #[must_use]
    pub fn undefined(&self) -> usize {
        self.values.iter().filter(|value| value.is_nan()).count()
    }

    /// Returns the bootstrap standard error: the sample standard deviation of the replicates.
    ///
    /// A standard error below 1e-13 of the size of the values (for a difference, of the subtracted values) is
    /// rounding and is set to 0. `None` if fewer than two replicates are defined, if one is infinite, or if
    /// the squares of values overflow (values above 1e150).
    #[must_use]
    pub fn standard_error(&self) -> Option<f64> {
        // Relative to the first, so that equal values have a standard error of exactly 0.
        let first = self.values().flatten().next()?;
        let shifted = || self.values().flatten().map(|value| value - first);
        let n = shifted().count();
        if n < 2 {
            return None;
        }
        let mean = shifted().sum::<f64>() / n as f64;
        let squares: f64 = shifted().map(|value| (value - mean) * (value - mean)).sum();
        let error = (squares / (n - 1) as f64).sqrt();
        let error = if error <= ROUNDING * self.scale { 0.0 } else { error };
        error.is_finite().then_some(error)
    }

    /// Returns the estimate divided by its standard error. For a paired difference, this is the paper's delta / SE,
    /// but with the sign of the difference: the paper prints the absolute value.
    ///
    /// `None` if the standard error is undefined or 0, or if the estimate is infinite.
    #[must_use]
    pub fn in_standard_errors(&self) -> Option<f64> {
        let ratio = self.estimate / self.standard_error()?;
        ratio.is_finite().then_some(ratio)
    }

    /// Returns the paired difference `self - other` in each replicate. It is undefined where either value is undefined.
    ///
    /// Both must have been drawn together. Shared variation cancels, so that the standard error is correct
    /// for the paired difference, unlike the standard error of two independent estimates.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] unless both were drawn from the same rows or clusters with the same
    /// seed, or both come from [`Self::new`], whose order is not checked.
    /// [`scoring_rules::Error::Length`] unless both have the same number of replicates; and the
    /// errors of [`Self::new`].
    ///
    /// ```
    /// use trajectory_metrics::{Bootstrap, Error, Seed};
    ///
    /// let (raw, calibrated) = ([-2.0, -0.4, -1.1], [-1.5, 0.2, -0.7]);
    /// let rows = Bootstrap::rows(3, Seed(7))?;
    /// let change = rows.mean(&calibrated, None, 1_000)?.minus(&rows.mean(&raw, None, 1_000)?)?;
    /// assert!((change.estimate() - 0.5).abs() < 1e-15);
    /// assert!(change.in_standard_errors().unwrap() > 8.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn minus(&self, other: &Self) -> Result<Self, Error> {
        if self.draws != other.draws {
            let problem = "the replicates have different draws; compare replicates of the same rows, \
                           clusters and seed";
            return Err(Error::Invalid(problem.to_owned()));
        }
        same_length("replicates", self.values.len(), other.values.len())?;
        let values = self.values.iter().zip(&other.values).map(|(a, b)| a - b).collect();
        let difference = Self::of_draws(self.estimate - other.estimate, values, self.draws)?;
        let scale = difference.scale.max(self.scale).max(other.scale);
        let clusters = self.clusters.zip(other.clusters).map(|(a, b)| a.min(b));
        Ok(Self { scale, clusters, ..difference })
    }

    /// Returns the interval of [`Self::figure`].
    pub(crate) fn confidence_interval(&self, level: Level) -> Result<Interval, NoInterval> {
        let mut share = tail(level);
        if let Some(clusters) = self.clusters {
            NoInterval::check_clusters(clusters, level)?;
            let degrees = (clusters - 1) as f64;
            let factor = (clusters as f64 / degrees).sqrt();
            share = normal::cdf(-factor * two_sided_quantile(level.get(), degrees));
        }
        let sorted = self.sorted();
        if sorted.len() < 2 {
            return Err(NoInterval::TooFewResamples { defined: sorted.len() });
        }
        let [low, high] = [share, 1.0 - share].map(|share| quantile(&sorted, share));
        if low < high && self.standard_error() != Some(0.0) {
            return Ok(Interval::between(low, high));
        }
        let rows = self.clusters.filter(|_| self.proportion).ok_or(NoInterval::Constant)?;
        let end = tail(level).powf(1.0 / rows as f64);
        match self.estimate {
            0.0 => Ok(Interval::between(0.0, 1.0 - end)),
            1.0 => Ok(Interval::between(end, 1.0)),
            _ => Err(NoInterval::Constant),
        }
    }

    /// The defined values in ascending order.
    fn sorted(&self) -> Vec<f64> {
        let mut sorted: Vec<f64> = self.values().flatten().collect();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted
    }
}

/// A spread below this share of the size of the values is rounding.
const ROUNDING: f64 = 1e-13;

/// The larger of the absolute estimate and the median absolute value: the largest value may be an
/// outlier.
fn size(estimate: f64, values: &[f64]) -> f64 {
    let finite = values.iter().filter(|value| value.is_finite());
    let mut sizes: Vec<f64> = finite.map(|value| value.abs()).collect();
    let middle = sizes.len() / 2;
    let median = if sizes.is_empty() {
        0.0
    } else {
        *sizes.select_nth_unstable_by(middle, f64::total_cmp).1
    };
    if estimate.is_finite() { median.max(estimate.abs()) } else { median }
}
