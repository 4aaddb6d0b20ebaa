use crate::{
    error::Error,
    intervals::{pinball_loss::pinball, quantiles::Quantiles},
    sums::compensated_sum::CompensatedSum,
    values::observed::Observed,
};

impl Quantiles {
    /// Returns the weighted interval score, as a loss. For a median m and K central intervals with coverages
    /// `1 - a_k`, it is `(|y - m| / 2 + sum of a_k / 2 * interval loss_k) / (K + 1/2)`, where y is the outcome.
    ///
    /// At least 0, in the units of the outcome; the absolute error if there is only a median. It is
    /// computed as the mean over all levels of twice the pinball loss, and is therefore proper: the
    /// true quantiles minimize the expected loss. If the outcome has a cap, the quantiles and the
    /// outcome are cut off at the cap first (see [`Observed`]). Cost: O(n).
    ///
    /// For many evenly spaced levels it approximates the CRPS; for unevenly spaced levels,
    /// [`Quantiles::crps_loss`] is the better approximation.
    ///
    /// Reference: Bracher, Ray, Gneiting and Reich (2021), Evaluating epidemic forecasts in an interval
    /// format, doi:10.1371/journal.pcbi.1008618.
    ///
    /// # Errors
    ///
    /// [`Error::NoPartner`] if there is no level within 1e-12 of one minus some level;
    /// [`Error::NoMedian`] if there is no median.
    ///
    /// ```
    /// use scoring_rules::{Error, Level, Observed, Quantiles};
    ///
    /// let levels = [Level::new(0.25)?, Level::HALF, Level::new(0.75)?];
    /// let forecast = Quantiles::new(&levels, &[3.0, 5.0, 9.0])?;
    /// // (|6 - 5| / 2 + 0.25 * (9 - 3)) / 1.5
    /// let loss = forecast.weighted_interval_loss(Observed::exact(6.0)?)?;
    /// assert!((loss - 4.0 / 3.0).abs() < 1e-15);
    ///
    /// let pair = Quantiles::new(&[levels[0], levels[2]], &[3.0, 9.0])?;
    /// let outcome = Observed::exact(6.0)?;
    /// assert_eq!(pair.weighted_interval_loss(outcome), Err(Error::NoMedian));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn weighted_interval_loss(&self, outcome: Observed) -> Result<f64, Error> {
        self.check_central()?;
        let mut sum = CompensatedSum::default();
        for (level, value) in self.iter() {
            sum.add(pinball(value, outcome, level));
        }
        // Twice the mean.
        Ok(sum.value() / (self.levels.len() as f64 / 2.0))
    }

    /// Returns the continuous ranked probability score of a forecast by quantiles, as a loss: the integral of twice the
    /// pinball loss over all levels. At each level, the forecast is the quantile with the nearest level.
    ///
    /// At least 0, in the units of the outcome. It is the sum of `2 w_i * pinball loss_i`, where w_i is
    /// the share of (0, 1) that is nearer to level i than to any other level; the first share begins at
    /// 0 and the last one ends at 1. For the levels `(i - 1/2) / n` each share is 1 / n, and the loss
    /// is the mean of twice the pinball losses. Levels close to each other, such as 0.01, 0.025, 0.05
    /// and 0.1, have small shares. The loss of a single median is the absolute error. As the levels
    /// become finer, the loss converges to the CRPS of the distribution.
    ///
    /// Proper, because it is a sum of pinball losses with positive weights. If the outcome has a cap,
    /// the quantiles and the outcome are cut off at the cap first (see [`Observed`]). Cost: O(n).
    ///
    /// Reference: Gneiting and Ranjan (2011), Comparing density forecasts using threshold- and
    /// quantile-weighted scoring rules, doi:10.1198/jbes.2010.08110, for the integral. The shares
    /// are the midpoint rule for levels of any spacing.
    ///
    /// ```
    /// use scoring_rules::{Level, Observed, Quantiles};
    ///
    /// let levels = [Level::new(0.25)?, Level::new(0.75)?];
    /// let forecast = Quantiles::new(&levels, &[3.0, 9.0])?;
    /// // The mean of 2 * 0.25 * (6 - 3) and 2 * 0.25 * (9 - 6).
    /// assert_eq!(forecast.crps_loss(Observed::exact(6.0)?), 1.5);
    /// # Ok::<(), scoring_rules::Error>(())
    /// ```
    #[must_use]
    pub fn crps_loss(&self, outcome: Observed) -> f64 {
        let levels = &self.levels;
        let mut sum = CompensatedSum::default();
        for (i, (level, value)) in self.iter().enumerate() {
            let p = level.get();
            let before = i.checked_sub(1).and_then(|j| levels.get(j)).map(|l| l.get());
            let after = levels.get(i + 1).map(|l| l.get());
            // Twice the share, computed so that a level close to 1 keeps the digits of 1 - level.
            let twice = match (before, after) {
                (Some(before), Some(after)) => after - before,
                (None, Some(after)) => p + after,
                (Some(before), None) => (1.0 - p) + (1.0 - before),
                (None, None) => 2.0,
            };
            sum.add(twice * pinball(value, outcome, level));
        }
        sum.value()
    }
}
