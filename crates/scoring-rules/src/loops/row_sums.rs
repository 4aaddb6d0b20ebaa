//! Loops over rows of forecasts and outcomes, in lanes that compile to vector instructions.

use crate::values::probability::Probability;

/// The number of independent partial sums.
const LANES: usize = 8;

/// The sum over the rows, always in the same order.
#[inline(always)]
pub(crate) fn sum_in_lanes<T>(rows: &[T], value: impl Fn(&T) -> f64) -> f64 {
    let (chunks, rest) = rows.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for chunk in chunks {
        for (sum, row) in sums.iter_mut().zip(chunk) {
            *sum += value(row);
        }
    }
    for (sum, row) in sums.iter_mut().zip(rest) {
        *sum += value(row);
    }
    add_lanes(sums)
}

/// The sum over rows in two slices, always in the same order.
#[inline(always)]
pub(crate) fn sum_of_pairs(
    forecasts: &[Probability],
    outcomes: &[bool],
    score: impl Fn(Probability, bool) -> f64,
) -> f64 {
    let (forecast_chunks, forecast_rest) = forecasts.as_chunks::<LANES>();
    let (outcome_chunks, outcome_rest) = outcomes.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (forecasts, outcomes) in forecast_chunks.iter().zip(outcome_chunks) {
        for lane in 0..LANES {
            sums[lane] += score(forecasts[lane], outcomes[lane]);
        }
    }
    for (sum, (&forecast, &outcome)) in sums.iter_mut().zip(forecast_rest.iter().zip(outcome_rest))
    {
        *sum += score(forecast, outcome);
    }
    add_lanes(sums)
}

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
    for (value, (&forecast, &outcome)) in scores.iter_mut().zip(forecasts.iter().zip(outcomes)) {
        *value = score(forecast, outcome);
    }
}
