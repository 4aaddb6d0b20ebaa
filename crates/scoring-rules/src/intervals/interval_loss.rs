use crate::values::{interval::Interval, level::Level, observed::Observed};

/// The interval (Winkler) loss of a central interval that claims a coverage: its width, plus
/// `2 / (1 - coverage)` times the distance of an outcome outside.
///
/// From 0 up, in units of the outcome; `2 / (1 - coverage)` times the sum of the pinball losses of
/// both ends, at levels `(1 - coverage) / 2` and `(1 + coverage) / 2`. Proper: the interval between
/// these two quantiles is expected to lose least. Where the outcome has a cap, both ends and the
/// outcome are capped first (see [`Observed`]), also in the width, and ends above the cap tie.
/// The loss of an interval with an infinite end, after capping, is infinite.
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
/// // Watched up to 25 only: neither side knows more than "25 or above".
/// assert_eq!(interval_loss(forecast, Observed::under_cap(25.0, 25.0)?, coverage), 15.0);
/// # Ok::<(), scoring_rules::Error>(())
/// ```
#[must_use]
pub fn interval_loss(forecast: Interval, outcome: Observed, coverage: Level) -> f64 {
    let [low, high] = [forecast.low(), forecast.high()].map(|end| outcome.capped(end));
    if !(low.is_finite() && high.is_finite()) {
        return f64::INFINITY;
    }
    let value = outcome.value();
    // At most one of the two distances is positive.
    let outside = (low - value).max(value - high).max(0.0);
    (high - low) + 2.0 / (1.0 - coverage.get()) * outside
}
