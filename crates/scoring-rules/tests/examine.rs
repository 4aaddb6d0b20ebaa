//! What examinations must find, and what they must not find.
#![allow(clippy::unwrap_used, clippy::panic)]

use proptest::prelude::*;
use scoring_rules::{
    BetaScore, BoostingScore, BrierScore, ElementaryScore, Error, Level, LogScore, PowerScore,
    Probability, PseudosphericalScore, ScoringRule, SphericalScore, ThresholdMixture, Weight,
    from_fn,
    propriety::{Counterexample, Examination, Verdict},
};

/// The forecast probability of the outcome.
fn given(p: Probability, outcome: bool) -> f64 {
    if outcome { p.get() } else { 1.0 - p.get() }
}

fn examined(rule: impl Fn(Probability, bool) -> f64) -> Examination {
    let examination = Examination::new(&from_fn(rule)).unwrap();
    let words = examination.to_string();
    assert!(!words.contains("NaN"), "{words}");
    examination
}

/// The counterexample, checked by evaluating the rule again.
fn lie(rule: impl Fn(Probability, bool) -> f64) -> Counterexample {
    let examination = examined(&rule);
    let Verdict::Improper(found) = examination.verdict else { panic!("{examination}") };
    assert_eq!(examination.certainty.hidden_gain, None);
    let expected = |p| from_fn(&rule).expected(p, found.truth);
    let gain = expected(found.report) - expected(found.truth);
    assert!(gain == found.gain || (gain - found.gain).abs() < 1e-12, "{found:?} {gain}");
    assert!(found.gain == f64::INFINITY || found.gain > found.rounding, "{found:?}");
    found
}

fn ties(rule: impl Fn(Probability, bool) -> f64) -> Vec<(f64, f64)> {
    let examination = examined(&rule);
    let Verdict::Proper { ties } = examination.verdict else { panic!("{examination}") };
    ties.iter().map(|range| (range.start().get(), range.end().get())).collect()
}

fn assert_ranges(found: &[(f64, f64)], wanted: &[(f64, f64)]) {
    let near = |(a, b): (f64, f64), (c, d): (f64, f64)| (a - c).abs() + (b - d).abs() < 1e-15;
    assert_eq!(found.len(), wanted.len(), "{found:?}");
    assert!(found.iter().zip(wanted).all(|(&one, &two)| near(one, two)), "{found:?} {wanted:?}");
}

#[test]
fn the_rules_of_the_crate_are_strictly_proper() {
    let log = LogScore::exact();
    let check = |examination: Examination, undecided: usize| {
        assert_eq!(examination.verdict, Verdict::StrictlyProper, "{examination}");
        let certainty = &examination.certainty;
        assert!(certainty.reports == 25_000 && certainty.widest_gap <= 1.0 / 16_384.0);
        assert!(certainty.hidden_gain.unwrap() < 1e-3, "{examination}");
        assert!(certainty.undecided.len() <= undecided, "{examination}");
    };
    check(Examination::new(&log).unwrap(), 0);
    check(Examination::new(&BrierScore).unwrap(), 0);
    let chosen_at_run_time: Box<dyn ScoringRule> = Box::new(BrierScore);
    check(Examination::new(chosen_at_run_time.as_ref()).unwrap(), 0);
    for (alpha, beta) in [(0.0, 0.0), (-0.5, -0.5), (1.0, 1.0), (2.0, 4.0), (0.5, 1.7)] {
        check(Examination::new(&BetaScore::new(alpha, beta).unwrap()).unwrap(), 2);
    }
    // Rounding removes the digits that show small losses from a score near 1.
    check(Examination::new(&SphericalScore).unwrap(), 2);
    check(Examination::new(&BoostingScore).unwrap(), 0);
    for (power, baseline) in [(0.5, 0.3), (1.0, 0.3), (1.5, 0.1), (2.0, 0.5), (3.0, 0.7)] {
        let baseline = Level::new(baseline).unwrap();
        check(Examination::new(&PowerScore::new(power, baseline).unwrap()).unwrap(), 2);
        check(Examination::new(&PseudosphericalScore::new(power, baseline).unwrap()).unwrap(), 2);
    }
    let beta = BetaScore::new(2.0, 4.0).unwrap();
    check(
        examined(|p, y| 0.2 * log.score(p, y) + BrierScore.score(p, y) + 3.0 * beta.score(p, y)),
        0,
    );
    // The offset costs digits but does not change the order of reports.
    check(examined(|p, y| 1.0 + BrierScore.score(p, y)), 2);
}

