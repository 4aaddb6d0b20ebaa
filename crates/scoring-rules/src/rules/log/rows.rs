//! Logarithms of many rows at once, in branch-free code that compiles to vector instructions.

use std::{
    f64::consts::{LN_2, SQRT_2},
    hint::select_unpredictable,
};

use crate::{values::probability::Probability, wide::wide};

const MANTISSA: u64 = (1 << 52) - 1;
const ONE: u64 = 1.0_f64.to_bits();

/// `ln given` for the probability `given` of the outcome y, at least the smallest normal number;
/// within 2 units in the last place, also next to 1.
///
/// The number is `2^k m` with m from the root of 1/2 to the root of 2, and with s = (m-1) / (m+1):
/// ln m = 2 (s + s^3/3 + s^5/5 + …).
#[inline(always)]
pub(super) fn log_given(p: f64, y: f64, given: f64, against: f64) -> f64 {
    let (k, m) = split(given);
    // m - 1, next to 1 without the rounding of 1 - p.
    let next_to_half = (2.0 * p - 1.0) * (2.0 * y - 1.0);
    let f = select_unpredictable(k == -1.0, next_to_half, m - 1.0);
    log_of_parts(k, select_unpredictable(k == 0.0, -against, f))
}

/// `ln x` for a normal number, within 2 units in the last place unless it is next to 1.
#[inline(always)]
pub(super) fn log_of_normal(x: f64) -> f64 {
    let (k, m) = split(x);
    log_of_parts(k, m - 1.0)
}

/// Splits a number into `2^k m`.
#[inline(always)]
fn split(x: f64) -> (f64, f64) {
    // Moves the root of 1/2 to a power of 2, so that the exponent changes there.
    let shifted = x.to_bits().wrapping_add(ONE - (SQRT_2 / 2.0).to_bits());
    let m = f64::from_bits((shifted & MANTISSA) + (SQRT_2 / 2.0).to_bits());
    // A whole number as a float without a conversion, which the smallest vector units lack.
    const MAGIC: u64 = 0x4330_0000_0000_0000;
    (f64::from_bits((shifted >> 52) | MAGIC) - (f64::from_bits(MAGIC) + 1023.0), m)
}

/// `k ln 2 + ln (1 + f)`.
#[inline(always)]
fn log_of_parts(k: f64, f: f64) -> f64 {
    let s = f / (2.0 + f);
    let z = s * s;
    let tail = z * polynomial(z);
    // LN_2 in two parts, of which the first is exact when multiplied by k.
    const HIGH: f64 = f64::from_bits(LN_2.to_bits() & !0xffff_ffff);
    const LOW: f64 = 4.749_325_039_031_672_6e-7;
    k * HIGH + (f - (s * (f - tail) - k * LOW))
}

/// `(ln ((1+s) / (1-s)) / s - 2) / s^2` of `z = s^2` up to 0.0295, within 3e-18.
/// origin: mpmath 1.4.1, chebyfit(lambda z: (2 * atanh(sqrt(z)) / sqrt(z) - 2) / z,
/// [1e-25, 0.02943725152], 8) with 60 digits, 2026-11-22
#[inline(always)]
fn polynomial(z: f64) -> f64 {
    const C: [f64; 8] = [
        0.666_666_666_666_666_6,
        0.400_000_000_000_008_8,
        0.285_714_285_708_036_14,
        0.222_222_223_917_139_17,
        0.181_817_956_401_329_06,
        0.153_862_397_028_146_58,
        0.132_687_731_386_588_85,
        0.130_866_261_478_401_02,
    ];
    let (z2, z4) = (z * z, (z * z) * (z * z));
    let low = (C[0] + z * C[1]) + z2 * (C[2] + z * C[3]);
    let high = (C[4] + z * C[5]) + z2 * (C[6] + z * C[7]);
    low + z4 * high
}

const LANES: usize = 8;

/// Returns the number of factors of at least `least` that a lane can multiply before its exponent must be split off.
/// Factors below 2^-62 are not expected; they make the sum `None`.
const fn safe_factors(least: f64) -> usize {
    let exponent = 1023 - (least.to_bits() >> 52) as usize;
    1000 / if exponent < 62 { exponent } else { 62 }
}

