use scoring_rules::{Interval, Level};

use crate::{
    checks::all_finite,
    error::{Error, Shared},
    numerics::{
        normal,
        quantiles::{quantile, tail},
    },
    resampling::replicates::{ROUNDING, Replicates},
};

impl Replicates {
    /// Returns the bias-corrected and accelerated (BCa) interval. Its ends are the quantiles of the
    /// replicates at the shares `Phi(b + (b + z) / (1 - a (b + z)))`, where z is the normal quantile
    /// of `(1 - level) / 2` and of `(1 + level) / 2`.
    ///
    /// Let s be the share of replicates below the estimate, where ties count one half. The bias b is
    /// the normal quantile of s. Replicates that differ from the estimate by less than 1e-12 of the
    /// size of the values are ties. The acceleration a is one sixth of the skewness of the
    /// `jackknife` values for the same statistic, from
    /// [`Bootstrap::jackknife`](crate::Bootstrap::jackknife): `sum d^3 / (6 (sum d^2)^(3/2))`, where
    /// d is their mean minus each value; 0 if all are equal. The caller is responsible for passing
    /// jackknife values of the same rows and statistic.
    ///
    /// Reference: Efron (1987), Better bootstrap confidence intervals,
    /// doi:10.1080/01621459.1987.10478410.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Undefined`] if all replicates are on one side of the estimate;
    /// [`scoring_rules::Error::Empty`] without jackknife values; [`Error::ScoringRules`] for a
    /// jackknife value that is not finite.
    ///
    /// ```
    /// use trajectory_metrics::{Bootstrap, Error, Level, Seed};
    ///
    /// // Nine short runs and a long one: the distribution of the mean is skewed to the right.
    /// let steps = [2.0, 3.0, 3.0, 4.0, 4.0, 5.0, 5.0, 6.0, 7.0, 31.0];
    /// let rows = Bootstrap::rows(10, Seed::new(7))?;
    /// let replicates = rows.mean(&steps, None, 2_000)?;
    /// let jackknife = rows.jackknife(|counts| {
    ///     let sum: f64 = steps.iter().zip(counts).map(|(s, &n)| s * f64::from(n)).sum();
    ///     Ok(sum / f64::from(counts.iter().sum::<u32>()))
    /// })?;
    /// let level = Level::new(0.9)?;
    /// let plain = replicates.percentile_interval(level);
    /// let accelerated = replicates.bca_interval(&jackknife, level)?;
    /// assert!(accelerated.high() > plain.high());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn bca_interval(&self, jackknife: &[f64], level: Level) -> Result<Interval, Error> {
        let tail = tail(level);
        let acceleration = acceleration(jackknife)?;
        let sorted = self.sorted();
        let rounding = TIE * self.scale();
        let below = sorted.partition_point(|&value| value < self.estimate() - rounding);
        let up_to = sorted.partition_point(|&value| value <= self.estimate() + rounding);
        let bias = normal::quantile((below + up_to) as f64 / (2 * sorted.len()) as f64);
        if bias.is_infinite() {
            let (name, reason) =
                ("the BCa interval", "all replicates lie on one side of the estimate");
            return Err(Shared::Undefined { name, reason }.into());
        }
        let end = |z: f64| {
            let shifted = bias + z;
            let slowed = 1.0 - acceleration * shifted;
            // Beyond the pole, the share is 0 or 1.
            let z = if slowed > 0.0 { shifted / slowed } else { shifted * f64::INFINITY };
            quantile(&sorted, normal::cdf(bias + z))
        };
        let z = normal::quantile(tail);
        Ok(Interval::between(end(z), end(-z)))
    }
}

/// Replicates that differ from the estimate by less than this share of the size of the values are
/// ties.
const TIE: f64 = 1e-12;

/// A sixth of the skewness of the jackknife values.
fn acceleration(jackknife: &[f64]) -> Result<f64, Error> {
    if jackknife.is_empty() {
        return Err(Shared::Empty.into());
    }
    all_finite("jackknife", jackknife)?;
    // Relative to the first value, so that equal values have no spread at all.
    let shifted = || jackknife.iter().map(|value| value - jackknife[0]);
    let mean = shifted().sum::<f64>() / jackknife.len() as f64;
    let largest = shifted().fold(0.0_f64, |largest, value| largest.max((mean - value).abs()));
    let size = jackknife.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
    if largest <= ROUNDING * size {
        return Ok(0.0);
    }
    // Powers relative to the largest neither overflow nor underflow.
    let (squares, cubes) = shifted().fold((0.0, 0.0), |(squares, cubes), value| {
        let d = (mean - value) / largest;
        (squares + d * d, cubes + d * d * d)
    });
    Ok(cubes / (6.0 * squares * squares.sqrt()))
}
