use crate::{
    rules::{gauss::gauss, incomplete_beta::IncompleteBeta, sides::Sides},
    values::probability::Probability,
};

/// What is left of a difference must be at least this share of what it is taken from.
const CANCELLED: f64 = 1e-2;

/// What reporting p costs where q holds: the integral of `|c - q| c^(alpha-1) (1-c)^(beta-1)`
/// between the two.
///
/// A difference of scores is fast and good where the two are far apart. Where it cancels, the
/// integral is taken piece by piece instead: all its parts have one sign.
///
/// `score` is the rule's own: what a forecast scores under an outcome.
pub(crate) fn divergence(
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
        // A wrong certainty that may come to light.
        return f64::INFINITY;
    }
    let integral = Integral { q, alpha, beta };
    let to_an_end = p.min(q).min(1.0 - p.max(q));
    if (p - q).abs() * integral.steepness() <= to_an_end {
        return integral.close(p);
    }
    let gain = |outcome| {
        let exponent = if outcome { alpha } else { beta };
        weighted_gain(exponent, |at| score(at, outcome), [forecast, truth], outcome)
    };
    let lost = if p <= 0.5 && q <= 0.5 {
        near_zero(p, q, alpha, beta, || gain(true))
    } else if p >= 0.5 && q >= 0.5 {
        // The mirror image: outcomes and parameters change places.
        near_zero(1.0 - p, 1.0 - q, beta, alpha, || gain(false))
    } else {
        gain(true).plus(gain(false))
    };
    // Pieces never reach an end; they need not where nothing is left to find there. And they start
    // from a number with all digits.
    let inside = q.min(1.0 - q) > 1e-290 && (p > 0.0 || alpha > 1.0) && (p < 1.0 || beta > 1.0);
    if lost.size < f64::MIN_POSITIVE {
        // Nothing with digits is left to take apart.
        return lost.value.max(0.0);
    }
    // An infinite loss is at least as large as its infinite size.
    if lost.value.abs() >= CANCELLED * lost.size || !inside {
        return lost.value;
    }
    let pieces = integral.by_pieces(p);
    // What is left of a difference that cancelled is rounding, of either sign. Pieces may span more
    // than the range of numbers.
    pieces.filter(|sum| sum.is_finite()).unwrap_or(lost.value.max(0.0))
}

/// A difference and how large the numbers were that it is left of.
#[derive(Clone, Copy)]
struct Difference {
    value: f64,
    size: f64,
}

impl Difference {
    fn new(a: f64, b: f64) -> Self {
        Self { value: a - b, size: a.abs().max(b.abs()) }
    }

    /// Nothing where the weight is zero, even of something infinite.
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

/// By how much the truth scores better than the forecast where `outcome` comes, times the
/// probability that it does. `score` is that under this outcome, `exponent` the parameter that
/// governs it.
fn weighted_gain(
    exponent: f64,
    score: impl Fn(Probability) -> f64,
    [forecast, truth]: [Probability; 2],
    outcome: bool,
) -> Difference {
    let weight = if outcome { truth.get() } else { 1.0 - truth.get() };
    let [of_q, of_p] = [truth, forecast].map(score);
    let gain = Difference::new(of_q, of_p).times(weight);
    if gain.value.is_finite() {
        return gain;
    }
    // A score beyond the range of numbers is that of a power, which times a small weight may be
    // within.
    let share = |at: Probability, score: f64| {
        if score.is_finite() {
            return weight * score;
        }
        let half = Sides::new(at).of(outcome).0.powf(exponent / 2.0);
        weight * half / exponent * half
    };
    Difference::new(share(truth, of_q), share(forecast, of_p))
}

/// For both in the lower half: integrals from 0, which are as small as their difference.
/// `success_gain` is the weighted difference of the scores for a success, taken where such an
/// integral is infinite or nearly so.
fn near_zero(
    p: f64,
    q: f64,
    alpha: f64,
    beta: f64,
    success_gain: impl Fn() -> Difference,
) -> Difference {
    let grown = |integral: IncompleteBeta| {
        Difference::new(integral.at(q, 1.0 - q), integral.at(p, 1.0 - p))
    };
    let success = if alpha > 0.01 {
        grown(IncompleteBeta::new(alpha, beta + 1.0)).times(q)
    } else {
        success_gain()
    };
    success.plus(grown(IncompleteBeta::new(alpha + 1.0, beta)).times(q - 1.0))
}

/// The integral of `|c - q| c^(alpha-1) (1-c)^(beta-1)` from q to somewhere.
struct Integral {
    q: f64,
    alpha: f64,
    beta: f64,
}

impl Integral {
    /// A piece is smooth enough for ten points where its width times this is no more than its
    /// distance to either end.
    fn steepness(&self) -> f64 {
        4.0 + self.alpha.abs() + self.beta.abs()
    }

