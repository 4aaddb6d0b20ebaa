//! Loops over rows of forecasts and outcomes, in lanes that compile to vector instructions.

use crate::{values::probability::Probability, wide::wide};

/// The number of independent partial sums.
const LANES: usize = 8;

/// The rows of a block whose scores are computed before they are added up: the first loop has no sum to wait for, and the
/// second one no rule.
const BLOCK: usize = 128;

/// The sum over the rows, always in the same order.
#[inline(always)]
pub(crate) fn sum_in_lanes<T>(rows: &[T], value: impl Fn(&T) -> f64) -> f64 {
    wide(
        #[inline(always)]
        move || {
            let mut sums = [0.0; LANES];
            add_rows(rows, &mut sums, value);
            add_lanes(sums)
        },
    )
}

/// The sum over rows in two slices, always in the same order.
#[inline(always)]
pub(crate) fn sum_of_pairs(
    forecasts: &[Probability],
    outcomes: &[bool],
    score: impl Fn(Probability, bool) -> f64,
) -> f64 {
    wide(
        #[inline(always)]
        move || {
            let (mut sums, mut scores) = ([0.0; LANES], [0.0; BLOCK]);
            for (forecasts, outcomes) in forecasts.chunks(BLOCK).zip(outcomes.chunks(BLOCK)) {
                let scores = &mut scores[..forecasts.len().min(outcomes.len())];
                write_rows(forecasts, outcomes, scores, &score);
                add_rows(scores, &mut sums, |&score| score);
            }
            add_lanes(sums)
        },
    )
}

/// Adds row i to the lane of i.
#[inline(always)]
fn add_rows<T>(rows: &[T], sums: &mut [f64; LANES], value: impl Fn(&T) -> f64) {
    let (chunks, rest) = rows.as_chunks::<LANES>();
    let mut lanes = *sums;
    for chunk in chunks {
        for (sum, row) in lanes.iter_mut().zip(chunk) {
            *sum += value(row);
        }
    }
    for (sum, row) in lanes.iter_mut().zip(rest) {
        *sum += value(row);
    }
    *sums = lanes;
}

#[inline(always)]
fn write_rows(
    forecasts: &[Probability],
    outcomes: &[bool],
    scores: &mut [f64],
    score: impl Fn(Probability, bool) -> f64,
) {
    for (value, (&forecast, &outcome)) in scores.iter_mut().zip(forecasts.iter().zip(outcomes)) {
        *value = score(forecast, outcome);
    }
}

#[inline(always)]
fn add_lanes(s: [f64; LANES]) -> f64 {
    ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

/// Writes one score per row.
#[inline(always)]
pub(crate) fn fill(
    forecasts: &[Probability],
    outcomes: &[bool],
    scores: &mut [f64],
    score: impl Fn(Probability, bool) -> f64,
) {
    wide(
        #[inline(always)]
        move || write_rows(forecasts, outcomes, scores, score),
    );
}
