//! Strict propriety: for every truth, every other report has a lower expected score.

use proptest::prelude::*;
use scoring_rules::{
    BetaScore, BoostingScore, BrierScore, ElementaryScore, Level, LogScore, PowerScore,
    Probability, PseudosphericalScore, ScoringRule, SphericalScore, ThresholdMixture, Weight,
};

use crate::common::{assert_near, close, level, named, prob, probabilities, weight_of};

fn probability() -> impl Strategy<Value = Probability> {
    let value = prop_oneof![
        6 => 0.0..=1.0_f64,
        1 => (-20.0..0.0_f64).prop_map(f64::exp),
        1 => (-20.0..0.0_f64).prop_map(|x| 1.0 - x.exp()),
        1 => Just(0.0),
        1 => Just(1.0),
    ];
    value.prop_map(prob)
}

/// Checks that the loss from reporting p is positive, and that it agrees with the expected scores if
/// their difference exceeds rounding.
fn strictly_proper(
    rule: &impl ScoringRule,
    p: Probability,
    q: Probability,
) -> Result<(), TestCaseError> {
    prop_assert_eq!(rule.divergence(q, q), 0.0);
    if p == q {
        return Ok(());
    }
    let loss = rule.divergence(p, q);
    prop_assert!(loss > 0.0, "{p} ties the truth {q}: {loss}");
    let (truthful, other) = (rule.expected(q, q), rule.expected(p, q));
    let visible = loss > 1e-13 * truthful.abs().max(other.abs());
    if visible {
        prop_assert!(truthful > other, "{p} beats the truth {q}");
        if other.is_finite() {
            let error = (truthful - other - loss).abs();
            prop_assert!(
                error <= 1e-12 * (truthful.abs() + other.abs()),
                "{p} {q}: off by {error}"
            );
        }
    }
    Ok(())
}

/// A parameter of the beta family.
fn parameter() -> impl Strategy<Value = f64> {
    prop_oneof![-0.95..0.0_f64, 0.0..6.0_f64, (0..5_u32).prop_map(f64::from)]
}

/// The members of the power families with this power and baseline.
fn families(k: f64, b: f64) -> (PowerScore, PseudosphericalScore) {
    let baseline = level(b);
    (PowerScore::new(k, baseline).unwrap(), PseudosphericalScore::new(k, baseline).unwrap())
}

