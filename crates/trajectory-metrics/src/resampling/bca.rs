use scoring_rules::Level;

use crate::{
    error::{Error, Shared},
    numerics::{
        normal,
        quantiles::{quantile, tail},
    },
    resampling::replicates::{BootstrapEstimate, ROUNDING, Replicates},
};

impl Replicates {
    /// The bias-corrected and accelerated (BCa) interval. Its ends are the quantiles of the
    /// replicates at the shares `Phi(b + (b + z) / (1 - a (b + z)))`, where z is the normal quantile
    /// of `(1 - level) / 2` and of `(1 + level) / 2`.
    ///
    /// The bias b is the normal quantile of the share of replicates below the estimate, where ties
    /// count one half. Replicates that differ from the estimate by less than 1e-12 of the size of
    /// the values are ties. The acceleration a is a sixth of the skewness of the `jackknife` values
    /// of the same statistic, from [`Bootstrap::jackknife`](crate::Bootstrap::jackknife):
    /// `sum d^3 / (6 (sum d^2)^(3/2))`, where d is their mean minus each value; 0 if all are equal.
    /// The caller is responsible for passing jackknife values of the same rows and statistic.
    ///
    /// Reference: Efron (1987), Better bootstrap confidence intervals,
    /// doi:10.1080/01621459.1987.10478410.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Undefined`] if all replicates lie on one side of the estimate;
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
    /// assert!(accelerated.interval.high() > plain.interval.high());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn bca_interval(
        &self,
        jackknife: &[f64],
        level: Level,
    ) -> Result<BootstrapEstimate, Error> {
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
        Ok(self.interval(end(z), end(-z)))
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
    if let Some(index) = jackknife.iter().position(|value| !value.is_finite()) {
        let (what, value) = ("jackknife", jackknife[index]);
        return Err(Error::ScoringRules(Shared::NotFiniteAt { what, index, value }));
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn level(value: f64) -> Level {
        Level::new(value).unwrap()
    }

    #[test]
    fn replicates_on_one_side_of_the_estimate_have_no_bias_correction() {
        let above = Replicates::new(0.0, vec![1.0, 2.0]).unwrap();
        let interval = above.bca_interval(&[1.0, 2.0], level(0.9));
        assert!(matches!(
            interval,
            Err(Error::ScoringRules(Shared::Undefined { name: "the BCa interval", .. }))
        ));
        assert_eq!(above.percentile_interval(Level::HALF).interval.low(), 1.25);
        assert!(above.basic_interval(Level::HALF).is_ok());
        // A constant statistic has an interval of one point.
        let constant = Replicates::new(0.1, vec![0.1; 9]).unwrap();
        let interval = constant.bca_interval(&[0.1; 7], level(0.9)).unwrap();
        assert_eq!(
            (interval.interval.low(), interval.interval.high(), interval.standard_error),
            (0.1, 0.1, Some(0.0))
        );
        assert_eq!(constant.in_standard_errors(), None);
    }

    #[test]
    fn an_acceleration_beyond_the_pole_takes_the_last_replicate() {
        let values: Vec<f64> = (0..10_000).map(f64::from).collect();
        // Almost all replicates are below the estimate: b + z is above 6, the pole for a = 1/6.
        let skewed: Vec<f64> = (0..10_000).map(|i| if i == 0 { -1e9 } else { 0.0 }).collect();
        let a = acceleration(&skewed).unwrap();
        assert!((a - 1.0 / 6.0).abs() < 1e-4, "{a}");
        let replicates = Replicates::new(9_998.5, values).unwrap();
        let interval = replicates.bca_interval(&skewed, level(0.9999)).unwrap();
        assert_eq!(interval.interval.high(), 9_999.0);
        assert!(interval.interval.low() < interval.interval.high());
        // Mirrored, it takes the first replicate.
        let mirrored = Replicates::new(-9_998.5, (0..10_000).map(|i| -f64::from(i)).collect());
        let skewed: Vec<f64> = skewed.iter().map(|value| -value).collect();
        let interval = mirrored.unwrap().bca_interval(&skewed, level(0.9999)).unwrap();
        assert_eq!(interval.interval.low(), -9_999.0);
        assert!(interval.interval.low() < interval.interval.high());
    }

    #[test]
    fn an_interval_in_another_unit_is_the_same_interval() {
        // 0.1 + 0.2 equals 0.3 mathematically: a tie among replicates, no spread among jackknife
        // values.
        let paper = 0.1 + 0.2;
        let values = [0.2, 0.25, paper, paper, 0.3, 0.35, 0.45, 0.6, 0.7];
        for jackknife in [[0.1, 0.3, 0.9], [paper, 0.3, 0.3]] {
            let ends = |unit: f64| {
                let scaled = values.iter().map(|value| value * unit).collect();
                let replicates = Replicates::new(0.3 * unit, scaled).unwrap();
                let interval =
                    replicates.bca_interval(&jackknife.map(|v| v * unit), level(0.9)).unwrap();
                (interval.interval.low() / unit, interval.interval.high() / unit)
            };
            for power in [-900, -40, 40, 900] {
                assert_eq!(ends(2.0_f64.powi(power)), ends(1.0), "2^{power}");
            }
        }
    }

    #[test]
    fn replicates_that_equal_an_estimate_of_0_are_ties() {
        // As many replicates below as above, and no skewness: nothing to correct.
        let differences = Replicates::new(0.0, vec![0.0, 0.0, -1.0, 0.0, 1.0, 0.0, 0.0]).unwrap();
        let corrected = differences.bca_interval(&[-1.0, 0.0, 1.0], level(0.9)).unwrap();
        let plain = differences.percentile_interval(level(0.9));
        assert!(
            (corrected.interval.low() - plain.interval.low()).abs() < 1e-12,
            "{corrected:?} {plain:?}"
        );
        assert!(
            (corrected.interval.high() - plain.interval.high()).abs() < 1e-12,
            "{corrected:?} {plain:?}"
        );
    }
}
