//! Scores of arrays.

use ndarray::{Array2, ArrayView, Axis, Slice, array};
use scoring_rules::{
    Error, LogScore, Probability, Weight, mean_score, mean_score_array, score_array,
};

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
    assert!(matches!(error, Error::Shape { what: "outcomes", axis: 0, expected: 2, found: 3, .. }));
    let error = score_array(&LogScore::exact(), forecasts.view(), outcomes.t()).unwrap_err();
    assert!(matches!(error, Error::NotAProbabilityAt { index: 5, value: 1.5, .. }));
    let (one, two) = (forecasts.view().into_dyn(), outcomes.row(0).into_dyn());
    let error = score_array(&LogScore::exact(), one, two).unwrap_err();
    assert!(matches!(error, Error::Shape { what: "outcomes", axis: 1, expected: 3, found: 0, .. }));

    let weights = forecasts.map(|_| Weight::ONE);
    let mean = |forecasts, outcomes, weights| {
        mean_score_array(&LogScore::exact(), forecasts, outcomes, weights).unwrap_err()
    };
    let error = mean(forecasts.view(), outcomes.view(), None);
    assert!(matches!(error, Error::Shape { what: "outcomes", axis: 0, expected: 2, found: 3, .. }));
    let error = mean(forecasts.view(), outcomes.t(), Some(weights.t()));
    assert!(matches!(error, Error::Shape { what: "weights", axis: 0, expected: 2, found: 3, .. }));
    let error = mean(forecasts.view(), outcomes.t(), None);
    assert!(matches!(error, Error::NotAProbabilityAt { index: 5, value: 1.5, .. }));
}