proptest! {
    #[test]
    fn every_rule_is_strictly_proper(
        (alpha, beta) in (parameter(), parameter()),
        k in prop_oneof![-3.0..5.0_f64, (-1..4_i32).prop_map(f64::from)],
        b in 0.001..0.999_f64,
        p in probability(),
        q in probability(),
    ) {
        strictly_proper(&LogScore::exact(), p, q)?;
        strictly_proper(&BrierScore, p, q)?;
        strictly_proper(&SphericalScore, p, q)?;
        strictly_proper(&BoostingScore, p, q)?;
        strictly_proper(&BetaScore::new(alpha, beta).unwrap(), p, q)?;
        let (power, pseudospherical) = families(k, b);
        strictly_proper(&power, p, q)?;
        strictly_proper(&pseudospherical, p, q)?;
    }

    #[test]
    fn no_member_of_the_power_families_rewards_a_lie_and_a_baseline_scores_nothing(
        k in -10.0..=10.0_f64,
        b in 0.001..0.999_f64,
        p in probability(),
        q in probability(),
        outcome in any::<bool>(),
    ) {
        let (power, pseudospherical) = families(k, b);
        for rule in [&power as &dyn ScoringRule, &pseudospherical] {
            let loss = rule.divergence(p, q);
            let far = (p.get() - q.get()).abs() > 1e-3;
            prop_assert!(loss >= 0.0 && (!far || loss > 0.0), "{loss}");
            prop_assert_eq!(rule.divergence(q, q), 0.0);
            prop_assert_eq!(rule.score(prob(b), outcome), 0.0);
            // The more the baseline is beaten, the better.
            let score = rule.score(p, outcome);
            let better = (p.get() > b) == outcome;
            prop_assert!(if better { score >= 0.0 } else { score <= 0.0 }, "{score}");
        }
    }

    #[test]
    fn mixtures_of_thresholds_are_proper_and_tie_only_between_neighbouring_thresholds(
        points in prop::collection::vec(0.001..0.999_f64, 1..8),
        p in probability(),
        q in probability(),
    ) {
        let levels: Vec<_> = points.iter().map(|&c| level(c)).collect();
        let weighted: Vec<_> = levels.iter().map(|&c| (c, weight_of(1.5))).collect();
        let mixture = ThresholdMixture::new(&weighted).unwrap();
        let loss = mixture.divergence(p, q);
        let (low, high) = (p.min(q).get(), p.max(q).get());
        let parted = points.iter().any(|&c| low <= c && c < high);
        prop_assert!(loss >= -1e-14 && (parted || loss == 0.0), "{loss}");
        let exact: f64 = levels.iter().map(|&c| 1.5 * ElementaryScore { threshold: c }.divergence(p, q)).sum();
        prop_assert!((loss - exact).abs() < 1e-13, "{loss} {exact}");
    }

    #[test]
    fn the_clipped_log_score_is_proper_and_ties_only_beyond_the_clip(
        eps in 1e-6..0.3_f64,
        p in probability(),
        q in probability(),
    ) {
        let rule = LogScore::clipped(eps).unwrap();
        let loss = rule.divergence(p, q);
        let same_side = |limit: f64, p: f64, q: f64| p <= limit && q <= limit;
        let tie = p == q
            || same_side(eps, p.get(), q.get())
            || same_side(eps, 1.0 - p.get(), 1.0 - q.get());
        if tie {
            prop_assert!(loss.abs() < 1e-15, "{p} {q} {eps}: {loss}");
        } else {
            prop_assert!(loss > 0.0, "{p} {q} {eps}: {loss}");
        }
    }

    #[test]
    fn symmetric_rules_do_not_care_which_outcome_is_called_success(
        p in probability(),
        a in -0.9..6.0_f64,
        outcome in any::<bool>(),
    ) {
        // Only forecasts whose complement has all digits.
        prop_assume!(p.complement().complement() == p && p.get() + p.complement().get() == 1.0);
        let rules = format!("log brier spherical boosting beta:{a},{a} power:{a},0.5 pseudospherical:{a},0.5");
        for (name, rule) in named(&rules) {
            let (one, other) = (rule.score(p, outcome), rule.score(p.complement(), !outcome));
            prop_assert!(close(other, one, 1e-12), "{name} {one} {other}");
        }
    }

    #[test]
    fn scores_are_never_positive_and_a_right_certainty_has_none(
        alpha in -0.95..6.0_f64,
        beta in -0.95..6.0_f64,
        p in probability(),
        outcome in any::<bool>(),
    ) {
        let rule = BetaScore::new(alpha, beta).unwrap();
        prop_assert!(rule.score(p, outcome) <= 0.0);
        prop_assert_eq!(rule.score(Probability::ONE, true), 0.0);
        prop_assert_eq!(rule.score(Probability::ZERO, false), 0.0);
        let floor = rule.score(Probability::ONE, false);
        prop_assert_eq!(floor == f64::NEG_INFINITY, beta <= 0.0);
    }

    #[test]
    fn scores_stay_within_their_bounds(
        c in 0.001..0.999_f64,
        p in probability(),
        outcome in any::<bool>(),
    ) {
        prop_assert!((0.0..=1.0).contains(&SphericalScore.score(p, outcome)));
        prop_assert_eq!(SphericalScore.score(Probability::ONE, true), 1.0);
        prop_assert!(BoostingScore.score(p, outcome) <= 0.0);
        prop_assert_eq!(BoostingScore.score(Probability::ZERO, true), f64::NEG_INFINITY);
        prop_assert!((-1.0..=0.0).contains(&BrierScore.score(p, outcome)));
        let clipped = LogScore::clipped(c / 2.0).unwrap().score(p, outcome);
        prop_assert!(((c / 2.0).ln()..=(-c / 2.0).ln_1p()).contains(&clipped));
        let level = level(c);
        let least = if outcome { c - 1.0 } else { -c };
        let elementary = ElementaryScore { threshold: level }.score(p, outcome);
        prop_assert!(elementary == 0.0 || elementary == least);
        let mixture = ThresholdMixture::new(&[(level, weight_of(2.0)), (Level::HALF, Weight::ONE)]).unwrap();
        let least = if outcome { 2.0 * (c - 1.0) - 0.5 } else { -2.0 * c - 0.5 };
        prop_assert!((least - 1e-15..=0.0).contains(&mixture.score(p, outcome)));
        // Pseudospherical scores of a power above 1 are bounded on both sides.
        let rule = PseudosphericalScore::new(3.0, level).unwrap();
        let most = rule.score(if outcome { Probability::ONE } else { Probability::ZERO }, outcome);
        prop_assert!((-0.5..=most).contains(&rule.score(p, outcome)));
    }
}

