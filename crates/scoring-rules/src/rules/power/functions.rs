/// `(x^k - 1) / k` for x of at least 0, and its limit `ln x` at k = 0. `excess` is `x - 1` with all its
/// digits, which x itself has lost close to 1.
pub(super) fn box_cox(k: f64, x: f64, excess: f64) -> f64 {
    let log = if excess.abs() < 0.5 { excess.ln_1p() } else { x.ln() };
    if k == 0.0 { log } else { (k * log).exp_m1() / k }
}

/// `integral from x to y of (y - t) t^(k-2) dt` for x and y of at least 0, y finite: the height at y
/// of a convex power of t above its tangent at x. At least 0, and 0 only if they are equal. `gap` is
/// `x - y` with all its digits.
pub(super) fn above_tangent(k: f64, x: f64, y: f64, gap: f64) -> f64 {
    if gap == 0.0 {
        return 0.0;
    }
    if (x == 0.0 && k <= 1.0) || (y == 0.0 && k <= 0.0) {
        return f64::INFINITY;
    }
    if y == 0.0 {
        return x.powf(k) / k;
    }
    if x == f64::INFINITY {
        return if k < 0.0 { y.powf(k) / (k * (k - 1.0)) } else { x };
    }
    let s = gap / y;
    if s.abs() * (k.abs() + 2.0) <= 0.5 {
        // A series with the first term s^2 / 2, in which nothing cancels.
        let (mut term, mut sum, mut i) = (0.5, 0.5, 2.0);
        while i < 100.0 && f64::abs(term) > 1e-18 * sum {
            term *= s * (k - i) * i / ((i - 1.0) * (i + 1.0));
            sum += term;
            i += 1.0;
        }
        return s * sum * y.powf(k) * s;
    }
    // In units of the one with the larger power, so that a ratio overflows only if the result does.
    let above = if (y > x) == (k > 0.0) {
        y.powf(k) * (box_cox(k, x / y, s) - box_cox(k - 1.0, x / y, s))
    } else {
        let (ratio, excess) = (y / x, -gap / x);
        x.powf(k) * (ratio * box_cox(k - 1.0, ratio, excess) - box_cox(k, ratio, excess))
    };
    above.max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_power_is_the_logarithm_and_the_first_terms_of_its_series() {
        for k in [1e-18, 1e-9, 1e-6, 1e-5, 1e-4] {
            for excess in [1e-12, 1e-6, 1e-4, 1e-2, 0.3, 0.7] {
                for (k, excess) in [(k, excess), (-k, excess), (k, -excess), (-k, -excess)] {
                    let log = f64::ln_1p(excess);
                    let t = k * log;
                    let exact = log * (1.0 + t / 2.0 * (1.0 + t / 3.0 * (1.0 + t / 4.0)));
                    let value = box_cox(k, 1.0 + excess, excess);
                    approx::assert_relative_eq!(value, exact, epsilon = 0.0, max_relative = 1e-14);
                }
            }
        }
    }

    #[test]
    fn the_height_above_the_tangent_at_infinity_is_its_limit() {
        // The integral of (t - y) t^(k-2) from y to infinity is finite only below k = 0.
        assert_eq!(above_tangent(-1.0, f64::INFINITY, 2.0, f64::INFINITY), 0.25);
        for k in [0.0, 0.5, 2.0] {
            assert_eq!(above_tangent(k, f64::INFINITY, 2.0, f64::INFINITY), f64::INFINITY);
        }
    }
}