#[test]
fn plainly_written_rules_are_strictly_proper() {
    let spherical = |p: Probability, y| given(p, y) / given(p, true).hypot(given(p, false));
    let boosting = |p: Probability, y: bool| -(given(p, !y) / given(p, y)).sqrt();
    let power = |p: Probability, y: bool| {
        let sum = given(p, true).powi(3) + given(p, false).powi(3);
        1.5 * given(p, y).powi(2) - sum
    };
    let nats = |p: Probability, y: bool| given(p, y).ln();
    let rules: [&dyn Fn(Probability, bool) -> f64; 4] = [&spherical, &boosting, &power, &nats];
    for rule in rules {
        let examination = examined(rule);
        assert_eq!(examination.verdict, Verdict::StrictlyProper, "{examination}");
    }
}

#[test]
fn steep_rules_are_not_blamed_for_rounding() {
    let odd = [-0.999_999, -0.5, 0.3, 2.7, 10.0, 50.0];
    for alpha in odd {
        for beta in odd {
            let examination = Examination::new(&BetaScore::new(alpha, beta).unwrap()).unwrap();
            let verdict = &examination.verdict;
            assert_eq!(*verdict, Verdict::StrictlyProper, "{alpha} {beta}: {examination}");
        }
    }
    // Flat to rounding at both ends, which the examination reports.
    let steep = Examination::new(&BetaScore::new(50.0, 50.0).unwrap()).unwrap();
    assert_eq!(steep.verdict, Verdict::StrictlyProper);
    assert_eq!(steep.certainty.undecided.len(), 2, "{steep}");
    assert!(steep.to_string().contains("Losses cannot be distinguished from ties within [0, 0.2"));
}

#[test]
fn a_rule_that_loses_digits_next_to_a_certainty_is_not_blamed_for_them() {
    // A square computed from a sum of size 4, in which small squares lose at least half of their digits.
    let rounded = |p: f64| (4.0 + 1.5 * p * p) - 4.0;
    let square = |p: f64| 1.5 * p * p;
    let near_zero =
        |p: Probability, y: bool| if y { -square(1.0 - p.get()) } else { -rounded(p.get()) };
    let near_one =
        |p: Probability, y: bool| if y { -rounded(1.0 - p.get()) } else { -square(p.get()) };
    let rules: [&dyn Fn(Probability, bool) -> f64; 2] = [&near_zero, &near_one];
    for rule in rules {
        let examination = examined(rule);
        assert_eq!(examination.verdict, Verdict::StrictlyProper, "{examination}");
    }
}

#[test]
fn the_clipped_log_is_proper_and_reports_beyond_the_clip_tie() {
    let clip = LogScore::clipped(0.05).unwrap();
    let wanted = [(0.0, 0.05), (0.95, 1.0)];
    assert_ranges(&ties(|p, y| clip.score(p, y)), &wanted);
    assert_ranges(&ties(|p, y| given(p, y).clamp(0.05, 0.95).ln()), &wanted);
    let first = |p: Probability, y: bool| {
        let p = p.get().clamp(0.05, 0.95);
        if y { p.ln() } else { (1.0 - p).ln() }
    };
    assert_ranges(&ties(first), &wanted);
    let words = Examination::new(&clip).unwrap().to_string();
    let start = "Proper but not strictly: no report gains on the truth, but scores are equal to the \
                 last bit within [0, 0.05] and within [0.95, 1].";
    assert!(words.starts_with(start), "{words}");
}

#[test]
fn mixtures_of_thresholds_tie_between_thresholds() {
    let level = |c| Level::new(c).unwrap();
    let one = ElementaryScore::new(level(0.25));
    assert_ranges(&ties(|p, y| one.score(p, y)), &[(0.0, 0.25), (0.25, 1.0)]);
    let two = ThresholdMixture::new(&[
        (level(0.75), Weight::ONE),
        (level(0.25), Weight::new(3.0).unwrap()),
    ])
    .unwrap();
    let wanted = [(0.0, 0.25), (0.25, 0.75), (0.75, 1.0)];
    assert_ranges(&ties(|p, y| two.score(p, y)), &wanted);
}

