use trajectory_metrics::Probability;

/// Computes the features of a success model from the forecasts up to a step.
///
/// 1. the log-odds of the last forecast, clipped to [1e-6, 1 - 1e-6];
/// 2. the mean log-odds of all of them;
/// 3. the change of the log-odds from the first to the last;
/// 4. `ln(1 + steps)`.
///
/// All features are 0 without a forecast. They are between -14 and 14, and the change between -28 and
/// 28.
///
/// The forecasts should come from a stream that is not evaluated. For several such streams, join their
/// features.
///
/// ```
/// use censoring::{Error, Probability, prefix_features};
///
/// let features = prefix_features(Probability::from_slice(&[0.5, 0.75])?);
/// let three_to_one = 3.0_f64.ln();
/// assert_eq!(features, [three_to_one, three_to_one / 2.0, three_to_one, 2.0_f64.ln_1p()]);
/// # Ok::<(), Error>(())
/// ```
#[must_use]
pub fn prefix_features(forecasts: &[Probability]) -> Vec<f64> {
    let log_odds = |forecast: &Probability| {
        let p = forecast.get().clamp(1e-6, 1.0 - 1e-6);
        (p / (1.0 - p)).ln()
    };
    let (Some(first), Some(last)) = (forecasts.first(), forecasts.last()) else {
        return vec![0.0; 4];
    };
    let (first, last, steps) = (log_odds(first), log_odds(last), forecasts.len() as f64);
    let mean = forecasts.iter().map(log_odds).sum::<f64>() / steps;
    vec![last, mean, last - first, steps.ln_1p()]
}
