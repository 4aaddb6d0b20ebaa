use ndarray::{Array, ArrayView, Dimension};

use crate::{
    error::Error,
    rows::mean_score::{mean_score, score_slice},
    rule::ScoringRule,
    values::probability::Probability,
    values::weight::Weight,
};

/// Scores an array of forecasts with any number of axes against outcomes of the same shape:
/// [`score_slice`] for `ndarray`.
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

/// The mean score of an array of forecasts, weighted if weights are given: [`mean_score`] for
/// `ndarray`, with the same bits for arrays in row-major order.
///
/// # Errors
///
/// Those of [`score_array`], and those of [`mean_score`] for weights and for empty arrays.
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

#[cfg(test)]
mod tests {
    use ndarray::{Array2, Axis, Slice, array};

    use super::*;
    use crate::LogScore;

    #[test]
    fn the_layout_of_an_array_does_not_matter() {
        let forecasts = Array2::from_shape_fn((7, 5), |(i, j)| (i as f64 * 5.0 + j as f64) / 36.0);
        let outcomes = forecasts.map(|p| (p * 100.0) as i32 % 3 == 0);
        let weights = forecasts.map(|p| Weight::new(1.0 + p).unwrap());
        let rule = LogScore::clipped(1e-6).unwrap();
        let scores = score_array(&rule, forecasts.view(), outcomes.view()).unwrap();
        let turned = score_array(&rule, forecasts.t(), outcomes.t()).unwrap();
        assert_eq!(scores.t(), turned);
        let (rows, every_second) = (Axis(0), Slice::new(0, None, 2));
        let strided = forecasts.slice_axis(rows, every_second);
        let some = score_array(&rule, strided, outcomes.slice_axis(rows, every_second)).unwrap();
        assert_eq!(scores.slice_axis(rows, every_second), some);

        let mean = |f: ArrayView<'_, f64, _>, o: ArrayView<'_, bool, _>, w| {
            mean_score_array(&rule, f, o, w).unwrap()
        };
        let plain = mean(forecasts.view(), outcomes.view(), Some(weights.view()));
        let turned = mean(forecasts.t(), outcomes.t(), Some(weights.t()));
        approx::assert_relative_eq!(plain, turned, epsilon = 0.0, max_relative = 1e-14);

        let values: Vec<f64> = forecasts.iter().copied().collect();
        let weights: Vec<Weight> = weights.iter().copied().collect();
        let values = Probability::from_slice(&values).unwrap();
        let outcomes: Vec<bool> = outcomes.iter().copied().collect();
        assert_eq!(Ok(plain), mean_score(&rule, values, &outcomes, Some(&weights)));
    }

    #[test]
    fn different_shapes_and_invalid_forecasts_are_refused() {
        let forecasts = array![[0.5, 0.5, 0.5], [0.5, 0.5, 1.5]];
        let outcomes = Array2::from_elem((3, 2), true);
        let error = score_array(&LogScore::exact(), forecasts.view(), outcomes.view()).unwrap_err();
        assert_eq!(error, Error::Shape { what: "outcomes", axis: 0, expected: 2, found: 3 });
        let error = score_array(&LogScore::exact(), forecasts.view(), outcomes.t()).unwrap_err();
        assert_eq!(error, Error::NotAProbabilityAt { index: 5, value: 1.5 });
        let (one, two) = (forecasts.view().into_dyn(), outcomes.row(0).into_dyn());
        let error = score_array(&LogScore::exact(), one, two).unwrap_err();
        assert_eq!(error, Error::Shape { what: "outcomes", axis: 1, expected: 3, found: 0 });

        let weights = forecasts.map(|_| Weight::ONE);
        let mean = |forecasts, outcomes, weights| {
            mean_score_array(&LogScore::exact(), forecasts, outcomes, weights).unwrap_err()
        };
        let error = mean(forecasts.view(), outcomes.view(), None);
        assert_eq!(error, Error::Shape { what: "outcomes", axis: 0, expected: 2, found: 3 });
        let error = mean(forecasts.view(), outcomes.t(), Some(weights.t()));
        assert_eq!(error, Error::Shape { what: "weights", axis: 0, expected: 2, found: 3 });
        let error = mean(forecasts.view(), outcomes.t(), None);
        assert_eq!(error, Error::NotAProbabilityAt { index: 5, value: 1.5 });
    }
}