#[test]
fn powers_that_score_plus_infinity_have_no_expectation() {
    let rule = PowerScore::new(-1.0, Level::HALF).unwrap();
    let error = Examination::new(&rule).unwrap_err();
    assert!(matches!(error, Error::Score { value: f64::INFINITY, .. }), "{error}");
}

#[test]
fn a_threshold_score_ties_on_both_sides_of_its_threshold() {
    let c = 0.3;
    let rule = |closed: bool| {
        move |p: Probability, y: bool| {
            let acts = p.get() > c || (!closed && p.get() == c);
            match (acts, y) {
                (true, true) | (false, false) => 0.0,
                (true, false) => -c,
                (false, true) => -(1.0 - c),
            }
        }
    };
    assert_eq!(ties(rule(true)), [(0.0, c), (c.next_up(), 1.0)]);
    assert_eq!(ties(rule(false)), [(0.0, c.next_down()), (c, 1.0)]);
    assert_eq!(ties(|_, y| if y { -1.0 } else { -3.0 }), [(0.0, 1.0)]);
}

#[test]
fn the_linear_score_and_the_absolute_loss_reward_exaggeration() {
    // At truth q the report 1 gains q - q^2 - (1-q)^2, which is largest at q = 3/4. Below 1/2 the mirror
    // image holds.
    let absolute = |p: Probability, y: bool| -(p.get() - f64::from(y)).abs();
    for rule in [given, absolute] {
        let found = lie(rule);
        assert!((found.gain - 0.125).abs() < 1e-12, "{found:?}");
        assert!(((found.truth.get() - 0.5).abs() - 0.25).abs() < 1e-5, "{found:?}");
        assert!((found.report.get() - 0.5).abs() == 0.5, "{found:?}");
        let words = ["0.25, reporting 0", "0.75, reporting 1"]
            .map(|lie| format!("Improper: if the truth is {lie} has an expected gain of 0.125."));
        assert!(words.contains(&found.to_string()), "{found}");
    }
}

#[test]
fn scores_that_differ_within_rounding_are_proper_and_the_text_says_why() {
    let examination = examined(|p, y| 1.0 + 1e-14 * BrierScore.score(p, y));
    assert_eq!(examination.verdict, Verdict::Proper { ties: vec![] });
    let words = examination.to_string();
    let start = "Proper: no report gains on the truth, but all losses are within rounding.";
    assert!(words.starts_with(start), "{words}");
}

#[test]
fn a_wrong_sign_rewards_the_opposite() {
    let found = lie(|p, y| -BrierScore.score(p, y));
    assert_eq!(found.gain, 1.0);
    assert_eq!((found.truth.get() - found.report.get()).abs(), 1.0);
}

#[test]
fn the_spherical_score_without_its_root_is_improper() {
    // With u = 2p - 1, the expected score at a certain truth is (1 + u) / (1 + u^2), which is largest at
    // u = sqrt 2 - 1.
    let found = lie(|p, y| given(p, y) / (given(p, true).powi(2) + given(p, false).powi(2)));
    let root = 2.0_f64.sqrt();
    assert!((found.gain - (root - 1.0) / 2.0).abs() < 1e-12, "{found:?}");
    assert!(((found.report.get() - 0.5).abs() - (root - 1.0) / 2.0).abs() < 1e-5, "{found:?}");
    assert_eq!((found.truth.get() - 0.5).abs(), 0.5);
}

#[test]
fn a_bump_on_a_narrow_range_is_found() {
    for width in [0.01, 1e-4] {
        for at in [0.0101, 0.3, 0.432_157, 0.77, 0.9801] {
            let bump = |p: Probability, y| {
                let inside = p.get() >= at && p.get() < at + width;
                BrierScore.score(p, y) + if inside { 0.01 } else { 0.0 }
            };
            let found = lie(bump);
            let report = found.report.get();
            assert!(report >= at && report < at + width, "{found:?}");
            // A report at the edge of the bump loses almost nothing.
            assert!((0.009_99..0.01 + 1e-15).contains(&found.gain), "{found:?}");
        }
    }
}

