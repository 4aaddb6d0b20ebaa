use crate::{
    error::Error,
    values::{level::Level, observed::Observed},
};

/// The pinball (quantile) loss: `level * (y - f)` for an outcome y above the forecast f, otherwise
/// `(1 - level) * (f - y)`.
///
/// From 0 up, in units of the outcome. Proper for the quantile of that level: no report is expected
/// to lose less than the quantile that holds, and where the quantile is unique, every other report
/// is expected to lose more. At level 1/2 it is half the absolute error. Where the outcome has a
/// cap, f and y are capped first (see [`Observed`]), and reports above the cap tie.
///
/// An infinite forecast is taken at its word: the loss is infinite, except that plus infinity
/// ("never") counts as the cap where there is one.
///
/// Reference: Koenker and Bassett (1978), Regression quantiles, doi:10.2307/1913643.
///
/// # Errors
///
/// [`Error::NotFinite`] for a forecast that is a NaN.
///
/// ```
/// use scoring_rules::{Level, Observed, pinball_loss};
///
/// let level = Level::new(0.75)?;
/// assert_eq!(pinball_loss(10.0, Observed::exact(14.0)?, level)?, 3.0);
/// assert_eq!(pinball_loss(10.0, Observed::exact(6.0)?, level)?, 1.0);
///
/// // Watched up to 12 only, and still going on.
/// assert_eq!(pinball_loss(10.0, Observed::under_cap(12.0, 12.0)?, level)?, 1.5);
/// # Ok::<(), scoring_rules::Error>(())
/// ```
pub fn pinball_loss(forecast: f64, outcome: Observed, level: Level) -> Result<f64, Error> {
    if forecast.is_nan() {
        return Err(Error::NotFinite { what: "the forecast", value: forecast });
    }
    Ok(pinball(forecast, outcome, level))
}

/// The same of a forecast that is no NaN.
#[inline]
pub(crate) fn pinball(forecast: f64, outcome: Observed, level: Level) -> f64 {
    // One difference and one product, neither of which can cancel.
    let (forecast, value) = (outcome.capped(forecast), outcome.value());
    if value >= forecast {
        level.get() * (value - forecast)
    } else {
        (1.0 - level.get()) * (forecast - value)
    }
}
