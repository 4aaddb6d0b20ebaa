use crate::rules::sides::Sides;

/// `q ln (q / p) + (1 - q) ln ((1 - q) / (1 - p))`, with all digits also if p is close to q; `gap` is
/// `p - q`.
pub(super) fn kullback_leibler(q: Sides, p: Sides, gap: f64) -> f64 {
    if q.p == 0.0 {
        return 0.0 - (-p.p).ln_1p();
    }
    if q.rest == 0.0 {
        return 0.0 - p.p.ln();
    }
    excess(p.p, q.p, gap) + excess(p.rest, q.rest, -gap)
}

/// `gap - q ln (p / q)`, at least 0, for a p that is `q + gap` up to rounding.
fn excess(p: f64, q: f64, gap: f64) -> f64 {
    let x = gap / q;
    if x.abs() >= 0.4 {
        // If the ratio overflows, q is so small that its log does not affect the result.
        return gap - q * (p / q).min(f64::MAX).ln();
    }
    // With s = x / (2 + x): ln (1 + x) = 2 (s + s^3/3 + s^5/5 + …) and x - 2 s = s x, so that the
    // leading terms cancel in the formula and not in the arithmetic.
    let s = x / (2.0 + x);
    let (mut power, mut tail, mut k) = (s * s * s, 0.0, 3.0);
    while power.abs() / k > 1e-18 * (s * x).abs() {
        tail += power / k;
        power *= s * s;
        k += 2.0;
    }
    q * (s * x - 2.0 * tail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Probability;

    fn divergence(p: f64, q: f64) -> f64 {
        let [p, q] = [p, q].map(|p| Sides::new(Probability::new(p).unwrap()));
        kullback_leibler(q, p, p.p - q.p)
    }

    #[test]
    fn close_forecasts_differ_by_the_first_terms_of_the_series_in_their_gap() {
        for q in [0.01, 0.1, 0.3, 0.5, 0.8] {
            for k in 20..45 {
                let p = q + 0.5_f64.powi(k) * q;
                let (gap, rest) = (p - q, 1.0 - q);
                let second = gap * gap / 2.0 * (1.0 / q + 1.0 / rest);
                let third = gap * gap * gap / 3.0 * (1.0 / (rest * rest) - 1.0 / (q * q));
                let fourth = gap.powi(4) / 4.0 * (1.0 / rest.powi(3) + 1.0 / q.powi(3));
                let exact = second + third + fourth;
                approx::assert_relative_eq!(
                    divergence(p, q),
                    exact,
                    epsilon = 0.0,
                    max_relative = 1e-14
                );
            }
        }
    }

    #[test]
    fn tiny_forecasts_differ_as_much_as_larger_ones_in_the_same_ratio() {
        // q ln (q / p) - (q - p), where 1 - p and 1 - q are 1 to all digits.
        for q in [1e-20, 1e-100, 1e-160, 1e-200] {
            for ratio in [0.5, 0.75, 1.25, 3.0] {
                let exact = q * (ratio - 1.0 - f64::ln(ratio));
                approx::assert_relative_eq!(
                    divergence(ratio * q, q),
                    exact,
                    epsilon = 0.0,
                    max_relative = 1e-14
                );
            }
        }
    }
}