#[test]
fn parameters_that_make_no_proper_score_are_refused() {
    for bad in [-1.0, -2.0, f64::INFINITY, f64::NAN, 100.1] {
        for (alpha, beta) in [(bad, 1.0), (1.0, bad)] {
            let error = BetaScore::new(alpha, beta).unwrap_err();
            assert!(matches!(error, scoring_rules::Error::Setting { .. }), "{error}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn no_divergence_is_negative_however_steep_the_rule(
        alpha in prop_oneof![-0.999_999..100.0_f64, -1.0 + 1e-12..-0.99],
        beta in prop_oneof![-0.999_999..100.0_f64, -1.0 + 1e-12..-0.99],
        p in probability(),
        q in probability(),
    ) {
        let loss = BetaScore::new(alpha, beta).unwrap().divergence(p, q);
        prop_assert!(loss >= 0.0, "{loss}");
    }
}

#[test]
fn divergences_at_the_limits_of_numbers_end_and_are_no_nan() {
    let below_one = 1.0 - f64::EPSILON / 2.0;
    let cases = [
        (0.645_427_353_111_764_5, -0.999_997_305_777_427_6, 0.164_510_505_921_450_56, below_one),
        (0.0, 100.0, 0.6, below_one),
        (60.0, 0.5, 0.2, 5e-324),
        (100.0, 100.0, 0.1, 5e-324),
        (0.04, -0.999_999_999_999_9, 1e-300, below_one),
        (0.7, -0.999_999_999_999_999, 4e-151, 0.55),
        (100.0, 100.0, 0.45, 0.55),
        (100.0, 100.0, 0.2, 0.8),
        (100.0, 0.5, 0.5, 1e-12),
        (100.0, 1.000_000_000_018_336_9, 0.336, 1e-300),
        (-0.999_999_999_999_998_8, 100.0, 0.991, 5.8e-142),
        (75.0, -0.999_999_999_996_698_5, 0.62, 1e-300),
        (-0.999, 0.5, 5e-324, 1e-320),
        (-0.999, 0.5, 1e-320, 0.3),
        (0.5, 0.5, 1e-320, 5e-324),
    ];
    for (alpha, beta, p, q) in cases {
        let [p, q] = [p, q].map(prob);
        let loss = BetaScore::new(alpha, beta).unwrap().divergence(p, q);
        assert!(loss >= 0.0, "{alpha} {beta} {p} {q}: {loss}");
    }
    // The integral of (q - c) c (1-c)^(beta-1), which in t = 1 - c is a sum of three powers.
    let beta = -0.999_999;
    let [p, q] = [0.5, 0.999_999_999_999_999_8].map(prob);
    let rest = q.complement().get();
    let grown = |k: f64| ((k * 0.5_f64.ln()).exp_m1() - (k * rest.ln()).exp_m1()) / k;
    let exact = (1.0 + rest) * grown(1.0 + beta) - rest * grown(beta) - grown(2.0 + beta);
    let loss = BetaScore::new(2.0, beta).unwrap().divergence(p, q);
    assert_near(loss, exact, 1e-12);
}

#[test]
fn negative_zero_is_zero_for_every_rule() {
    let (minus, zero) = (prob(-0.0), Probability::ZERO);
    assert!(minus.get().is_sign_positive() && minus.complement() == Probability::ONE);
    let mut rules = named("log brier spherical boosting elementary:0.3");
    let mixture = ThresholdMixture::new(&[(level(0.3), Weight::ONE)]).unwrap();
    rules.push(("mixture".into(), Box::new(mixture)));
    for k in [-10.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0_f64] {
        let alpha = k.max(-0.9);
        rules.extend(named(&format!("power:{k},0.3 pseudospherical:{k},0.3 beta:{alpha},0.7")));
    }
    for (name, rule) in rules {
        for outcome in [false, true] {
            let (one, other) = (rule.score(minus, outcome), rule.score(zero, outcome));
            assert_eq!(one.to_bits(), other.to_bits(), "{name}");
        }
        let mean = |values: [f64; 2]| {
            let forecasts = probabilities(&values);
            scoring_rules::mean_score(&*rule, forecasts, &[true, false], None)
        };
        assert_eq!(mean([-0.0, 0.5]), mean([0.0, 0.5]));
    }
}

#[test]
fn expectations_under_a_certain_truth_are_the_scores() {
    let p = prob(0.3);
    for k in [-7.5, -2.0, -1e-9, 0.0, 1e-9, 1e-6, 0.5, 1.0, 3.0] {
        let rule = PowerScore::new(k, Level::HALF).unwrap();
        assert_eq!(rule.expected(p, Probability::ONE), rule.score(p, true));
        assert_eq!(rule.expected(p, Probability::ZERO), rule.score(p, false));
        let wrong_certainty = rule.expected(Probability::ZERO, p);
        assert_eq!(wrong_certainty == f64::NEG_INFINITY, k <= 1.0, "{k}");
    }
}

#[test]
fn parameters_next_to_zero_are_as_good_as_zero() {
    let p = prob(1e-7);
    let log = BetaScore::new(0.0, 0.5).unwrap().score(p, true);
    for tiny in [5e-324, 1e-200, 1e-31, -1e-31, 1e-29, -1e-29] {
        let score = BetaScore::new(tiny, 0.5).unwrap().score(p, true);
        assert_near(score, log, 1e-14);
    }
}

#[test]
fn divergences_of_tiny_forecasts_do_not_overflow_on_the_way() {
    for k in [-0.001, 0.0, 0.001, 0.1] {
        let rule = PseudosphericalScore::new(k, level(0.3)).unwrap();
        for p in [1e-155, 1e-200, 1e-290] {
            let [p, q] = [p, 1.001 * p].map(prob);
            let loss = rule.divergence(p, q);
            // Of second order in the gap, and bounded by the first-order term.
            let first_order = q.get() * (rule.score(q, true) - rule.score(p, true));
            assert!(loss > 0.0 && loss < 0.01 * first_order, "{k} {p}: {loss} {first_order}");
        }
    }
}
