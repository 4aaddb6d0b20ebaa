use crate::{
    checks::same_length, error::Error, sums::exact_mean::ExactMean, values::interval::Interval,
    values::weight::Weight,
};

/// The weighted share of outcomes that lie in their intervals, ends included.
///
/// In [0, 1]; to be read against the coverage that the intervals claim, and beside [`mean_width`],
/// as wide intervals cover easily. Not a proper loss; that is
/// [`interval_loss`](crate::interval_loss). Rows may come in any order, and a weight of 2 is the
/// row given twice, to the last bit.
///
/// # Errors
///
/// [`Error::Length`] where outcomes or weights are not one a forecast; [`Error::NotFiniteAt`] for
/// an outcome that is a NaN or infinite; [`Error::Empty`] where nothing has positive weight.
///
/// ```
/// use scoring_rules::{Interval, Weight, coverage, mean_width};
///
/// let forecasts = [Interval::new(0.0, 2.0)?, Interval::new(5.0, 9.0)?];
/// assert_eq!(coverage(&forecasts, &[2.0, 4.0], None)?, 0.5);
/// let weights = Weight::from_slice(&[3.0, 1.0])?;
/// assert_eq!(coverage(&forecasts, &[2.0, 4.0], Some(weights))?, 0.75);
/// assert_eq!(mean_width(&forecasts, None)?, 3.0);
/// # Ok::<(), scoring_rules::Error>(())
/// ```
pub fn coverage(
    forecasts: &[Interval],
    outcomes: &[f64],
    weights: Option<&[Weight]>,
) -> Result<f64, Error> {
    same_length("outcomes", forecasts.len(), outcomes.len())?;
    for (index, &value) in outcomes.iter().enumerate() {
        if !value.is_finite() {
            return Err(Error::NotFiniteAt { what: "outcomes", index, value });
        }
    }
    let inside = forecasts.iter().zip(outcomes).map(|(f, &y)| f64::from(f.contains(y)));
    mean(inside, weights)
}

/// The weighted mean width of intervals, in units of the outcome; infinite where an interval of
/// positive weight has one infinite end, or two different ones.
///
/// Rows may come in any order, and a weight of 2 is the row given twice, to the last bit.
///
/// # Errors
///
/// As of [`coverage`], with nothing said of outcomes; [`Error::NotFinite`] where a width times its
/// weight is beyond the largest number.
pub fn mean_width(forecasts: &[Interval], weights: Option<&[Weight]>) -> Result<f64, Error> {
    mean(forecasts.iter().map(|forecast| forecast.width()), weights)
}

fn mean(
    values: impl ExactSizeIterator<Item = f64>,
    weights: Option<&[Weight]>,
) -> Result<f64, Error> {
    let mut mean = ExactMean::default();
    match weights {
        None => mean.extend(values),
        Some(weights) => {
            same_length("weights", values.len(), weights.len())?;
            for (value, &weight) in values.zip(weights) {
                mean.update_weighted(value, weight)?;
            }
        }
    }
    mean.finish()
}
