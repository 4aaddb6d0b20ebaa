//! The gradient is zero at the line that is returned.
#![allow(clippy::unwrap_used)]

use super::{Line, Rows, sigmoid};
use proptest::prelude::*;

/// The features of a row, and the weights of its failures and its successes.
type Row = (Vec<f64>, f64, f64);

fn rows_of(rows: &[Row]) -> Rows {
    let mut all = Rows::new(rows[0].0.len());
    for (features, failures, successes) in rows {
        all.push(features, *failures, *successes);
    }
    all
}

/// The rows with one standardised feature; `None` unless both outcomes occur.
fn standardised(rows: &[(f64, f64, f64)]) -> Option<Vec<Row>> {
    let mut rows: Vec<Row> = rows
        .iter()
        .map(|&(feature, failures, successes)| (vec![feature], failures, successes))
        .collect();
    let sum = |of: &dyn Fn(&Row) -> f64| rows.iter().map(of).sum::<f64>();
    let (failures, successes) = (sum(&|row| row.1), sum(&|row| row.2));
    let total = failures + successes;
    let least = 1e-12 * total;
    (failures > 0.0 && failures >= least && successes >= least).then_some(())?;
    let mean = sum(&|row| (row.1 + row.2) / total * row.0[0]);
    let deviation = sum(&|row| (row.1 + row.2) / total * (row.0[0] - mean).powi(2)).sqrt();
    rows.iter_mut().for_each(|row| row.0[0] = (row.0[0] - mean) / deviation.max(1e-6));
    Some(rows)
}

/// The derivatives of the loss by the intercept and by each slope, each with the size of its terms and
/// with what rounding the forecasts adds to it.
fn gradient(rows: &[Row], ridge: f64, line: &Line) -> Vec<[f64; 3]> {
    let total: f64 = rows.iter().map(|row| row.1 + row.2).sum();
    let mut sums = vec![[0.0, f64::MIN_POSITIVE, 0.0]; line.slopes.len() + 1];
    let mut add = |i: usize, term: f64, rounding: f64| {
        let [sum, size, error] = &mut sums[i];
        (*sum, *size, *error) = (*sum + term, *size + term.abs(), *error + rounding.abs());
    };
    for (features, failures, successes) in rows {
        let rises: Vec<f64> = line.slopes.iter().zip(features).map(|(s, x)| s * x).collect();
        let z = line.intercept + rises.iter().sum::<f64>();
        let parts = line.intercept.abs() + rises.iter().map(|rise| rise.abs()).sum::<f64>();
        let (success, failure) = (sigmoid(z), sigmoid(-z));
        let bend = (failures + successes) / total * success * failure;
        for residual in [failures / total * success, -successes / total * failure] {
            add(0, residual, bend * parts);
            for (i, feature) in features.iter().enumerate() {
                add(i + 1, residual * feature, bend * parts * feature);
            }
        }
    }
    for (i, slope) in line.slopes.iter().enumerate() {
        add(i + 1, ridge * slope, 0.0);
    }
    sums
}

/// The part of the gradient that its terms have not cancelled, in the worst direction.
fn relative_gradient(rows: &[Row], ridge: f64, line: &Line) -> f64 {
    let parts = gradient(rows, ridge, line);
    parts.into_iter().map(|[sum, size, _]| sum.abs() / size).fold(0.0, f64::max)
}

/// Whether the gradient is zero except for rounding.
fn is_minimum(rows: &[Row], ridge: f64) -> bool {
    let line = rows_of(rows).fit(ridge);
    let ridge = ridge.clamp(1e-20, 1e20);
    let within = |[sum, size, error]: [f64; 3]| sum.abs() <= 8.0 * f64::EPSILON * (size + error);
    gradient(rows, ridge, &line).into_iter().all(within)
}

fn ten_to(low: f64, high: f64) -> impl Strategy<Value = f64> {
    (low..high).prop_map(|power| 10.0_f64.powf(power))
}

proptest! {
    #[test]
    fn at_the_minimum_the_gradient_is_zero_to_13_digits(
        rows in prop::collection::vec((-14.0..14.0_f64, 0.0..3.0_f64, 0.0..3.0_f64), 2..60),
        ridge in ten_to(-4.0, 4.0),
    ) {
        let rows = standardised(&rows).unwrap();
        let gradient = relative_gradient(&rows, ridge, &rows_of(&rows).fit(ridge));
        prop_assert!(gradient < 1e-13, "{gradient:e}");
    }

    #[test]
    fn the_search_ends_at_the_minimum_for_weights_of_very_different_size(
        rows in prop::collection::vec(
            (
                prop_oneof![-3.0..3.0_f64, ten_to(-9.0, 2.0), ten_to(-9.0, 2.0).prop_map(|x| -x)],
                prop_oneof![Just(0.0), 0.1..3.0_f64, ten_to(-100.0, 0.0)],
                prop_oneof![Just(0.0), 0.1..3.0_f64, ten_to(-100.0, 0.0)],
            ),
            1..12,
        ),
        ridge in ten_to(-24.0, 24.0),
    ) {
        if let Some(rows) = standardised(&rows) {
            prop_assert!(is_minimum(&rows, ridge), "{:?}", rows_of(&rows).fit(ridge));
        }
    }

    #[test]
    fn two_features_that_nearly_agree_do_no_harm(
        rows in prop::collection::vec(
            (-3.0..3.0_f64, -1.0..1.0_f64, 0.0..3.0_f64, 0.0..3.0_f64), 2..40,
        ),
        apart in prop_oneof![Just(0.0), ten_to(-12.0, 0.0)],
        ridge in ten_to(-12.0, 2.0),
    ) {
        let rows: Vec<Row> =
            rows.into_iter().map(|(x, noise, failures, successes)| {
                (vec![x, x + apart * noise], failures, successes)
            }).collect();
        prop_assert!(is_minimum(&rows, ridge), "{:?}", rows_of(&rows).fit(ridge));
    }
}
