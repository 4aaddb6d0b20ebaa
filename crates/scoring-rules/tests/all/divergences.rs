//! Divergences keep their digits however close or far apart the two forecasts are.

use scoring_rules::{BetaScore, LogScore, ScoringRule};

use crate::common::{assert_near, prob};

fn divergence(rule: &impl ScoringRule, p: f64, q: f64) -> f64 {
    let [p, q] = [p, q].map(prob);
    rule.divergence(p, q)
}

fn of_log(p: f64, q: f64) -> f64 {
    divergence(&LogScore::exact(), p, q)
}

fn of_beta(alpha: f64, beta: f64, p: f64, q: f64) -> f64 {
    divergence(&BetaScore::new(alpha, beta).unwrap(), p, q)
}

#[test]
fn a_clipped_divergence_is_the_difference_of_clipped_scores() {
    for eps in [1e-100, 1e-15, 1e-6, 0.05] {
        let rule = LogScore::clipped(eps).unwrap();
        for p in [0.0, 0.3, 1.0 - 2.0 * eps, 1.0 - eps / 2.0, 1.0] {
            for q in [0.0, 0.4, 1.0] {
                let [p, q] = [p, q].map(prob);
                let expected = rule.expected(q, q) - rule.expected(p, q);
                let error = (rule.divergence(p, q) - expected).abs();
                assert!(error <= 1e-14 * expected.abs().max(1.0), "{eps} {p} {q}: {error:e}");
            }
        }
    }
}

#[test]
fn close_forecasts_on_both_sides_of_one_half_keep_the_digits_of_their_difference() {
    for gap in [1e-5, 1e-7, 1e-9, 1e-12] {
        for (p, q) in [(0.5, 0.5 - gap), (0.5 - gap, 0.5), (0.5 + gap, 0.5 - gap)] {
            let gap: f64 = p - q;
            let third = gap / 3.0 * (1.0 / ((1.0 - q) * (1.0 - q)) - 1.0 / (q * q));
            let exact = gap * gap * (1.0 / (2.0 * q * (1.0 - q)) + third + 4.0 * gap * gap);
            assert_near(of_log(p, q), exact, 1e-13);
        }
    }
}

#[test]
fn close_forecasts_at_the_clip_keep_the_digits_of_their_difference() {
    let rule = LogScore::clipped(0.05).unwrap();
    for gap in [1e-3, 1e-6, 1e-9, 1e-12] {
        let p: f64 = 0.05 + gap;
        // The clip turns a certain failure into 0.05.
        let exact = -(-(p - 0.05) / 0.95).ln_1p();
        assert_near(divergence(&rule, p, 0.0), exact, 1e-13);
    }
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
            assert_near(of_log(p, q), exact, 1e-14);
        }
    }
}

#[test]
fn tiny_forecasts_differ_as_much_as_larger_ones_in_the_same_ratio() {
    // q ln (q / p) - (q - p), where 1 - p and 1 - q are 1 to all digits.
    for q in [1e-20, 1e-100, 1e-160, 1e-200] {
        for ratio in [0.5, 0.75, 1.25, 3.0] {
            let exact = q * (ratio - 1.0 - f64::ln(ratio));
            assert_near(of_log(ratio * q, q), exact, 1e-14);
        }
    }
}

/// Computes the integral over the log-odds t of c, where it has no singularity, by the double
/// exponential rule on many small ranges that cover all contributions to 17 digits.
fn by_brute_force(alpha: f64, beta: f64, p: f64, q: f64) -> f64 {
    let sides = |t: f64| (1.0 / (1.0 + (-t).exp()), 1.0 / (1.0 + t.exp()));
    let log_of = |t: f64| {
        let (c, rest) = sides(t);
        (c - q).abs().ln() + alpha * c.ln() + beta * rest.ln()
    };
    let logit = |p: f64| (p.ln() - (-p).ln_1p()).clamp(-60.0, 60.0);
    let (low, high) = (logit(p.min(q)), logit(p.max(q)));
    let place = |i: usize, n: usize, low: f64, high: f64| low + (high - low) * i as f64 / n as f64;
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

/// Compares the divergence with its integral; false if that is too close to the smallest numbers.
fn is_compared(alpha: f64, beta: f64, p: f64, q: f64) -> bool {
    let exact = by_brute_force(alpha, beta, p, q);
    let compares = exact > f64::MIN_POSITIVE;
    if compares {
        assert_near(of_beta(alpha, beta, p, q), exact, 1e-12);
    }
    compares
}

#[test]
fn divergences_are_the_integral_also_over_the_mode_and_up_to_an_end() {
    let mut seen = 0;
    for alpha in [-0.7, 0.1, 1.0, 1.5, 30.0, 70.0, 100.0] {
        for beta in [-0.7, 0.3, 1.0, 2.5, 40.0, 100.0] {
            for q in [1e-3, 0.1, 0.3, 0.5] {
                for p in [0.0, 1e-6, 0.2, 0.7, 0.97, 0.999, 1.0] {
                    // Elsewhere at an end it is infinite or nearly so.
                    if (p > 0.0 || alpha > 1.0) && (p < 1.0 || beta > 1.0) {
                        seen += u32::from(is_compared(alpha, beta, p, q));
                    }
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
                    assert!(is_compared(alpha, beta, ratio * q, q));
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
                let low = of_beta(alpha, beta, p * unit, q);
                assert_near(low, exact, 1e-13);
                let high = of_beta(beta, alpha, 1.0 - p * unit, 1.0 - q);
                assert_near(high, exact, 1e-13);
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
                let low = of_beta(alpha, beta, p * unit, q * unit);
                assert!(near(low), "{alpha} {beta} {p} {unit}: {low:e} {exact:e}");
                if unit == last_place {
                    let high = of_beta(beta, alpha, 1.0 - p * unit, 1.0 - q * unit);
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
            assert!(is_compared(alpha, -0.9999, p, q));
        }
    }
}

#[test]
fn a_steep_fall_towards_the_other_end_or_a_steep_rise_from_this_one_keeps_all_digits() {
    for steep in [30.0, 70.0, 100.0] {
        for other in [-0.9, -0.5, 0.5, 3.0] {
            for q in [0.05, 0.3, 0.45, 0.7] {
                for gap in [1e-3, 3e-3, 1e-2, 3e-2, 0.1, -1e-3, -3e-3, -1e-2, -4e-2] {
                    is_compared(other, steep, q + gap, q);
                }
            }
            // Where it vanishes at the end itself, which a forecast may claim; and the mirror
            // image.
            for q in [0.25, 0.5, 0.875] {
                let exact = by_brute_force(other, steep, 1.0, q);
                if exact > f64::MIN_POSITIVE {
                    let high = of_beta(other, steep, 1.0, q);
                    let low = of_beta(steep, other, 0.0, 1.0 - q);
                    for loss in [high, low] {
                        let error = (loss - exact).abs();
                        assert!(error <= 1e-11 * exact, "{other} {steep} {q}: {error:e}");
                    }
                }
            }
        }
    }
}
