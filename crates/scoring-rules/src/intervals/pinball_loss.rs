use crate::{
    checks::not_nan,
    error::Error,
    values::{level::Level, observed::Observed},
};

/// Returns the pinball loss (quantile loss) of a forecast f of a quantile: `level * (y - f)` if the outcome y is above
/// f, and otherwise `(1 - level) * (f - y)`.
///
/// At least 0, in the units of the outcome. Proper for the quantile of the given level: the true
/// quantile minimizes the expected loss, and if it is unique, every other report has a larger
/// expected loss. At level 1/2 the loss is half the absolute error. If the outcome has a cap, f and
/// y are cut off at the cap first (see [`Observed`]), and reports above the cap have equal losses.
///
/// The loss of an infinite forecast is infinite, except that a cap replaces plus infinity.
///
/// Reference: Koenker and Bassett (1978), Regression quantiles, doi:10.2307/1913643.
///
/// # Errors
///
/// [`Error::NotANumber`] if the forecast is NaN.
///
/// ```
/// use scoring_rules::{Level, Observed, pinball_loss};
///
/// let level = Level::new(0.75)?;
/// assert_eq!(pinball_loss(10.0, Observed::exact(14.0)?, level)?, 3.0);
/// assert_eq!(pinball_loss(10.0, Observed::exact(6.0)?, level)?, 1.0);
///
/// // Censored at 12.
/// assert_eq!(pinball_loss(10.0, Observed::capped(12.0, 12.0)?, level)?, 1.5);
/// # Ok::<(), scoring_rules::Error>(())
/// ```
pub fn pinball_loss(forecast: f64, outcome: Observed, level: Level) -> Result<f64, Error> {
    not_nan("the forecast", forecast)?;
    Ok(pinball(forecast, outcome, level))
}

/// The pinball loss of a forecast that is not NaN.
#[inline]
pub(crate) fn pinball(forecast: f64, outcome: Observed, level: Level) -> f64 {
    let (forecast, value) = (outcome.cut_off(forecast), outcome.value);
    if value >= forecast {
        level.get() * (value - forecast)
    } else {
        (1.0 - level.get()) * (forecast - value)
    }
}
