//! The standard normal distribution, for tests and bias-corrected intervals.
//!
//! The relative error of [`upper_tail`] and [`cdf`] is at most 1e-14 from -37 to 37. The error of
//! [`quantile`] is at most 1e-14 times the larger of 1 and the absolute value. Both are tested against
//! mpmath and SciPy.

/// `1 / sqrt(2 pi)`.
const PEAK: f64 = 0.398_942_280_401_432_7;

/// The series is used below this value, the continued fraction above.
const SWITCH: f64 = 1.5;

/// Terms of the continued fraction.
const DEPTH: f64 = 100.0;

/// `P(Z <= x)`.
pub(crate) fn cdf(x: f64) -> f64 {
    upper_tail(-x)
}

/// `P(Z > x)`.
pub(crate) fn upper_tail(x: f64) -> f64 {
    if x < -SWITCH {
        1.0 - upper_tail(-x)
    } else if x < SWITCH {
        0.5 - centre(x)
    } else {
        // Laplace's continued fraction, at a depth that is accurate to rounding from 1.5 upwards. It
        // starts from the limit of a fraction with constant terms.
        let rest = 0.5 * (x + (x * x + 4.0 * DEPTH).sqrt());
        let fraction = (1..DEPTH as u32).rev().fold(rest, |rest, k| x + f64::from(k) / rest);
        density(x) / fraction
    }
}

/// `P(|Z| >= |z|)`: the p-value of a two-sided test.
pub(crate) fn two_sided_tail(z: f64) -> f64 {
    2.0 * upper_tail(z.abs())
}

/// `P(0 < Z <= x)`, negative for a negative x, by a series whose terms have the same sign.
fn centre(x: f64) -> f64 {
    let (mut term, mut sum, mut odd) = (x, x, 1.0);
    while term.abs() > 1e-18 * sum.abs() {
        odd += 2.0;
        term *= x * x / odd;
        sum += term;
    }
    density(x) * sum
}

fn density(x: f64) -> f64 {
    if x.abs() > 40.0 {
        return 0.0;
    }
    // For a large x, the rounding error of the square would cost several digits.
    let square = x * x;
    let error = x.mul_add(x, -square);
    PEAK * (-0.5 * square).exp() * (1.0 - 0.5 * error)
}

/// The x with `P(Z <= x) = p`; infinite at 0 and 1, NaN if `p` is not in [0, 1].
pub(crate) fn quantile(p: f64) -> f64 {
    let tail = p.min(1.0 - p);
    if p == 0.5 {
        return 0.0;
    }
    if tail == 0.0 {
        return if p == 0.0 { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    // Starts from the leading terms for a small tail. Each step of Halley's method triples the number
    // of digits. Outside [0, 1] the logarithm is NaN, and so is the result.
    let log = (-2.0 * tail.ln()).sqrt();
    let mut x = if tail < 0.1 { log - (2.507 * log).ln() / log } else { 2.5 * (0.5 - tail) };
    for _ in 0..6 {
        let step = (upper_tail(x) - tail) / density(x);
        x += step / (1.0 - 0.5 * x * step);
        if step.abs() <= 1e-17 * x.abs() {
            break;
        }
    }
    if p < 0.5 { -x } else { x }
}

#[cfg(test)]
mod tests;
