use scoring_rules::{Interval, Level};

use crate::{
    checks::in_range,
    error::Error,
    numerics::{
        powers_of_two::{largest_exponent, times_power_of_two},
        quantiles::{quantile, tail},
    },
};

/// A statistic on all rows and on many resamples of them: its standard error and its intervals.
///
/// From [`Bootstrap`](crate::Bootstrap), or from values computed elsewhere. Equal where all values
/// are and they were drawn together.
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
/// let interval = replicates.percentile(Level::HALF).interval;
/// assert_eq!((interval.low(), interval.high()), (1.75, 3.25));
/// let interval = replicates.basic(Level::HALF)?.interval;
/// assert_eq!((interval.low(), interval.high()), (0.75, 2.25));
/// # Ok::<(), Error>(())
/// ```
///
/// Stored with the feature `serde`, an undefined value is null, and infinite ones are `"inf"` and
/// `"-inf"`. What was drawn is stored too, so that differences can be taken after reading.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "StoredReplicates", into = "StoredReplicates"))]
pub struct Replicates {
    estimate: f64,
    /// In the order of the replicates; a NaN where the statistic was undefined.
    values: Vec<f64>,
    /// What was drawn, so that only values of the same draws are compared; `None` if unknown.
    draws: Option<u64>,
    /// The size of the values, or of those they are the differences of: what rounding is measured
    /// by.
    scale: f64,
}

/// An estimate and the interval that its resamples give.
///
/// With the feature `serde` it is read only if its ends are in order, its standard error is at least
/// 0 and at least one resample is defined.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "StoredEstimate"))]
#[non_exhaustive]
pub struct BootstrapEstimate {
    /// The statistic on all rows.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored_number"))]
    pub estimate: f64,
    /// The interval; an end is infinite where replicates are.
    pub interval: Interval,
    /// Standard deviation of the replicates, see [`Replicates::standard_error`].
    pub standard_error: Option<f64>,
    /// Resamples in which the statistic was undefined and which are left out.
    pub undefined: usize,
    /// Resamples, those included in which the statistic was undefined.
    pub resamples: usize,
}

/// An estimate as it is written.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredEstimate {
    #[serde(with = "crate::stored_number")]
    estimate: f64,
    interval: Interval,
    standard_error: Option<f64>,
    undefined: usize,
    resamples: usize,
}

#[cfg(feature = "serde")]
impl TryFrom<StoredEstimate> for BootstrapEstimate {
    type Error = Error;

    fn try_from(stored: StoredEstimate) -> Result<Self, Error> {
        let StoredEstimate { estimate, interval, standard_error, undefined, resamples } = stored;
        if estimate.is_nan() {
            return Err(not_finite("the estimate", estimate));
        }
        if let Some(value) = standard_error
            && !(0.0..=f64::MAX).contains(&value)
        {
            let range = "at least 0 and finite";
            return Err(Error::Setting { name: "standard error", value, range });
        }
        if undefined >= resamples {
            let range = "less than the number of resamples";
            let value = undefined as f64;
            return Err(Error::Setting { name: "number of undefined resamples", value, range });
        }
        Ok(Self { estimate, interval, standard_error, undefined, resamples })
    }
}

#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct StoredReplicates {
    #[serde(with = "crate::stored_number")]
    estimate: f64,
    values: Vec<Option<crate::stored_number::Number>>,
    draws: Option<u64>,
    #[serde(deserialize_with = "crate::stored_number::not_negative")]
    scale: f64,
}

#[cfg(feature = "serde")]
impl TryFrom<StoredReplicates> for Replicates {
    type Error = Error;

    fn try_from(stored: StoredReplicates) -> Result<Self, Error> {
        let values = stored.values.into_iter().map(|value| value.map_or(f64::NAN, |v| v.0));
        let read = Self::of_draws(stored.estimate, values.collect(), stored.draws)?;
        // A difference may have the larger scale of its parts, never a smaller one.
        Ok(Self { scale: read.scale.max(stored.scale), ..read })
    }
}

#[cfg(feature = "serde")]
impl From<Replicates> for StoredReplicates {
    fn from(replicates: Replicates) -> Self {
        let values =
            replicates.values().map(|value| value.map(crate::stored_number::Number)).collect();
        let Replicates { estimate, draws, scale, .. } = replicates;
        Self { estimate, values, draws, scale }
    }
}

impl PartialEq for Replicates {
    fn eq(&self, other: &Self) -> bool {
        // Two that are undefined are equal, unlike two NaNs.
        self.values().eq(other.values())
            && (self.estimate, self.draws, self.scale) == (other.estimate, other.draws, other.scale)
    }
}

