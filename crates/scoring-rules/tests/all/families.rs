//! Properties of the families of power scores, and their members that equal other rules.

use proptest::prelude::*;
use scoring_rules::{
    BetaScore, BrierScore, Error, Level, LogScore, PowerScore, Probability, PseudosphericalScore,
    ScoringRule, SphericalScore,
};

use crate::common::{assert_near, level, prob};

fn pair(k: f64, baseline: Level) -> [Box<dyn ScoringRule>; 2] {
    [
        Box::new(PowerScore::new(k, baseline).unwrap()),
        Box::new(PseudosphericalScore::new(k, baseline).unwrap()),
    ]
}

/// Uniform, or close to an end and uniform in the logarithm.
fn inside() -> impl Strategy<Value = Probability> {
    let value = prop_oneof![
        0.001..0.999_f64,
        (-30.0..-1.0_f64).prop_map(f64::exp),
        (-30.0..-1.0_f64).prop_map(|x| 1.0 - x.exp()),
    ];
    value.prop_map(prob)
}

#[test]
fn next_to_the_baseline_all_members_score_its_relative_change() {
    for k in [-10.0, -2.0, -0.5, 0.0, 0.5, 1.0, 1.000_1, 2.0, 3.5, 10.0] {
        for b in [0.001, 0.1, 0.5, 0.7, 0.99] {
            for share in [1e-9, -1e-9, 1e-11, -1e-11] {
                let p = b + share * f64::min(b, 1.0 - b);
                for rule in pair(k, level(b)) {
                    for outcome in [false, true] {
                        let exact = if outcome { (p - b) / b } else { (b - p) / (1.0 - b) };
                        let score = rule.score(prob(p), outcome);
                        // The next term has another factor of the gap and one of the power.
                        assert_near(score, exact, 1e-6);
                    }
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn divergences_of_members_with_another_name_are_those_of_the_other_rule(
        p in inside(),
        q in inside(),
        b in 0.001..0.999_f64,
    ) {
        let baseline = level(b);
        let log = LogScore::exact().divergence(p, q);
        for rule in pair(1.0, baseline) {
            assert_near(rule.divergence(p, q), log, 1e-12);
        }
        let [power, pseudospherical] = pair(2.0, Level::HALF);
        let brier = 2.0 * BrierScore.divergence(p, q);
        assert_near(power.divergence(p, q), brier, 1e-12);
        let spherical = 2.0_f64.sqrt() * SphericalScore.divergence(p, q);
        let loss = pseudospherical.divergence(p, q);
        assert_near(loss, spherical, 1e-12);
    }
}

#[test]
fn members_with_equal_parameters_are_equal_and_show_them() {
    let rule = |alpha, beta| BetaScore::new(alpha, beta).unwrap();
    assert_eq!(rule(0.5, 1.7), rule(0.5, 1.7));
    assert_ne!(rule(0.5, 1.7), rule(0.5, 1.6));
    assert_ne!(rule(0.5, 1.7), rule(0.4, 1.7));
    let shown = format!("{:?}", rule(0.5, 1.7));
    assert!(shown.contains("alpha: 0.5") && shown.contains("beta: 1.7"), "{shown}");
}

#[test]
fn a_clip_is_checked_and_its_log_is_the_floor_for_both_outcomes() {
    for value in [0.0, -0.1, 1e-101, 0.5, f64::INFINITY, f64::NAN] {
        let error = LogScore::clipped(value).unwrap_err();
        assert!(matches!(error, Error::Setting { name: "eps", .. }));
    }
    let rule = LogScore::clipped(1e-6).unwrap();
    assert_eq!(rule.score(Probability::ZERO, true), 1e-6_f64.ln());
    assert_eq!(rule.score(Probability::ONE, false), 1e-6_f64.ln());
    assert_eq!(rule.score(Probability::ONE, true), rule.score(Probability::ZERO, false));
}