/// The sum of the logs of the observed outcomes' probabilities, by one logarithm of their product.
/// `given` returns these factors, from `least` to 1, with `least` below 1/2. `None` if the product
/// would lose digits because a factor is too small or the sum too close to 0.
#[inline(always)]
pub(super) fn log_of_product_of_rows(
    forecasts: &[Probability],
    outcomes: &[bool],
    least: f64,
    given: impl Fn(Probability, bool) -> f64,
) -> Option<f64> {
    let (lanes, exponents) = wide(
        #[inline(always)]
        move || {
            let (mut lanes, mut exponents) = ([1.0_f64; LANES], [0_i64; LANES]);
            let step = LANES * safe_factors(least);
            let n = forecasts.len().min(outcomes.len());
            let (forecasts, outcomes) = (&forecasts[..n], &outcomes[..n]);
            for (forecasts, outcomes) in forecasts.chunks(step).zip(outcomes.chunks(step)) {
                let (forecast_chunks, forecast_rest) = forecasts.as_chunks::<LANES>();
                let (outcome_chunks, outcome_rest) = outcomes.as_chunks::<LANES>();
                for (forecasts, outcomes) in forecast_chunks.iter().zip(outcome_chunks) {
                    for lane in 0..LANES {
                        lanes[lane] *= given(forecasts[lane], outcomes[lane]);
                    }
                }
                for (lane, (&forecast, &outcome)) in
                    lanes.iter_mut().zip(forecast_rest.iter().zip(outcome_rest))
                {
                    *lane *= given(forecast, outcome);
                }
                if lanes.iter().any(|&lane| lane < f64::MIN_POSITIVE) {
                    return None;
                }
                for (lane, exponent) in lanes.iter_mut().zip(&mut exponents) {
                    *exponent += (lane.to_bits() >> 52) as i64 - 1023;
                    *lane = f64::from_bits((lane.to_bits() & MANTISSA) | ONE);
                }
            }
            Some((lanes, exponents))
        },
    )?;
    let mantissa: f64 = lanes.iter().product();
    let exponent: i64 = exponents.iter().sum();
    let sum = mantissa.ln() + exponent as f64 * LN_2;
    // The product has a relative rounding error, and its log an absolute one.
    (sum < -(forecasts.len() as f64) / 1024.0).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(values: &[f64]) -> Option<f64> {
        let forecasts = Probability::from_slice(values).unwrap();
        let outcomes = vec![true; values.len()];
        log_of_product_of_rows(forecasts, &outcomes, 0.0, |p, _| p.get())
    }

    #[test]
    fn ordinary_rows_take_one_logarithm() {
        for n in [1, 7, 8, 9, 127, 128, 129, 1000, 1024] {
            let values: Vec<f64> =
                (0..n).map(|i| 0.1 + 0.8 * (f64::from(i) * 0.618_033_988_75).fract()).collect();
            let exact: f64 = values.iter().map(|p| p.ln()).sum();
            approx::assert_relative_eq!(
                sum(&values).unwrap(),
                exact,
                epsilon = 0.0,
                max_relative = 1e-13
            );
        }
    }

    #[test]
    fn rows_whose_product_would_lose_digits_have_none() {
        assert_eq!(sum(&[1.0 - 1e-9; 1000]), None);
        assert_eq!(sum(&[1.0; 8]), None);
        assert_eq!(sum(&[0.5, 1e-310]), None);
    }

    #[test]
    fn a_lane_stays_normal_until_its_exponent_is_split_off() {
        for sixth in 7..420 {
            let least = 0.5_f64.powf(f64::from(sixth) / 6.123);
            let product = least.max(0.5_f64.powi(62)).powi(safe_factors(least) as i32);
            assert!(product >= 0.5_f64.powi(1000), "{least}");
        }
        assert_eq!(safe_factors(0.0), 16);
        assert_eq!(safe_factors(1e-6), 50);
    }
}