#[test]
fn a_smooth_bump_and_a_slope_that_is_slightly_wrong_are_found() {
    let smooth = |p: Probability, y| {
        let z = (p.get() - 0.37) / 0.01;
        BrierScore.score(p, y) + 0.001 * (-z * z).exp()
    };
    lie(smooth);
    lie(|p, y| BrierScore.score(p, y) * if y { 1.0 } else { 1.000_05 });
    lie(|p, y| LogScore::exact().score(p, y) * if y { 1.0 } else { 1.000_05 });
}

#[test]
fn a_gain_that_is_rounding_between_neighbours_is_found_further_apart() {
    // Because of the offset, neighbours differ in the last digits only. At certain truths, no report
    // gains.
    let turned = from_density(vec![3.0, 3.0, -1.0, 3.0, 3.0]);
    let found = lie(|p, y| 1.0 + 1e-5 * turned(p, y));
    // Thresholds between 2/5 and 3/5 count the wrong way. From a truth q above, the report 2/5 gains
    // (q - 1/2) / 5 - 3/2 (q - 3/5)^2, which is largest at 2/3. The mirror image holds too.
    assert!((found.gain / 1e-5 - 2.0 / 75.0).abs() < 1e-6, "{found:?}");
    let [p, q] = [found.report, found.truth].map(|x| (x.get() - 0.5).abs());
    assert!((p - 0.1).abs() < 1e-3 && (q - 1.0 / 6.0).abs() < 1e-3, "{found:?}");
}

#[test]
fn a_truth_that_costs_infinitely_much_is_improper_and_no_nan() {
    let endless = |p: Probability, y: bool| {
        if y && p.get() < 0.3 { f64::NEG_INFINITY } else { given(p, y).ln() }
    };
    let found = lie(endless);
    assert_eq!(found.gain, f64::INFINITY);
    assert!(found.truth.get() < 0.3 && found.truth > Probability::ZERO);

    let middle = |p: Probability, _: bool| {
        if (0.4..0.6).contains(&p.get()) { f64::NEG_INFINITY } else { 0.0 }
    };
    assert_eq!(lie(middle).gain, f64::INFINITY);

    // All reports have infinite scores.
    assert_eq!(ties(|_, _| f64::NEG_INFINITY), [(0.0, 1.0)]);
    let success = |p: Probability, y: bool| if y { f64::NEG_INFINITY } else { -p.get() };
    assert_eq!(ties(success), [(0.0, 1.0)]);
    // Except at truth 0, at which a success does not count.
    let failure = |p: Probability, y: bool| if y { f64::NEG_INFINITY } else { -given(p, y) };
    assert_eq!(lie(failure).truth, Probability::ZERO);
}

/// The largest gain of a report over the truth among 2,049 of each.
fn by_force(rule: &impl ScoringRule) -> f64 {
    let reports: Vec<Probability> =
        (0..=2_048).map(|i| Probability::new(f64::from(i) / 2_048.0).unwrap()).collect();
    let scores: Vec<[f64; 2]> =
        reports.iter().map(|&p| [rule.score(p, false), rule.score(p, true)]).collect();
    let gains = reports.iter().zip(&scores).flat_map(|(truth, honest)| {
        let gain = |other: &[f64; 2]| {
            truth.complement().get() * (other[0] - honest[0]) + truth.get() * (other[1] - honest[1])
        };
        scores.iter().map(gain)
    });
    gains.fold(0.0, f64::max)
}

#[test]
fn no_pair_of_reports_gains_more_than_the_one_found() {
    // A wave makes many local maxima.
    let wavy = |p: Probability, y| 0.01 * (30.0 * p.get()).sin() + BrierScore.score(p, y);
    let (found, force) = (lie(wavy), by_force(&from_fn(wavy)));
    assert!(found.gain >= force && found.gain < force * 1.01, "{found:?} {force}");
    // Shifts every report by up to a tenth, and rewards reports just above 1/2: a jump that gains a
    // little does not hide a slope that gains much.
    let bent = |p: Probability, outcome: bool| {
        let p = p.get();
        let error = p + 0.1 * (std::f64::consts::TAU * p).sin() - f64::from(outcome);
        let bonus = if (0.5..0.501).contains(&p) { 0.002 } else { 0.0 };
        bonus - error * error
    };
    let (found, force) = (lie(bent), by_force(&from_fn(bent)));
    // The truths 1/4 and 3/4 are shifted by a tenth.
    assert!((found.gain - 0.01).abs() < 1e-9 && force <= found.gain, "{found:?}");
}

