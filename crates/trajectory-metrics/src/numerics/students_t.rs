//! Quantiles of Student's t distribution, for confidence intervals from few clusters.
//!
//! The relative error is at most 1e-11 for levels from 1e-6 to 0.999999, tested against mpmath and
//! closed forms.

use crate::numerics::normal;

/// The half width of the central interval that contains the share `level` of Student's t distribution
/// with the given degrees of freedom, at least 1.
pub(crate) fn two_sided_quantile(level: f64, degrees: f64) -> f64 {
    // Close to level 0, the tail is too close to 1/2 to determine the level.
    let small = level < 1e-4;
    let normal = if small { level * NEAR_0 } else { -normal::quantile((1.0 - level) / 2.0) };
    let start = expansion(normal, degrees);
    if degrees > MOST_DEGREES {
        return start;
    }
    // Newton's method on a logarithmic scale. The logarithm of the smaller share is nearly linear in
    // the logarithm of t, both in the tails and close to 0.
    let share = level.min(1.0 - level).ln();
    let inside = level < 0.5;
    let mut log = start.ln();
    for _ in 0..200 {
        let t = log.exp();
        let (centre, tails) = shares(t, degrees);
        let found = if inside { centre } else { tails };
        let slope = 2.0 * t * density(t, degrees) / found;
        let step = (share - found.ln()) / if inside { slope } else { -slope };
        // Far from the solution, steps may be too long.
        log += step.clamp(-2.0, 2.0);
        if step.abs() <= 1e-15 * log.abs().max(1.0) {
            break;
        }
    }
    log.exp()
}

/// The slope of the normal quantile in the level at 0, `sqrt(pi / 2)`.
const NEAR_0: f64 = 1.253_314_137_315_500_3;

/// Above this number of degrees of freedom, the expansion is accurate to rounding.
const MOST_DEGREES: f64 = 1e6;

/// The expansion of the quantile around the normal quantile z: Abramowitz and Stegun (1964), Handbook
/// of mathematical functions, 26.7.5.
fn expansion(z: f64, n: f64) -> f64 {
    let s = z * z;
    let terms = [
        (s + 1.0) / 4.0,
        ((5.0 * s + 16.0) * s + 3.0) / 96.0,
        (((3.0 * s + 19.0) * s + 17.0) * s - 15.0) / 384.0,
        ((((79.0 * s + 776.0) * s + 1482.0) * s - 1920.0) * s - 945.0) / 92_160.0,
    ];
    z + z * terms.iter().rev().fold(0.0, |sum, term| (sum + term) / n)
}

fn density(t: f64, n: f64) -> f64 {
    normalizer(n) * (-0.5 * (n + 1.0) * (t * t / n).ln_1p()).exp()
}

/// `Gamma((n + 1)/2) / (sqrt(n pi) Gamma(n/2))`.
fn normalizer(n: f64) -> f64 {
    // Shift by f(a) = a / (a + 1/2) f(a + 1) for f(a) = Gamma(a + 1/2) / Gamma(a) to where the
    // asymptotic series is accurate to rounding.
    let (mut a, mut ratio) = (n / 2.0, 1.0);
    while a < 128.0 {
        ratio *= a / (a + 0.5);
        a += 1.0;
    }
    let b = 1.0 / a;
    let series = 1.0
        + b * (-1.0 / 8.0
            + b * (1.0 / 128.0
                + b * (5.0 / 1024.0 + b * (-21.0 / 32_768.0 - b * 399.0 / 262_144.0))));
    ratio * a.sqrt() * series / (n * std::f64::consts::PI).sqrt()
}

/// `P(|T| < t)` and `P(|T| >= t)`.
fn shares(t: f64, n: f64) -> (f64, f64) {
    let square = t * t;
    // The front of the incomplete beta function, x^a (1 - x)^b / B(a, b) at x = n / (n + t^2).
    let front = t * density(t, n);
    let x = n / (n + square);
    let (a, b) = (n / 2.0, 0.5);
    if x < (a + 1.0) / (a + b + 2.0) {
        let tails = front / a * continued_fraction(x, a, b);
        (1.0 - tails, tails)
    } else {
        let centre = front / b * continued_fraction(square / (n + square), b, a);
        (centre, 1.0 - centre)
    }
}

/// The continued fraction of the incomplete beta function by Lentz's method: Press, Teukolsky,
/// Vetterling and Flannery (2007), Numerical recipes, section 6.4.
fn continued_fraction(x: f64, a: f64, b: f64) -> f64 {
    let away = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for step in 1..10_000 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for term in [even, odd] {
            d = 1.0 / away(1.0 + term * d);
            c = away(1.0 + term / c);
            change = c * d;
            fraction *= change;
        }
        if (change - 1.0).abs() < 1e-16 {
            break;
        }
    }
    fraction
}

#[cfg(test)]
mod tests;
