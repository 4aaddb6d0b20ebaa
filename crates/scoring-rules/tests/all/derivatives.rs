//! Gradients and curvatures compared with finite differences.

use proptest::prelude::*;
use scoring_rules::{
    BetaScore, BoostingScore, BrierScore, LogScore, LossDerivatives, PowerScore, Probability,
    PseudosphericalScore, SmoothRule, SphericalScore,
};

use crate::common::{assert_near, level, prob};

fn rules() -> Vec<(String, Box<dyn SmoothRule>)> {
    rules_with(&[-2.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.5], &[0.1, 0.5])
}

fn rules_with(powers: &[f64], baselines: &[f64]) -> Vec<(String, Box<dyn SmoothRule>)> {
    let mut rules: Vec<(String, Box<dyn SmoothRule>)> = vec![
        ("log".into(), Box::new(LogScore::exact())),
        ("clipped log".into(), Box::new(LogScore::clipped(1e-4).unwrap())),
        ("Brier".into(), Box::new(BrierScore)),
        ("spherical".into(), Box::new(SphericalScore)),
        ("boosting".into(), Box::new(BoostingScore)),
    ];
    for (alpha, beta) in [(0.0, 0.0), (2.0, 4.0), (0.5, 1.7), (-0.5, 3.0), (-0.9, -0.9), (9.0, 0.0)]
    {
        let rule = BetaScore::new(alpha, beta).unwrap();
        rules.push((format!("{rule:?}"), Box::new(rule)));
    }
    for &k in powers {
        for &b in baselines {
            let baseline = level(b);
            let power = PowerScore::new(k, baseline).unwrap();
            let pseudospherical = PseudosphericalScore::new(k, baseline).unwrap();
            rules.push((format!("power {k} {b}"), Box::new(power)));
            rules.push((format!("pseudospherical {k} {b}"), Box::new(pseudospherical)));
        }
    }
    rules
}

/// Checks the gradient and the curvature at x against central differences.
fn check(at: impl Fn(f64) -> LossDerivatives, x: f64, h: f64, what: &str) {
    let (here, low, high) = (at(x), at(x - h), at(x + h));

    let (lower, higher) = (at(x - 2.0 * h), at(x + 2.0 * h));
    // Fourth order.
    let slope = |f: fn(&LossDerivatives) -> f64| {
        (8.0 * (f(&high) - f(&low)) - (f(&higher) - f(&lower))) / (12.0 * h)
    };
    let size = here.loss.abs().max(here.gradient.abs()).max(here.curvature.abs()).max(1e-3);
    for (ours, theirs) in
        [(here.gradient, slope(|d| d.loss)), (here.curvature, slope(|d| d.gradient))]
    {
        assert!((ours - theirs).abs() < 1e-7 * size, "{what} at {x}: {ours} {theirs} {here:?}");
    }
}

#[test]
fn derivatives_agree_with_finite_differences() {
    for (name, rule) in rules() {
        for outcome in [false, true] {
            for i in 1..20 {
                let p = f64::from(i) / 20.0;
                let in_p = |p: f64| rule.loss_in_probability(prob(p), outcome);
                check(in_p, p, 1e-4 * p.min(1.0 - p), &format!("{name} {outcome} in p"));
                let z = f64::from(i - 10) / 2.0;
                check(|z| rule.loss_in_logit(z, outcome), z, 1e-3, &format!("{name} {outcome}"));
            }
        }
    }
}

#[test]
fn losses_are_minus_the_scores_and_no_derivative_is_a_nan_at_an_end_or_far_out() {
    let powers = [-10.0, -4.5, -2.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.5, 9.0, 10.0];
    for (name, rule) in rules_with(&powers, &[0.001, 0.1, 0.5, 0.99, 0.999]) {
        for outcome in [false, true] {
            for p in [0.0, 5e-324, 1e-100, 1e-30, 1e-9, 0.2, 0.5, 0.9, 1.0].map(prob) {
                let at = rule.loss_in_probability(p, outcome);
                assert_eq!(at.loss, 0.0 - rule.score(p, outcome), "{name} {p} {outcome}");
                assert!(!at.gradient.is_nan() && !at.curvature.is_nan(), "{name} {p}: {at:?}");
            }
            for z in [-1e300, -800.0, -700.0, 40.0, 740.0, f64::INFINITY, f64::NAN] {
                let LossDerivatives { loss, gradient, curvature } = rule.loss_in_logit(z, outcome);
                for number in [loss, gradient, curvature] {
                    assert_eq!(number.is_nan(), z.is_nan(), "{name} {z}");
                }
            }
        }
    }
}

