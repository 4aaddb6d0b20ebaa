//! Many rows, each with a forecast and an outcome: the score of each row, and the mean score.

#[cfg(feature = "ndarray")]
pub(crate) mod arrays;

use crate::{
    checks::same_length, error::Error, loops::row_sums::sum_in_lanes, rule::ScoringRule,
    sums::exact_sum::ExactSum, values::probability::Probability, values::weight::Weight,
};

/// The number of rows in a block. Scores within a block are added in floating point, and the sums of
/// blocks exactly. The last bits of a mean depend on this number.
pub(crate) const BLOCK: usize = 1024;

/// Scores rows: sets `scores[i]` to the score of the forecast `forecasts[i]` for the outcome `outcomes[i]`.
///
/// O(n), without allocation, and vectorised for the rules of this crate. Log scores are within 2 units
/// in the last place.
///
/// # Errors
///
/// [`Error::Length`] unless outcomes and scores have one entry per forecast; then nothing is written.
///
/// ```
/// use scoring_rules::{BrierScore, Probability, score_slice};
///
/// let forecasts = Probability::from_slice(&[0.5, 1.0, 0.25])?;
/// let mut scores = [0.0; 3];
/// score_slice(&BrierScore, forecasts, &[true, false, false], &mut scores)?;
/// assert_eq!(scores, [-0.25, -1.0, -0.0625]);
/// # Ok::<(), scoring_rules::Error>(())
/// ```
pub fn score_slice<R: ScoringRule + ?Sized>(
    rule: &R,
    forecasts: &[Probability],
    outcomes: &[bool],
    scores: &mut [f64],
) -> Result<(), Error> {
    same_length("outcomes", forecasts.len(), outcomes.len())?;
    same_length("scores", forecasts.len(), scores.len())?;
    rule.fill_scores(forecasts, outcomes, scores);
    Ok(())
}

/// Returns the mean score of rows, with weights if weights are given.
///
/// Rows are added in blocks of 1,024, always in the same order, and the sums of blocks exactly. The order of
/// the rows affects the last digits, by at most 1e-12 of the mean size of the scores; [`ExactMean`](crate::ExactMean) does not
/// depend on it. The log score takes one logarithm per block.
///
/// A row of weight 0 does not count, even if its score is infinite.
///
/// Cost: O(n), no allocation.
///
/// # Errors
///
/// [`Error::Length`] unless outcomes, and weights if given, have one entry per forecast;
/// [`Error::Empty`] if no row has a positive weight; [`Error::NotFinite`] if scores are NaN or
/// infinite in both directions. In this crate only power scores with power <= 0 produce such scores.
///
/// ```
/// use scoring_rules::{BrierScore, Probability, Weight, mean_score};
///
/// let forecasts = Probability::from_slice(&[0.5, 1.0])?;
/// let outcomes = [true, false];
/// assert_eq!(mean_score(&BrierScore, forecasts, &outcomes, None)?, -0.625);
/// let weights = Weight::from_slice(&[2.0, 1.0])?;
/// assert_eq!(mean_score(&BrierScore, forecasts, &outcomes, Some(weights))?, -0.5);
/// # Ok::<(), scoring_rules::Error>(())
/// ```
pub fn mean_score<R: ScoringRule + ?Sized>(
    rule: &R,
    forecasts: &[Probability],
    outcomes: &[bool],
    weights: Option<&[Weight]>,
) -> Result<f64, Error> {
    same_length("outcomes", forecasts.len(), outcomes.len())?;
    if let Some(weights) = weights {
        same_length("weights", forecasts.len(), weights.len())?;
    }
    let (mut sum, mut total) = (ExactSum::default(), ExactSum::default());
    let mut scores = [0.0; BLOCK];
    for (i, (forecasts, outcomes)) in
        forecasts.chunks(BLOCK).zip(outcomes.chunks(BLOCK)).enumerate()
    {
        let Some(weights) = weights else {
            sum.add(rule.sum_scores(forecasts, outcomes));
            total.add(forecasts.len() as f64);
            continue;
        };
        let weights = Weight::as_f64_slice(&weights[i * BLOCK..][..forecasts.len()]);
        let scores = &mut scores[..forecasts.len()];
        rule.fill_scores(forecasts, outcomes, scores);
        for (score, &weight) in scores.iter_mut().zip(weights) {
            *score = if weight == 0.0 { 0.0 } else { *score * weight };
        }
        sum.add(sum_in_lanes(scores, |&score| score));
        total.add(sum_in_lanes(weights, |&weight| weight));
    }
    let total = total.value();
    if total == 0.0 {
        return Err(Error::Empty);
    }
    let value = sum.value() / total;
    if value.is_nan() { Err(Error::NotFinite { what: "the mean score", value }) } else { Ok(value) }
}
