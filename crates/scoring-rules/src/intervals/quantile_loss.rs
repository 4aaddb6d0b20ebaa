use crate::{
    error::Error,
    intervals::{pinball_loss::pinball, quantiles::Quantiles},
    sums::compensated_sum::CompensatedSum,
    values::observed::Observed,
};

/// The weighted interval score, as a loss: of a median m and K central intervals with coverages
/// `1 - a_k`, `(|y - m| / 2 + sum of a_k / 2 * interval loss_k) / (K + 1/2)`.
///
/// From 0 up, in units of the outcome; the absolute error where there is a median only. It is the
/// plain mean over all levels of twice the pinball loss, which is how it is computed, and so it is
/// proper: the quantiles that hold are expected to lose least. Where the outcome has a cap, all
/// quantiles and the outcome are capped first (see [`Observed`]). Takes O(n).
///
/// Close to the CRPS for many levels that are evenly spread; for others, [`quantile_crps_loss`] is
/// closer.
///
/// Reference: Bracher, Ray, Gneiting and Reich (2021), Evaluating epidemic forecasts in an interval
/// format, doi:10.1371/journal.pcbi.1008618.
///
/// # Errors
///
/// [`Error::NoPartner`] where a level has none within 1e-12 of one minus it; [`Error::NoMedian`]
/// where all have but there is no median.
///
/// ```
/// use scoring_rules::{Error, Level, Observed, Quantiles, weighted_interval_loss};
///
/// let levels = [Level::new(0.25)?, Level::HALF, Level::new(0.75)?];
/// let forecast = Quantiles::new(&levels, &[3.0, 5.0, 9.0])?;
/// // (|6 - 5| / 2 + 0.25 * (9 - 3)) / 1.5
/// let loss = weighted_interval_loss(&forecast, Observed::exact(6.0)?)?;
/// assert!((loss - 4.0 / 3.0).abs() < 1e-15);
///
/// let pair = Quantiles::new(&[levels[0], levels[2]], &[3.0, 9.0])?;
/// let outcome = Observed::exact(6.0)?;
/// assert_eq!(weighted_interval_loss(&pair, outcome), Err(Error::NoMedian));
/// # Ok::<(), Error>(())
/// ```
pub fn weighted_interval_loss(forecast: &Quantiles, outcome: Observed) -> Result<f64, Error> {
    forecast.check_central()?;
    let mut sum = CompensatedSum::default();
    for (level, value) in forecast.iter() {
        sum.add(pinball(value, outcome, level));
    }
    // Twice the mean; n is odd and at least 1.
    Ok(sum.value() / (forecast.levels().len() as f64 / 2.0))
}

/// The continuous ranked probability score as a loss, from quantiles: the integral over all levels
/// of twice the pinball loss, each quantile standing for the levels nearest to its own.
///
/// From 0 up, in units of the outcome. The sum of `2 w_i * pinball loss_i`, where w_i is the share
/// of (0, 1) that is nearer to level i than to any other level: it reaches half way to the
/// neighbours, and to 0 and 1 at the ends. For the levels `(i - 1/2) / n` each share is 1 / n and
/// the loss is the plain mean of twice the pinball losses; levels that crowd together, as in
/// 0.01, 0.025, 0.05, 0.1, count for no more of (0, 1) than they stand for. A single median gives
/// the absolute error. With ever finer levels it becomes the CRPS of the distribution they are of.
///
/// Proper, as a sum of pinball losses with positive weights. Where the outcome has a cap, all
/// quantiles and the outcome are capped first (see [`Observed`]). Takes O(n).
///
/// Reference: Gneiting and Ranjan (2011), Comparing density forecasts using threshold- and
/// quantile-weighted scoring rules, doi:10.1198/jbes.2010.08110, for the integral; the shares are
/// the midpoint rule for levels of any spacing.
///
/// ```
/// use scoring_rules::{Level, Observed, Quantiles, quantile_crps_loss};
///
/// let levels = [Level::new(0.25)?, Level::new(0.75)?];
/// let forecast = Quantiles::new(&levels, &[3.0, 9.0])?;
/// // The mean of 2 * 0.25 * (6 - 3) and 2 * 0.25 * (9 - 6).
/// assert_eq!(quantile_crps_loss(&forecast, Observed::exact(6.0)?), 1.5);
/// # Ok::<(), scoring_rules::Error>(())
/// ```
#[must_use]
pub fn quantile_crps_loss(forecast: &Quantiles, outcome: Observed) -> f64 {
    let levels = forecast.levels();
    let mut sum = CompensatedSum::default();
    for (i, (level, value)) in forecast.iter().enumerate() {
        let p = level.get();
        let before = i.checked_sub(1).and_then(|j| levels.get(j)).map(|l| l.get());
        let after = levels.get(i + 1).map(|l| l.get());
        // Twice the share. Sums of small parts: a level close to 1 keeps the digits of 1 - level.
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