    /// The mirror image: outcomes and parameters change places.
    fn mirrored(&self) -> Self {
        Self { q: 1.0 - self.q, alpha: self.beta, beta: self.alpha }
    }

    /// `c^(alpha+1) (1-c)^(beta-1)`, which is the density times c as the unit of both lengths, over
    /// its value at a point of reference.
    fn relative(&self, c: f64, reference: f64) -> f64 {
        let (near, far) = ((c / reference).ln(), ((1.0 - c) / (1.0 - reference)).ln());
        ((self.alpha + 1.0) * near + (self.beta - 1.0) * far).exp()
    }

    /// The square root of `c^(alpha+1) (1-c)^(beta-1)`, which is put in twice: neither leaves the
    /// range of a number unless the result does.
    fn root(&self, c: f64) -> f64 {
        (((self.alpha + 1.0) * c.ln() + (self.beta - 1.0) * (-c).ln_1p()) / 2.0).exp()
    }

    /// For p close to q: one piece, with the factor `(p - q)^2` taken out.
    fn close(&self, p: f64) -> f64 {
        // Seen from the nearer end, so that the distance from it keeps its digits.
        if self.q <= 0.5 { self.close_by(p - self.q) } else { self.mirrored().close_by(self.q - p) }
    }

    fn close_by(&self, gap: f64) -> f64 {
        let (near, far) = (gap / self.q, -gap / (1.0 - self.q));
        // No place is rounded, as tiny ones have few digits.
        let density = |share: f64| {
            let (near, far) = ((share * near).ln_1p(), (share * far).ln_1p());
            ((self.alpha - 1.0) * near + (self.beta - 1.0) * far).exp()
        };
        let root = near * self.root(self.q);
        root * root * gauss(0.0, 1.0, |share| share * density(share))
    }

    /// Piece by piece from q to p, in each half seen from its end; `None` where that takes too
    /// many.
    fn by_pieces(&self, p: f64) -> Option<f64> {
        let mirrored = self.mirrored();
        let low = self.between(self.q.min(0.5), p.min(0.5))?;
        let high = mirrored.between(mirrored.q.min(0.5), (1.0 - p).min(0.5))?;
        Some(low + high)
    }

