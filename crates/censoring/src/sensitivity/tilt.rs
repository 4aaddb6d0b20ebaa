use scoring_rules::{Probability, checks::setting};

use crate::error::Error;

/// Multiplies the odds of a probability by `odds_ratio`.
///
/// ```text
/// q r / (1 - q + q r),  so that  odds(tilt(q, r)) = r odds(q)
/// ```
///
/// This is the step of a sensitivity analysis: if the cut-off is related to the outcome, the odds of success
/// after the stop are wrong by a factor that the data cannot reveal. An odds ratio of 1 changes nothing;
/// probabilities of 0 and 1 do not change.
///
/// Reference: Scharfstein, Rotnitzky and Robins (1999), Adjusting for nonignorable drop-out using
/// semiparametric nonresponse models, doi:10.1080/01621459.1999.10473862.
///
/// # Errors
///
/// [`scoring_rules::Error::Setting`] unless the odds ratio is positive and finite.
///
/// ```
/// use censoring::{Error, Probability, tilt};
///
/// assert_eq!(tilt(Probability::HALF, 3.0)?.get(), 0.75);
/// assert_eq!(tilt(Probability::ONE, 1e-9)?, Probability::ONE);
/// # Ok::<(), Error>(())
/// ```
pub fn tilt(q: Probability, odds_ratio: f64) -> Result<Probability, Error> {
    check_odds_ratio(odds_ratio)?;
    Ok(Probability::new(tilted(q.get(), odds_ratio))?)
}

/// Checks that an odds ratio is positive and finite.
pub(crate) fn check_odds_ratio(odds_ratio: f64) -> Result<(), Error> {
    let is_valid = odds_ratio > 0.0 && odds_ratio < f64::INFINITY;
    Ok(setting("odds_ratio", odds_ratio, is_valid, "above 0 and finite")?)
}

/// [`tilt`] of checked numbers.
pub(crate) fn tilted(q: f64, odds_ratio: f64) -> f64 {
    // Without cancellation, a small probability keeps all its digits.
    q * odds_ratio / ((1.0 - q) + q * odds_ratio)
}