#[test]
fn the_ends_of_ties_are_found_to_the_last_number() {
    let levels = [0.1, 0.123_456_789, 0.7];
    let steps = from_thresholds(levels.map(|c| (c, 1.0)).to_vec());
    let starts = [0.0].into_iter().chain(levels.map(f64::next_up));
    let wanted: Vec<_> = starts.zip(levels.into_iter().chain([1.0])).collect();
    assert_eq!(ties(&steps), wanted);
    let certainty = examined(&steps).certainty;
    assert_eq!(certainty.hidden_gain, Some(0.0));
    assert!(certainty.undecided.is_empty());
    // A long list of ranges is cut short.
    let many = from_thresholds((1..7).map(|i| (f64::from(i) / 8.0, 1.0)).collect());
    let words = examined(many).to_string();
    assert!(words.contains("within [0.375, 0.5] and within each of 3 more ranges."), "{words}");
    // No reports are added between the jumps, because no gain can be hidden there.
    assert!(certainty.reports < 17_100, "{}", certainty.reports);
}

#[test]
fn scores_that_underflow_or_are_flat_to_rounding_are_undecided_and_not_ties() {
    let steep = |p: Probability, outcome: bool| {
        let p = p.get();
        if outcome { p.powi(99) / 99.0 - p.powi(100) / 100.0 } else { -p.powi(100) / 100.0 }
    };
    // A threshold density with a zero of high order at 0, and an offset.
    let flat = |p: Probability, outcome: bool| {
        let p = p.get();
        1.0 + if outcome { p.powi(3) / 3.0 - p.powi(4) / 4.0 } else { -p.powi(4) / 4.0 }
    };
    let rules: [&dyn Fn(Probability, bool) -> f64; 2] = [&steep, &flat];
    for rule in rules {
        let found = examined(rule);
        assert_eq!(found.verdict, Verdict::StrictlyProper, "{found}");
        assert_eq!(*found.certainty.undecided[0].start(), Probability::ZERO, "{found}");
    }
    for power in [8.0, 10.0, -10.0] {
        let rule = PseudosphericalScore::new(power, Level::HALF).unwrap();
        let found = Examination::new(&rule).unwrap();
        assert_eq!(found.verdict, Verdict::StrictlyProper, "{power}: {found}");
        assert!(!found.certainty.undecided.is_empty(), "{power}: {found}");
    }
}

#[test]
fn even_a_narrow_clip_ties_in_any_unit_and_beside_an_offset() {
    // Also if only the failures are flat to rounding because of an offset.
    for (unit, offset) in [(1.0, 0.0), (1e-6, 0.0), (1e6, 0.0), (1e-12, 0.0), (1.0, 1.0)] {
        let found = ties(|p, outcome| {
            let p = p.get().clamp(1e-9, 0.7);
            if outcome { -unit * (1.0 - p) * (1.0 - p) } else { offset - unit * p * p }
        });
        let [(start, low), (high, end)] = found[..] else { panic!("{unit} {offset}: {found:?}") };
        assert_eq!((start, end), (0.0, 1.0));
        // Except for numbers that the unit or the offset rounds to the same.
        let near = |end: f64, want: f64| (end / want - 1.0).abs() < 1e-6;
        assert!(near(low, 1e-9) && near(high, 0.7), "{found:?}");
    }
}

#[test]
fn scores_without_an_expectation_are_refused() {
    let error = Examination::new(&from_fn(|p, y| 1.0 / given(p, y))).unwrap_err();
    let wanted = Error::Score { forecast: 0.0, outcome: true, value: f64::INFINITY };
    assert_eq!(error, wanted);
    let error = Examination::new(&from_fn(|p, _| (p.get() - 0.25).sqrt())).unwrap_err();
    assert!(matches!(error, Error::Score { forecast: 0.0, value, .. } if value.is_nan()));
}

