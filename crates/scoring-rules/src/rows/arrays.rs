use ndarray::{Array, ArrayView, Dimension};

use crate::{
    error::Error,
    rows::{mean_score, score_slice},
    rule::ScoringRule,
    values::probability::Probability,
    values::weight::Weight,
};

/// Scores an array of forecasts, which may have any number of axes, for an array of outcomes with the same shape. It
/// is [`score_slice`] for `ndarray`.
///
/// Arrays in row-major order are not copied; others are copied once.
///
/// # Errors
///
/// [`Error::Shape`] if the shapes differ; [`Error::NotAProbabilityAt`] for a forecast that is not a
/// probability, with its position in row-major order.
///
/// ```
/// use ndarray::array;
/// use scoring_rules::{BrierScore, score_array};
///
/// // Two runs of two steps each.
/// let forecasts = array![[0.5, 1.0], [0.25, 0.5]];
/// let outcomes = array![[true, true], [false, false]];
/// let scores = score_array(&BrierScore, forecasts.view(), outcomes.view())?;
/// assert_eq!(scores, array![[-0.25, 0.0], [-0.0625, -0.25]]);
/// # Ok::<(), scoring_rules::Error>(())
/// ```
pub fn score_array<R: ScoringRule + ?Sized, D: Dimension>(
    rule: &R,
    forecasts: ArrayView<'_, f64, D>,
    outcomes: ArrayView<'_, bool, D>,
) -> Result<Array<f64, D>, Error> {
    same_shape("outcomes", &forecasts, &outcomes)?;
    let mut scores = Array::zeros(forecasts.raw_dim());
    let (forecasts, outcomes) = (forecasts.as_standard_layout(), outcomes.as_standard_layout());
    // All three are in row-major order, so that each is a slice.
    if let (Some(forecasts), Some(outcomes), Some(scores)) =
        (forecasts.as_slice(), outcomes.as_slice(), scores.as_slice_mut())
    {
        score_slice(rule, Probability::from_slice(forecasts)?, outcomes, scores)?;
    }
    Ok(scores)
}

/// Returns the mean score of an array of forecasts, with weights if weights are given. It is [`mean_score`] for
/// `ndarray`, with the same bits if arrays are in row-major order.
///
/// # Errors
///
/// The errors of [`score_array`]; the errors of [`mean_score`] for weights and for empty arrays.
///
/// ```
/// use ndarray::array;
/// use scoring_rules::{BrierScore, Weight, mean_score_array};
///
/// let (forecasts, outcomes) = (array![0.5, 1.0], array![true, false]);
/// let weights = array![Weight::new(2.0)?, Weight::ONE];
/// let mean =
///     mean_score_array(&BrierScore, forecasts.view(), outcomes.view(), Some(weights.view()))?;
/// assert_eq!(mean, -0.5);
/// # Ok::<(), scoring_rules::Error>(())
/// ```
pub fn mean_score_array<R: ScoringRule + ?Sized, D: Dimension>(
    rule: &R,
    forecasts: ArrayView<'_, f64, D>,
    outcomes: ArrayView<'_, bool, D>,
    weights: Option<ArrayView<'_, Weight, D>>,
) -> Result<f64, Error> {
    same_shape("outcomes", &forecasts, &outcomes)?;
    if let Some(weights) = &weights {
        same_shape("weights", &forecasts, weights)?;
    }
    let (forecasts, outcomes) = (forecasts.as_standard_layout(), outcomes.as_standard_layout());
    let weights = weights.as_ref().map(|weights| weights.as_standard_layout());
    let (Some(forecasts), Some(outcomes)) = (forecasts.as_slice(), outcomes.as_slice()) else {
        return Err(Error::Empty);
    };
    let weights = weights.as_ref().and_then(|weights| weights.as_slice());
    mean_score(rule, Probability::from_slice(forecasts)?, outcomes, weights)
}

fn same_shape<A, B, D: Dimension>(
    what: &'static str,
    forecasts: &ArrayView<'_, A, D>,
    other: &ArrayView<'_, B, D>,
) -> Result<(), Error> {
    let (shape, found) = (forecasts.shape(), other.shape());
    // Arrays may differ in the number of axes; the length of a missing axis counts as 0.
    let axes = shape.len().max(found.len());
    let length = |shape: &[usize], axis| shape.get(axis).copied().unwrap_or(0);
    match (0..axes).find(|&axis| shape.get(axis) != found.get(axis)) {
        None => Ok(()),
        Some(axis) => Err(Error::Shape {
            what,
            axis,
            expected: length(shape, axis),
            found: length(found, axis),
        }),
    }
}