impl Replicates {
    /// From the estimate and its value in each resample, a NaN where it was undefined.
    ///
    /// # Errors
    ///
    /// [`Error::ScoringRules`] where the estimate is a NaN; [`Error::NoReplicate`] where all values
    /// are.
    pub fn new(estimate: f64, values: Vec<f64>) -> Result<Self, Error> {
        Self::of_draws(estimate, values, None)
    }

    pub(crate) fn of_draws(
        estimate: f64,
        values: Vec<f64>,
        draws: Option<u64>,
    ) -> Result<Self, Error> {
        if estimate.is_nan() {
            return Err(not_finite("the estimate", estimate));
        }
        if values.iter().all(|value| value.is_nan()) {
            return Err(Error::NoReplicate { resamples: values.len() });
        }
        let scale = size(estimate, &values);
        Ok(Self { estimate, values, draws, scale })
    }

    /// The statistic on all rows.
    #[must_use]
    pub fn estimate(&self) -> f64 {
        self.estimate
    }

    /// The statistic in each resample, `None` where it was undefined.
    #[must_use]
    pub fn values(&self) -> impl ExactSizeIterator<Item = Option<f64>> {
        self.values.iter().map(|&value| (!value.is_nan()).then_some(value))
    }

    /// Number of resamples in which the statistic was undefined.
    #[must_use]
    pub fn undefined(&self) -> usize {
        self.values.iter().filter(|value| value.is_nan()).count()
    }

    /// The bootstrap standard error: the standard deviation of the m replicates, with m - 1 below.
    ///
    /// 0 where it is below 1e-13 of the size of the values (for a difference, of what it is the
    /// difference of) and so no more than rounding. `None` where fewer than two were defined, one
    /// was infinite, or it is too large for a number.
    #[must_use]
    pub fn standard_error(&self) -> Option<f64> {
        // From the first, so that what never changes has an error of exactly 0; in units of the
        // largest, so that no square leaves the range of numbers.
        let exponent = largest_exponent(self.values().flatten());
        let unit = |value| times_power_of_two(value, -exponent);
        let first = unit(self.values().flatten().next()?);
        let shifted = || self.values().flatten().map(|value| unit(value) - first);
        let n = shifted().count();
        if n < 2 {
            return None;
        }
        let mean = shifted().sum::<f64>() / n as f64;
        let squares: f64 = shifted().map(|value| (value - mean) * (value - mean)).sum();
        let error = times_power_of_two((squares / (n - 1) as f64).sqrt(), exponent);
        let error = if error <= ROUNDING * self.scale { 0.0 } else { error };
        error.is_finite().then_some(error)
    }

    /// The estimate divided by its standard error: for a paired difference the paper's delta / SE,
    /// with the sign of the difference (the paper prints it without).
    ///
    /// `None` without a standard error, where it is 0 and where the estimate is infinite.
    #[must_use]
    pub fn in_standard_errors(&self) -> Option<f64> {
        let ratio = self.estimate / self.standard_error()?;
        ratio.is_finite().then_some(ratio)
    }

