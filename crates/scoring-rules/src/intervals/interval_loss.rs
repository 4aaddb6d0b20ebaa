use crate::values::{interval::Interval, level::Level, observed::Observed};

/// Returns the interval loss (Winkler score) of a central interval with a nominal coverage. It is the width of the
/// interval; for an outcome outside the interval, `2 / (1 - coverage)` times the distance from the interval to the
/// outcome is added.
///
/// At least 0, in the units of the outcome. It equals `2 / (1 - coverage)` times the sum of the
/// pinball losses of the two bounds, at the levels `(1 - coverage) / 2` and `(1 + coverage) / 2`,
/// and is therefore proper: the interval between the true quantiles of these levels minimizes the
/// expected loss. If the outcome has a cap, both bounds and the outcome are cut off at the cap
/// first (see [`Observed`]), which also affects the width. If a bound is still infinite, the loss
/// is infinite.
///
/// References: Winkler (1972), A decision-theoretic approach to interval estimation,
/// doi:10.1080/01621459.1972.10481224; Gneiting and Raftery (2007), Strictly proper scoring rules,
/// prediction, and estimation, section 6.2, doi:10.1198/016214506000001437.
///
/// ```
/// use scoring_rules::{Interval, Level, Observed, interval_loss};
///
/// let forecast = Interval::new(10.0, 30.0)?;
/// let coverage = Level::new(0.5)?;
/// assert_eq!(interval_loss(forecast, Observed::exact(12.0)?, coverage), 20.0);
/// assert_eq!(interval_loss(forecast, Observed::exact(33.0)?, coverage), 20.0 + 4.0 * 3.0);
///
/// // Censored at 25, which also replaces the high end of the forecast.
/// assert_eq!(interval_loss(forecast, Observed::capped(25.0, 25.0)?, coverage), 15.0);
/// # Ok::<(), scoring_rules::Error>(())
/// ```
#[must_use]
pub fn interval_loss(forecast: Interval, outcome: Observed, coverage: Level) -> f64 {
    let [low, high] = [forecast.low(), forecast.high()].map(|end| outcome.cut_off(end));
    if !(low.is_finite() && high.is_finite()) {
        return f64::INFINITY;
    }
    let value = outcome.value;
    // At most one of the two distances is positive.
    let outside = (low - value).max(value - high).max(0.0);
    (high - low) + 2.0 / (1.0 - coverage.get()) * outside
}
