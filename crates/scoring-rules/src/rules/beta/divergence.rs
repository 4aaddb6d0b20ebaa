use crate::{
    rules::{beta::incomplete_beta::IncompleteBeta, quadrature::gauss},
    values::probability::Probability,
};

/// What is left of a difference must be at least this share of what it is taken from.
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
/// difference. `success_gain` is the weighted difference of the scores of a success, which replaces
/// the integral that is infinite, or nearly so, for small alpha.
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

    /// The integral from one place to another that is further from q, up to the first piece that
    /// does not change the sum.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BetaScore, ScoringRule};

    fn divergence_of(alpha: f64, beta: f64, p: f64, q: f64) -> f64 {
        let [p, q] = [p, q].map(|p| Probability::new(p).unwrap());
        BetaScore::new(alpha, beta).unwrap().divergence(p, q)
    }

    /// Computes the integral over the log-odds t of c, where it has no singularity, by the double
    /// exponential rule on many small ranges that cover all contributions to 17 digits.
    fn by_brute_force(Integral { q, alpha, beta }: &Integral, p: f64) -> f64 {
        let sides = |t: f64| (1.0 / (1.0 + (-t).exp()), 1.0 / (1.0 + t.exp()));
        let log_of = |t: f64| {
            let (c, rest) = sides(t);
            (c - q).abs().ln() + alpha * c.ln() + beta * rest.ln()
        };
        let logit = |p: f64| (p.ln() - (-p).ln_1p()).clamp(-60.0, 60.0);
        let (low, high) = (logit(p.min(*q)), logit(p.max(*q)));
        let place =
            |i: usize, n: usize, low: f64, high: f64| low + (high - low) * i as f64 / n as f64;
        let logs: Vec<f64> = (0..=1000).map(|i| log_of(place(i, 1000, low, high))).collect();
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let counts = |&log: &f64| log > most - 45.0;
        let first = logs.iter().position(counts).unwrap().saturating_sub(1);
        let last = (logs.iter().rposition(counts).unwrap() + 1).min(1000);
        let (low, high) = (place(first, 1000, low, high), place(last, 1000, low, high));
        let mut sum = 0.0;
        for range in 0..50 {
            let (from, to) = (place(range, 50, low, high), place(range + 1, 50, low, high));
            let (middle, half) = (f64::midpoint(from, to), (to - from) / 2.0);
            for step in -20..=20 {
                let u = f64::from(step) * 0.15;
                let v = std::f64::consts::FRAC_PI_2 * u.sinh();
                let weight = 0.15 * std::f64::consts::FRAC_PI_2 * u.cosh() / v.cosh().powi(2);
                sum += half * weight * (log_of(middle + half * v.tanh()) - most).exp();
            }
        }
        (most / 2.0).exp() * sum * (most / 2.0).exp()
    }

    #[test]
    fn the_pieces_add_up_to_the_integral_also_over_the_mode_and_up_to_an_end() {
        let mut seen = 0;
        for alpha in [-0.7, 0.1, 1.0, 1.5, 30.0, 70.0, 100.0] {
            for beta in [-0.7, 0.3, 1.0, 2.5, 40.0, 100.0] {
                for q in [1e-3, 0.1, 0.3, 0.5] {
                    for p in [0.0, 1e-6, 0.2, 0.7, 0.97, 0.999, 1.0] {
                        // At an end, only what `divergence` may ask for.
                        if (p == 0.0 && alpha <= 1.0) || (p == 1.0 && beta <= 1.0) {
                            continue;
                        }
                        let integral = Integral { q, alpha, beta };
                        let exact = by_brute_force(&integral, p);
                        if exact < 1e-290 {
                            continue;
                        }
                        let error = (integral.by_pieces(p) / exact - 1.0).abs();
                        assert!(error < 1e-12, "{alpha} {beta} {p} {q}: {error:e}");
                        seen += 1;
                    }
                }
            }
        }
        assert!(seen > 800, "{seen} integrals");
    }

    #[test]
    fn divergences_are_that_integral_however_far_apart_the_two_are() {
        for alpha in [-0.05, 0.01, 0.3, 3.5] {
            for beta in [-0.3, 0.02, 0.5, 2.5] {
                for q in [0.03, 0.2, 0.3, 0.5, 0.6, 0.95] {
                    for ratio in [0.2, 0.5, 0.8, 0.95, 0.99, 1.04] {
                        let (p, integral) = (ratio * q, Integral { q, alpha, beta });
                        let loss = divergence_of(alpha, beta, p, q);
                        let exact = by_brute_force(&integral, p);
                        approx::assert_relative_eq!(
                            loss,
                            exact,
                            epsilon = 0.0,
                            max_relative = 1e-12
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn next_to_an_end_a_divergence_is_that_of_a_power() {
        // There w(c) is c^(alpha-1), up to a share of q.
        let unit = 0.5_f64.powi(53);
        let q = 11.0 * unit;
        for alpha in [0.02, 0.1, 0.5, 1.0, 2.5] {
            for beta in [-0.5, 0.0, 0.5, 1.7] {
                let integral = |p: f64| {
                    (1.0 - p.powf(alpha)) / alpha - (1.0 - p.powf(alpha + 1.0)) / (alpha + 1.0)
                };
                for p in [0.0, 2.0, 80.0] {
                    let exact = q.powf(alpha + 1.0) * integral(p / 11.0);
                    let low = divergence_of(alpha, beta, p * unit, q);
                    approx::assert_relative_eq!(low, exact, epsilon = 0.0, max_relative = 1e-13);
                    let high = divergence_of(beta, alpha, 1.0 - p * unit, 1.0 - q);
                    approx::assert_relative_eq!(high, exact, epsilon = 0.0, max_relative = 1e-13);
                }
            }
        }
    }

    #[test]
    fn close_forecasts_next_to_an_end_differ_by_the_first_terms_of_a_series_in_their_ratio() {
        let last_place = 0.5_f64.powi(53);
        for (alpha, beta) in [(-0.97, -0.5), (-0.97, 3.5), (0.0, 0.0), (0.5, 3.5), (2.5, -0.5)] {
            for (p, q) in [(10_001.0, 10_000.0), (12_344.0, 12_345.0)] {
                let (share, next) = ((p - q) / q, alpha - 1.0);
                let fourth = next * (next - 1.0) * share * share / 8.0;
                let series = share * share * (0.5 + next * share / 3.0 + fourth);
                for unit in [last_place, 1e-30] {
                    // (1 - c)^(beta-1) at about q.
                    let rest = 1.0 - (beta - 1.0) * q * unit;
                    let exact = (q * unit).powf((alpha + 1.0) / 2.0).powi(2) * series * rest;
                    let near = |loss: f64| (loss / exact - 1.0).abs() < 1e-11 || exact < 1e-300;
                    let low = divergence_of(alpha, beta, p * unit, q * unit);
                    assert!(near(low), "{alpha} {beta} {p} {unit}: {low:e} {exact:e}");
                    if unit == last_place {
                        let high = divergence_of(beta, alpha, 1.0 - p * unit, 1.0 - q * unit);
                        assert!(near(high), "{alpha} {beta} {p}: {high:e} {exact:e}");
                    }
                }
            }
        }
    }

    #[test]
    fn pieces_on_both_sides_of_one_half_keep_the_distances_from_both_ends() {
        for (p, q) in [(1e-19, 0.75), (1e-16, 0.6), (3e-15, 0.9), (1e-10, 0.51)] {
            for alpha in [0.03, 0.5, 0.9] {
                let (beta, integral) = (-0.9999, Integral { q, alpha, beta: -0.9999 });
                let loss = divergence_of(alpha, beta, p, q);
                let exact = by_brute_force(&integral, p);
                approx::assert_relative_eq!(loss, exact, epsilon = 0.0, max_relative = 1e-12);
            }
        }
    }

    #[test]
    fn a_steep_fall_towards_the_other_end_or_a_steep_rise_from_this_one_keeps_all_digits() {
        for steep in [30.0, 70.0, 100.0] {
            for other in [-0.9, -0.5, 0.5, 3.0] {
                for q in [0.05, 0.3, 0.45, 0.7] {
                    for gap in [1e-3, 3e-3, 1e-2, 3e-2, 0.1, -1e-3, -3e-3, -1e-2, -4e-2] {
                        let (loss, p) = (divergence_of(other, steep, q + gap, q), q + gap);
                        let exact = by_brute_force(&Integral { q, alpha: other, beta: steep }, p);
                        if exact > f64::MIN_POSITIVE {
                            approx::assert_relative_eq!(
                                loss,
                                exact,
                                epsilon = 0.0,
                                max_relative = 1e-12
                            );
                        }
                    }
                }
                // Where it vanishes at the end itself, which a forecast may claim; and the mirror
                // image.
                for q in [0.25, 0.5, 0.875] {
                    let exact = by_brute_force(&Integral { q, alpha: other, beta: steep }, 1.0);
                    if exact > f64::MIN_POSITIVE {
                        let high = divergence_of(other, steep, 1.0, q);
                        let low = divergence_of(steep, other, 0.0, 1.0 - q);
                        for loss in [high, low] {
                            let error = (loss - exact).abs();
                            assert!(error <= 1e-11 * exact, "{other} {steep} {q}: {error:e}");
                        }
                    }
                }
            }
        }
    }
}