    /// The paired difference, this minus `other`, replicate by replicate on the same draws;
    /// undefined where either is.
    ///
    /// What the two share from draw to draw cancels, so the standard error is that of the
    /// difference and not of two independent estimates.
    ///
    /// # Errors
    ///
    /// [`Error::OtherDraws`] unless both are of the same rows or clusters and seed, or both from
    /// [`Self::new`]: what was drawn is unknown there and their order is taken on trust.
    /// [`Error::Length`] unless both have as many replicates; otherwise as [`Self::new`].
    ///
    /// ```
    /// use trajectory_metrics::{Bootstrap, Error};
    ///
    /// let (raw, calibrated) = ([-2.0, -0.4, -1.1], [-1.5, 0.2, -0.7]);
    /// let rows = Bootstrap::rows(3, 7)?;
    /// let change = rows.mean(&calibrated, None, 1_000)?.minus(&rows.mean(&raw, None, 1_000)?)?;
    /// assert!((change.estimate() - 0.5).abs() < 1e-15);
    /// assert!(change.in_standard_errors().unwrap() > 8.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn minus(&self, other: &Self) -> Result<Self, Error> {
        if self.draws != other.draws {
            return Err(Error::OtherDraws);
        }
        crate::checks::same_length("replicates", self.values.len(), other.values.len())?;
        let values = self.values.iter().zip(&other.values).map(|(a, b)| a - b).collect();
        let difference = Self::of_draws(self.estimate - other.estimate, values, self.draws)?;
        Ok(Self { scale: difference.scale.max(self.scale).max(other.scale), ..difference })
    }

    /// The percentile interval: the range in which the middle share `level` of the replicates lies.
    ///
    /// Quantiles interpolate linearly between order statistics (Hyndman and Fan's type 7).
    ///
    /// Reference: Efron (1979), Bootstrap methods: another look at the jackknife,
    /// doi:10.1214/aos/1176344552.
    #[must_use]
    pub fn percentile(&self, level: Level) -> BootstrapEstimate {
        let tail = tail(level);
        let sorted = self.sorted();
        self.interval(quantile(&sorted, tail), quantile(&sorted, 1.0 - tail))
    }

    /// The basic interval: the percentile interval mirrored at the estimate,
    /// `[2 estimate - high, 2 estimate - low]`.
    ///
    /// It can leave the statistic's range.
    ///
    /// Reference: Davison and Hinkley (1997), Bootstrap methods and their application, section 5.2,
    /// doi:10.1017/CBO9780511802843.
    ///
    /// # Errors
    ///
    /// [`Error::ScoringRules`] where the estimate or an end is infinite.
    pub fn basic(&self, level: Level) -> Result<BootstrapEstimate, Error> {
        if !self.estimate.is_finite() {
            return Err(not_finite("the estimate", self.estimate));
        }
        let interval = self.percentile(level).interval;
        let mirrored = |what, end| in_range(what, self.estimate + (self.estimate - end));
        Ok(self.interval(
            mirrored("the lower end", interval.high())?,
            mirrored("the upper end", interval.low())?,
        ))
    }

    /// The size that rounding is measured by.
    pub(crate) fn scale(&self) -> f64 {
        self.scale
    }

    /// The values that are defined, in rising order.
    pub(crate) fn sorted(&self) -> Vec<f64> {
        let mut sorted: Vec<f64> = self.values().flatten().collect();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted
    }

    pub(crate) fn interval(&self, low: f64, high: f64) -> BootstrapEstimate {
        BootstrapEstimate {
            estimate: self.estimate,
            interval: Interval::between(low, high),
            standard_error: self.standard_error(),
            undefined: self.undefined(),
            resamples: self.values.len(),
        }
    }
}

/// A spread below this share of the size of the values is rounding.
pub(crate) const ROUNDING: f64 = 1e-13;

/// The size of the estimate or of the middle replicate: the largest may be far out.
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

fn not_finite(what: &'static str, value: f64) -> Error {
    Error::ScoringRules(scoring_rules::Error::NotFinite { what, value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_infinite_has_a_percentile_interval_and_nothing_else() {
        let values = vec![f64::NEG_INFINITY, 1.0, 2.0, f64::NAN];
        let replicates = Replicates::new(f64::NEG_INFINITY, values).unwrap();
        let found = replicates.percentile(Level::HALF);
        assert_eq!((found.interval.low(), found.interval.high()), (f64::NEG_INFINITY, 1.5));
        assert_eq!((found.standard_error, found.undefined), (None, 1));
        assert!(matches!(replicates.basic(Level::HALF), Err(Error::ScoringRules(_))));
        assert!(matches!(
            replicates.bca(&[1.0, f64::NAN], Level::HALF),
            Err(Error::ScoringRules(_))
        ));
        assert_eq!(replicates.bca(&[], Level::HALF), Err(Error::Empty));
        assert!(matches!(replicates.minus(&replicates), Err(Error::ScoringRules(_))));
    }

    #[test]
    fn nothing_defined_and_other_draws_are_errors() {
        let of = |values: &[f64]| Replicates::new(0.5, values.to_vec()).unwrap();
        assert_eq!(of(&[1.0, f64::NAN]), of(&[1.0, f64::NAN]));
        assert_ne!(of(&[1.0, f64::NAN]), of(&[1.0, 1.0]));
        let none = Replicates::new(0.5, vec![f64::NAN; 3]).unwrap_err();
        assert_eq!(none, Error::NoReplicate { resamples: 3 });
        assert!(matches!(Replicates::new(f64::NAN, vec![1.0]), Err(Error::ScoringRules(_))));
        let one = Replicates::new(0.5, vec![1.0]).unwrap();
        assert_eq!(one.standard_error(), None);
        let pair = Replicates::new(0.5, vec![1.0, 3.0]).unwrap();
        assert_eq!(pair.standard_error(), Some(2.0_f64.sqrt()));
        let two = Replicates::new(0.5, vec![1.0; 2]).unwrap();
        assert!(matches!(one.minus(&two), Err(Error::Length { what: "replicates", .. })));
        let drawn = Replicates::of_draws(0.5, vec![1.0], Some(7)).unwrap();
        assert!(matches!(one.minus(&drawn), Err(Error::OtherDraws)));
    }
}