#[test]
fn at_an_end_the_derivatives_are_those_of_a_power_1e_150_from_there() {
    let end = 1e-150_f64;
    for (alpha, beta) in [(1.5, 0.7), (2.5, -0.5), (2.5, 3.0), (3.5, 0.5)] {
        // The gradient for a success is -c^(alpha-1) there.
        let gradient = -end.powf(alpha - 1.0);
        let curvature = (1.0 - alpha) * -end.powf(alpha - 2.0);
        let low = BetaScore::new(alpha, beta).unwrap();
        let at = low.loss_in_probability(Probability::ZERO, true);
        assert_near(at.gradient, gradient, 1e-12);
        assert_near(at.curvature, -curvature, 1e-12);
        let high = BetaScore::new(beta, alpha).unwrap();
        let at = high.loss_in_probability(Probability::ONE, false);
        assert_near(at.gradient, -gradient, 1e-12);
        assert_near(at.curvature, -curvature, 1e-12);
        // A right certainty has a gradient of (1-c)^beta there.
        let at = high.loss_in_probability(Probability::ONE, true);
        let curvature = alpha * end.powf(alpha - 1.0);
        assert_near(at.curvature, curvature, 1e-12);
    }
}

#[test]
fn far_logits_cost_what_they_should() {
    for z in [744.0, 746.0, 800.0, 1e5, 1e300] {
        let log = LogScore::exact();
        assert_eq!(log.loss_in_logit(z, false).loss, z);
        assert_eq!(log.loss_in_logit(-z, true).loss, z);
        assert_eq!(BetaScore::new(0.0, 0.0).unwrap().loss_in_logit(z, false).loss, z);
        let clipped = LogScore::clipped(1e-6).unwrap();
        assert_eq!(clipped.loss_in_logit(z, false).loss, -1e-6_f64.ln());
        assert_eq!(clipped.loss_in_logit(z, true).loss, -(-1e-6_f64).ln_1p());
    }
    let boosting = BoostingScore.loss_in_logit(800.0, false);
    assert_near(boosting.loss, 400.0_f64.exp(), 1e-13);
    assert_eq!(boosting.gradient, boosting.loss / 2.0);
    assert_eq!(BoostingScore.loss_in_logit(800.0, true).curvature, (-400.0_f64).exp() / 4.0);
}

#[test]
fn nothing_pulls_beyond_the_clip() {
    let rule = LogScore::clipped(0.05).unwrap();
    for (z, outcome) in [-10.0, -3.0, 3.0, 10.0].into_iter().flat_map(|z| [(z, false), (z, true)]) {
        let at = rule.loss_in_logit(z, outcome);
        assert_eq!((at.gradient, at.curvature), (0.0, 0.0));
    }
}

#[test]
fn the_log_loss_keeps_its_digits_if_p_rounds_to_one() {
    let at = LogScore::exact().loss_in_logit(50.0, true);
    assert_near(at.loss, (-50.0_f64).exp(), 1e-14);
    assert_near(at.gradient, -(-50.0_f64).exp(), 1e-14);
    let at = LogScore::exact().loss_in_logit(50.0, false);
    assert_near(at.loss, 50.0, 1e-14);
    assert_eq!(at.gradient, 1.0);
}

proptest! {
    #[test]
    fn a_step_against_the_gradient_lowers_the_loss(z in -8.0..8.0_f64, outcome in any::<bool>()) {
        for (name, rule) in rules() {
            let here = rule.loss_in_logit(z, outcome);
            if here.gradient == 0.0 {
                continue;
            }
            let step = 1e-3 * here.gradient.signum();
            let there = rule.loss_in_logit(z - step, outcome);
            // If the loss is flat, up to its rounding.
            prop_assert!(there.loss <= here.loss + 1e-12 * here.loss.abs(), "{} at {}", name, z);
            prop_assert!((here.gradient > 0.0) != outcome, "{} pulls the wrong way", name);
        }
    }
}