    /// Piece by piece from one place to another that is further from q, until no piece adds
    /// anything any more.
    fn between(&self, from: f64, to: f64) -> Option<f64> {
        const MOST_PIECES: usize = 20_000;
        let (alpha, beta, q) = (self.alpha, self.beta, self.q);
        if from == to {
            return Some(0.0);
        }
        // Where the density times c^2 is largest on [0, 1], so that what counts is within the range
        // of numbers.
        let most = if beta > 1.0 { (alpha + 1.0) / (alpha + beta) } else { 1.0 };
        let reference = most.clamp(from.min(to), from.max(to));
        let direction = (to - from).signum();
        let (mut c, mut sum) = (from, 0.0);
        for _ in 0..MOST_PIECES {
            let width = (c / (5.0 + alpha.abs())).min((1.0 - c) / (5.0 + beta.abs()));
            let next = if (to - c).abs() <= width { to } else { c + direction * width };
            let piece = gauss(c, next, |c| (c - q) / c * self.relative(c, reference) / c);
            sum += piece;
            // Pieces rise to a largest one and fall from there, if they do, so that after a tiny
            // one nothing comes.
            if next == to || (sum > 0.0 && piece <= 1e-18 * sum) {
                let root = self.root(reference);
                return Some(root * sum * root);
            }
            c = next;
        }
        None
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

    /// The same integral over the log-odds t of c, where nothing is singular, by the double
    /// exponential rule on many small ranges, over all places that count to 17 digits.
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
        for alpha in [-0.7, 0.1, 1.0, 1.5, 30.0, 100.0, 300.0] {
            for beta in [-0.7, 0.3, 1.0, 2.5, 40.0, 200.0] {
                for q in [1e-3, 0.1, 0.3, 0.5] {
                    for p in [0.0, 1e-6, 0.2, 0.7, 0.97, 0.999, 1.0] {
                        // At an end only what `divergence` may ask for.
                        if (p == 0.0 && alpha <= 1.0) || (p == 1.0 && beta <= 1.0) {
                            continue;
                        }
                        let integral = Integral { q, alpha, beta };
                        let exact = by_brute_force(&integral, p);
                        if exact < 1e-290 {
                            continue;
                        }
                        // More pieces than allowed would leave nothing.
                        let error = (integral.by_pieces(p).unwrap() / exact - 1.0).abs();
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
                for unit in [last_place, 1e-30, 5e-324] {
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
    fn pieces_that_span_hundreds_of_powers_of_ten_all_count() {
        for alpha in [-0.999_99, -0.999_996] {
            for (p, q) in [(1e-19, 1e-238), (1e-30, 1e-280), (1e-19, 1e-100)] {
                let log = f64::ln(p / q);
                let grown = |power: f64| -(power * log).exp_m1() / power;
                let exact = f64::powf(q, alpha + 1.0) * (grown(alpha) - grown(alpha + 1.0));
                for (low, high) in [(alpha, 1.5), (alpha, 0.5)] {
                    let loss = divergence_of(low, high, p, q);
                    approx::assert_relative_eq!(loss, exact, epsilon = 0.0, max_relative = 1e-12);
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
        for steep in [100.0, 1_000.0, 9_000.0] {
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

    #[test]
    fn among_the_smallest_numbers_scores_are_out_of_range_and_divergences_are_not() {
        let unit = 5e-324;
        for alpha in [-0.999, -0.99, -0.9] {
            for beta in [-0.5, 0.0, 1.7] {
                for (p, q) in [(2.0, 11.0), (80.0, 11.0), (1e12, 1.0), (1e12 + 1e9, 1e12)] {
                    let log = f64::ln_1p((p - q) / q);
                    let grown = |power: f64| -(power * log).exp_m1() / power;
                    let integral = grown(alpha) - grown(alpha + 1.0);
                    let exact = (q * unit).powf(alpha + 1.0) * integral;
                    let loss = divergence_of(alpha, beta, p * unit, q * unit);
                    approx::assert_relative_eq!(loss, exact, epsilon = 0.0, max_relative = 1e-12);
                }
            }
        }
    }

    #[test]
    fn a_loss_beyond_the_largest_number_is_infinite() {
        for q in [1e-3, 0.3, 0.5, 0.9, 1.0] {
            assert_eq!(divergence_of(-0.999, 0.5, 5e-324, q), f64::INFINITY, "{q}");
        }
    }

    #[test]
    fn a_loss_at_the_small_end_of_numbers_is_not_negative() {
        for steepness in [512, 525, 533, 540] {
            let steepness = f64::from(steepness);
            for p in 1..20 {
                for q in 1..20 {
                    let [p, q] = [p, q].map(|i| 0.4 + 0.01 * f64::from(i));
                    let loss = divergence_of(steepness, steepness, p, q);
                    assert!(loss >= 0.0, "{steepness} {p} {q}: {loss:e}");
                }
            }
        }
    }
}