#[test]
fn extreme_scores_are_examined_without_overflow() {
    for scale in [1e-305, 1e-100, 1e100, 1e305, 1.7e308] {
        let examination = examined(|p, y| scale * BrierScore.score(p, y));
        assert_eq!(examination.verdict, Verdict::StrictlyProper, "{scale} {examination}");
        let found = lie(|p, y| scale * (given(p, y) - 0.5));
        assert!((found.gain / scale - 0.125).abs() < 1e-9, "{found:?}");
    }
}

/// Thresholds spread evenly over bins of equal width, with a weight for each bin.
fn from_density(weights: Vec<f64>) -> impl Fn(Probability, bool) -> f64 {
    move |p, y| {
        let n = weights.len() as f64;
        let parts = weights.iter().enumerate().map(|(i, weight)| {
            let (low, high) = (i as f64 / n, (i + 1) as f64 / n);
            // The integral of c below p, and of 1 - c above p.
            if y {
                let (from, to) = (1.0 - high, 1.0 - low.max(p.get()));
                -weight * if to > from { (to - from) * (to + from) / 2.0 } else { 0.0 }
            } else {
                let (from, to) = (low, high.min(p.get()));
                -weight * if to > from { (to - from) * (to + from) / 2.0 } else { 0.0 }
            }
        });
        parts.sum()
    }
}

/// A cost at each threshold that the report is on the wrong side of.
fn from_thresholds(thresholds: Vec<(f64, f64)>) -> impl Fn(Probability, bool) -> f64 {
    move |p, y| {
        let costs = thresholds.iter().map(|&(c, weight)| match (p.get() > c, y) {
            (false, true) => -weight * (1.0 - c),
            (true, false) => -weight * c,
            _ => 0.0,
        });
        costs.sum()
    }
}

fn weights() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(prop_oneof![1 => Just(0.0), 3 => 0.0..2.0_f64], 2..24)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_density_of_thresholds_is_strictly_proper_unless_a_weight_is_zero(weights in weights()) {
        let verdict = examined(from_density(weights.clone())).verdict;
        match verdict {
            Verdict::StrictlyProper => {}
            Verdict::Proper { .. } => prop_assert!(weights.contains(&0.0)),
            Verdict::Improper(found) => prop_assert!(false, "{found:?}"),
        }
    }

    #[test]
    fn one_negative_weight_makes_it_improper(
        mut weights in weights(),
        at in any::<prop::sample::Index>(),
        negative in -2.0..-0.01_f64,
    ) {
        let i = at.index(weights.len());
        weights[i] = negative;
        let (low, high) = (i as f64, (i + 1) as f64);
        let n = weights.len() as f64;
        let found = lie(from_density(weights));
        // A part of the negative weight lies between truth and report.
        let [p, q] = [found.report, found.truth].map(|x| x.get() * n);
        prop_assert!(p.min(q) < high && p.max(q) > low, "{found:?}");
    }

    #[test]
    fn a_few_thresholds_tie_between_them_and_a_negative_one_is_improper(
        thresholds in prop::collection::vec((0.01..0.99_f64, 0.01..2.0_f64), 1..8),
        at in any::<prop::sample::Index>(),
    ) {
        let found = ties(from_thresholds(thresholds.clone()));
        prop_assert_eq!(found.len(), thresholds.len() + 1);
        for &(c, _) in &thresholds {
            prop_assert!(found.iter().any(|&(_, high)| high == c), "{c} {found:?}");
        }
        let mut turned = thresholds;
        let i = at.index(turned.len());
        turned[i].1 *= -1.0;
        lie(from_thresholds(turned));
    }

    #[test]
    fn mixtures_of_proper_rules_are_proper(
        alpha in -0.9..6.0_f64,
        beta in -0.9..6.0_f64,
        clip in 0.001..0.4_f64,
        (a, b, c, d) in (0.0..1.0_f64, 0.0..1.0_f64, 0.01..1.0_f64, -5.0..5.0_f64),
    ) {
        let beta = BetaScore::new(alpha, beta).unwrap();
        let clipped = LogScore::clipped(clip).unwrap();
        // An offset for one outcome does not change the order of reports.
        let rule = |p, y| {
            a * beta.score(p, y) + b * clipped.score(p, y) + c * BrierScore.score(p, y)
                + if y { d } else { 0.0 }
        };
        prop_assert_eq!(examined(rule).verdict, Verdict::StrictlyProper);
    }
}
