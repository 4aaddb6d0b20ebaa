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
