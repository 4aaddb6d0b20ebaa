use crate::{
    rules::{beta::incomplete_beta::IncompleteBeta, quadrature::gauss},
    values::probability::Probability,
};

/// The least accepted size of a difference, as a share of the subtracted numbers.
const CANCELLED: f64 = 1e-2;

/// The expected loss from reporting p if q holds: the integral of `|c - q| c^(alpha-1) (1-c)^(beta-1)`
/// between the two.
///
/// A difference of scores is fast, and accurate if the two are far apart. If it cancels, the
/// integral is computed piece by piece instead, as a sum of positive parts.
///
/// `score` is the score of a forecast under an outcome.
pub(super) fn divergence(
    [alpha, beta]: [f64; 2],
    score: impl Fn(Probability, bool) -> f64,
    forecast: Probability,
    truth: Probability,
) -> f64 {
    let (p, q) = (forecast.get(), truth.get());
    if p == q {
        return 0.0;
    }
    if (p == 0.0 && alpha <= 0.0) || (p == 1.0 && beta <= 0.0) {
        // The report is certain of an outcome that may not happen.
        return f64::INFINITY;
    }
    let integral = Integral { q, alpha, beta };
    let to_an_end = p.min(q).min(1.0 - p.max(q));
    if (p - q).abs() * integral.steepness() <= to_an_end {
        return integral.close(p);
    }
    let gain = |outcome| {
        let weight = if outcome { q } else { 1.0 - q };
        Difference::new(score(truth, outcome), score(forecast, outcome)).times(weight)
    };
    let lost = if p <= 0.5 && q <= 0.5 {
        near_zero(p, q, [alpha, beta], || gain(true))
    } else if p >= 0.5 && q >= 0.5 {
        // The mirror image: outcomes and parameters change places.
        near_zero(1.0 - p, 1.0 - q, [beta, alpha], || gain(false))
    } else {
        gain(true).plus(gain(false))
    };
    // The sum over pieces has no last piece towards an end at which the density does not vanish.
    let has_pieces = (p > 0.0 || alpha > 1.0) && (p < 1.0 || beta > 1.0) && q > 0.0 && q < 1.0;
    if lost.value.abs() >= CANCELLED * lost.size || !has_pieces {
        return lost.value.max(0.0);
    }
    integral.by_pieces(p)
}

/// A difference, and the size of the numbers that were subtracted.
#[derive(Clone, Copy)]
struct Difference {
    value: f64,
    size: f64,
}

impl Difference {
    fn new(a: f64, b: f64) -> Self {
        Self { value: a - b, size: a.abs().max(b.abs()) }
    }

    /// Zero for a weight of zero, also if the difference is infinite.
    fn times(self, weight: f64) -> Self {
        if weight == 0.0 {
            Self { value: 0.0, size: 0.0 }
        } else {
            Self { value: weight * self.value, size: weight.abs() * self.size }
        }
    }

    fn plus(self, other: Self) -> Self {
        Self { value: self.value + other.value, size: self.size.max(other.size) }
    }
}

/// The loss for p and q in the lower half, from integrals that start at 0 and are as small as their
/// difference. `success_gain` is the weighted difference of the scores of a success. It replaces an
/// integral that is infinite, or nearly infinite, for small alpha.
fn near_zero(
    p: f64,
    q: f64,
    [alpha, beta]: [f64; 2],
    success_gain: impl Fn() -> Difference,
) -> Difference {
    let growth = |a: f64, b: f64| {
        let integral = IncompleteBeta::new(a, b);
        Difference::new(integral.at(q, 1.0 - q), integral.at(p, 1.0 - p))
    };
    let success = if alpha > 0.01 { growth(alpha, beta + 1.0).times(q) } else { success_gain() };
    success.plus(growth(alpha + 1.0, beta).times(q - 1.0))
}

/// The integral of `|c - q| c^(alpha-1) (1-c)^(beta-1)` from q to another place.
struct Integral {
    q: f64,
    alpha: f64,
    beta: f64,
}

impl Integral {
    /// Ten points are accurate on a piece whose width times this is at most its distance from
    /// either end.
    fn steepness(&self) -> f64 {
        4.0 + self.alpha.abs() + self.beta.abs()
    }

    /// The mirror image: outcomes and parameters change places.
    fn mirrored(&self) -> Self {
        Self { q: 1.0 - self.q, alpha: self.beta, beta: self.alpha }
    }

    /// `c^(alpha+1) (1-c)^(beta-1)`: the density in units of c for both lengths.
    fn density(&self, c: f64) -> f64 {
        ((self.alpha + 1.0) * c.ln() + (self.beta - 1.0) * (-c).ln_1p()).exp()
    }

    /// The integral to a p close to q: one piece, with the factor `(p - q)^2` taken out.
    fn close(&self, p: f64) -> f64 {
        // Measured from the nearer end, so that the distance from it keeps its digits.
        if self.q <= 0.5 { self.close_by(p - self.q) } else { self.mirrored().close_by(self.q - p) }
    }

    fn close_by(&self, gap: f64) -> f64 {
        let (near, far) = (gap / self.q, -gap / (1.0 - self.q));
        // Relative to the density at q, as a function of the share of the gap.
        let density = |share: f64| {
            let (near, far) = ((share * near).ln_1p(), (share * far).ln_1p());
            ((self.alpha - 1.0) * near + (self.beta - 1.0) * far).exp()
        };
        near * near * self.density(self.q) * gauss(0.0, 1.0, |share| share * density(share))
    }

    /// The integral to p, piece by piece; in each half measured from its end.
    fn by_pieces(&self, p: f64) -> f64 {
        let mirrored = self.mirrored();
        let half = |place: f64| place.clamp(f64::MIN_POSITIVE, 0.5);
        self.between(half(self.q), half(p)) + mirrored.between(half(mirrored.q), half(1.0 - p))
    }

    /// The integral from `from` to `to`, which is further from q. The integration stops at the first
    /// piece that does not change the sum.
    fn between(&self, from: f64, to: f64) -> f64 {
        let direction = (to - from).signum();
        let (mut c, mut sum) = (from, 0.0);
        while c != to {
            let width = (c / (5.0 + self.alpha.abs())).min((1.0 - c) / (5.0 + self.beta.abs()));
            let next = if (to - c).abs() <= width { to } else { c + direction * width };
            let piece = gauss(c, next, |c| (c - self.q) / c * self.density(c) / c);
            sum += piece;
            // Pieces rise to a largest one and then fall, so that nothing follows a tiny one.
            if sum > 0.0 && piece <= 1e-18 * sum {
                break;
            }
            c = next;
        }
        sum
    }
}
