use crate::{
    checks::{all_finite, same_length},
    error::Error,
    sums::exact_mean::ExactMean,
    values::{interval::Interval, weight::Weight},
};

/// Returns the empirical coverage: the weighted share of outcomes that lie in their intervals.
/// Intervals contain their bounds.
///
/// In [0, 1], to be compared with the nominal coverage of the intervals. Because wide intervals
/// cover easily, interpret it together with [`mean_width`]. It is not a proper loss; use
/// [`interval_loss`](crate::interval_loss) for that. The result does not depend on the order of the
/// rows, and a row of weight 2 counts as much as two equal rows.
///
/// # Errors
///
/// [`Error::Length`] unless there is one outcome, and one weight if weights are given, per
/// forecast; [`Error::NotFiniteAt`] for an outcome that is NaN or infinite; [`Error::Empty`] if no
/// row has positive weight.
///
/// ```
/// use scoring_rules::{Interval, Weight, empirical_coverage, mean_width};
///
/// let forecasts = [Interval::new(0.0, 2.0)?, Interval::new(5.0, 9.0)?];
/// assert_eq!(empirical_coverage(&forecasts, &[2.0, 4.0], None)?, 0.5);
/// let weights = Weight::from_slice(&[3.0, 1.0])?;
/// assert_eq!(empirical_coverage(&forecasts, &[2.0, 4.0], Some(weights))?, 0.75);
/// assert_eq!(mean_width(&forecasts, None)?, 3.0);
/// # Ok::<(), scoring_rules::Error>(())
/// ```
pub fn empirical_coverage(
    forecasts: &[Interval],
    outcomes: &[f64],
    weights: Option<&[Weight]>,
) -> Result<f64, Error> {
    same_length("outcomes", forecasts.len(), outcomes.len())?;
    all_finite("outcomes", outcomes)?;
    let inside = forecasts.iter().zip(outcomes).map(|(f, &y)| f64::from(f.contains(y)));
    ExactMean::of(inside, weights)
}

/// Returns the weighted mean width of intervals, in the units of the outcome.
///
/// Infinite if the width of an interval with positive weight is infinite. The result does not
/// depend on the order of the rows, and a row of weight 2 counts as much as two equal rows.
///
/// # Errors
///
/// [`Error::Length`] unless there is one weight per forecast; [`Error::Empty`] if no row has
/// positive weight; [`Error::NotFinite`] if a sum of finite widths exceeds the largest f64.
pub fn mean_width(forecasts: &[Interval], weights: Option<&[Weight]>) -> Result<f64, Error> {
    ExactMean::of(forecasts.iter().map(|forecast| forecast.width()), weights)
}
