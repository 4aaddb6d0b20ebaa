//! What examinations must find, and what they must not find.

use proptest::prelude::*;
use scoring_rules::{
    BetaScore, BrierScore, ElementaryScore, Error, Level, LogScore, PowerScore, Probability,
    PseudosphericalScore, ScoringRule, ThresholdMixture, Weight, from_fn,
    propriety::{Counterexample, Examination, Verdict},
};

use crate::common::{level, named, prob, weight_of};

/// The forecast probability of the outcome.
fn given(p: Probability, outcome: bool) -> f64 {
    if outcome { p.get() } else { 1.0 - p.get() }
}

/// The ranges of ties of a rule without a counterexample.
fn ties(rule: &dyn ScoringRule) -> Vec<(f64, f64)> {
    let examination = Examination::new(rule).unwrap();
    let Verdict::NoCounterexample { ties } = &examination.verdict else { panic!("{examination}") };
    assert!(examination.reports == 16_928 && examination.widest_gap == 1.0 / 16_384.0);
    let words = examination.to_string();
    assert!(words.starts_with("No report gains on the truth."), "{words}");
    assert!(words.contains("16928 reports, at most 6.103515625e-5 apart"), "{words}");
    ties.iter().map(|range| (range.start().get(), range.end().get())).collect()
}

fn ties_of(rule: impl Fn(Probability, bool) -> f64) -> Vec<(f64, f64)> {
    ties(&from_fn(rule))
}

/// The counterexample, checked by evaluating the rule again.
fn lie(rule: impl Fn(Probability, bool) -> f64) -> Counterexample {
    let rule = from_fn(rule);
    let examination = Examination::new(&rule).unwrap();
    let Verdict::Improper(found) = examination.verdict else { panic!("{examination}") };
    let gain = rule.expected(found.report, found.truth) - rule.expected(found.truth, found.truth);
    assert!(gain == found.gain || (gain - found.gain).abs() < 1e-12, "{found:?} {gain}");
    assert!(found.gain > 0.0 && !examination.to_string().contains("NaN"), "{examination}");
    found
}

#[test]
fn the_rules_of_the_crate_and_plainly_written_ones_have_no_counterexample_and_tie_only_next_to_certainties()
 {
    let log = LogScore::exact();
    let beta = BetaScore::new(2.0, 4.0).unwrap();
    let mixture = |p, y| 0.2 * log.score(p, y) + BrierScore.score(p, y) + 3.0 * beta.score(p, y);
    let spherical = |p: Probability, y| given(p, y) / given(p, true).hypot(given(p, false));
    let boosting = |p: Probability, y: bool| -(given(p, !y) / given(p, y)).sqrt();
    let cubic = |p: Probability, y: bool| {
        1.5 * given(p, y).powi(2) - given(p, true).powi(3) - given(p, false).powi(3)
    };
    let mut rules = named(
        "log brier spherical boosting beta:0,0 beta:-0.5,-0.5 beta:1,1 beta:2,4 \
         beta:0.5,1.7 power:0.5,0.3 power:1,0.3 power:1.5,0.1 power:2,0.5 power:3,0.7 \
         pseudospherical:0.5,0.3 pseudospherical:1,0.3 pseudospherical:1.5,0.1 \
         pseudospherical:2,0.5 pseudospherical:3,0.7",
    );
    // The offset costs digits but does not change the order of reports.
    let offset = |p, y| 1.0 + BrierScore.score(p, y);
    let nats = |p: Probability, y: bool| given(p, y).ln();
    let own: [(&str, Box<dyn ScoringRule>); 6] = [
        ("mixture", Box::new(from_fn(mixture))),
        ("offset", Box::new(from_fn(offset))),
        ("own spherical", Box::new(from_fn(spherical))),
        ("own boosting", Box::new(from_fn(boosting))),
        ("cubic", Box::new(from_fn(cubic))),
        ("nats", Box::new(from_fn(nats))),
    ];
    rules.extend(own.map(|(name, rule)| (name.to_owned(), rule)));
    for (name, rule) in rules {
        // Next to 0 and 1 scores round to the same number.
        assert!(ties(&*rule).iter().all(|(low, high)| high - low < 1e-8), "{name}");
    }
}

#[test]
fn rules_are_not_blamed_for_rounding() {
    let odd = [-0.999_999, -0.5, 0.3, 2.7, 10.0, 50.0];
    for (alpha, beta) in odd.into_iter().flat_map(|alpha| odd.map(|beta| (alpha, beta))) {
        ties(&BetaScore::new(alpha, beta).unwrap());
    }
    for power in [8.0, 10.0, -10.0] {
        ties(&PseudosphericalScore::new(power, Level::HALF).unwrap());
    }
    // A square computed from a sum of size 4, in which small squares lose at least half of their digits.
    let rounded = |p: f64| (4.0 + 1.5 * p * p) - 4.0;
    let square = |p: f64| 1.5 * p * p;
    ties_of(|p, y| if y { -square(1.0 - p.get()) } else { -rounded(p.get()) });
    ties_of(|p, y| if y { -rounded(1.0 - p.get()) } else { -square(p.get()) });
    ties_of(|p, y| 1.0 + 1e-14 * BrierScore.score(p, y));
    // Flat to the last bit next to 0, where the power underflows.
    let steep = |p: Probability, y: bool| {
        let p = p.get();
        if y { p.powi(99) / 99.0 - p.powi(100) / 100.0 } else { -p.powi(100) / 100.0 }
    };
    let found = ties_of(steep);
    assert!(matches!(found[..], [(0.0, end)] if end < 0.001), "{found:?}");
}

/// A rule and its ranges of ties.
type Case<'a> = (Box<dyn ScoringRule>, &'a [(f64, f64)]);

#[test]
fn reports_between_the_steps_of_a_rule_tie() {
    let clip = LogScore::clipped(0.05).unwrap();
    let clipped_first = |p: Probability, y: bool| {
        let p = p.get().clamp(0.05, 0.95);
        if y { p.ln() } else { (1.0 - p).ln() }
    };
    let mixture = [(level(0.75), Weight::ONE), (level(0.25), weight_of(3.0))];
    let threshold = |closed: bool| {
        move |p: Probability, y: bool| {
            let acts = p.get() > 0.3 || (!closed && p.get() == 0.3);
            if acts == y { 0.0 } else { -(f64::from(y) - 0.3).abs() }
        }
    };
    let all: &[(f64, f64)] = &[(0.0, 1.0)];
    let cases: [Case<'_>; 10] = [
        (Box::new(clip), &[(0.0, 0.05), (0.95, 1.0)]),
        (Box::new(from_fn(clipped_first)), &[(0.0, 0.05), (0.95, 1.0)]),
        (Box::new(ElementaryScore { threshold: level(0.25) }), &[(0.0, 0.25), (0.25, 1.0)]),
        (
            Box::new(ThresholdMixture::new(&mixture).unwrap()),
            &[(0.0, 0.25), (0.25, 0.75), (0.75, 1.0)],
        ),
        (Box::new(from_fn(threshold(true))), &[(0.0, 0.3), (0.3, 1.0)]),
        (Box::new(from_fn(threshold(false))), &[(0.0, 0.3), (0.3, 1.0)]),
        (Box::new(from_fn(|_, y| if y { -1.0 } else { -3.0 })), all),
        (Box::new(from_fn(|_, _| f64::NEG_INFINITY)), all),
        (Box::new(from_fn(|p, y| if y { f64::NEG_INFINITY } else { -p.get() })), all),
        (Box::new(from_fn(|p, y| if y { p.get() } else { f64::NEG_INFINITY })), all),
    ];
    for (i, (rule, wanted)) in cases.into_iter().enumerate() {
        let found = ties(&rule);
        assert_eq!(found.len(), wanted.len(), "{i}: {found:?}");
        for (&(a, b), &(c, d)) in found.iter().zip(wanted) {
            // The ends are reports of the grid.
            assert!((a - c).abs().max((b - d).abs()) <= 1.0 / 16_384.0, "{i}: {found:?}");
        }
    }
    let words = Examination::new(&clip).unwrap().to_string();
    assert!(
        words.contains("last bit within [0, 0.04998779296875] and within 1 more ranges."),
        "{words}"
    );
}

#[test]
fn scores_without_an_expectation_are_refused() {
    let refused = |rule: &dyn ScoringRule| Examination::new(rule).unwrap_err();
    let power = PowerScore::new(-1.0, Level::HALF).unwrap();
    assert!(matches!(refused(&power), Error::Score { value: f64::INFINITY, .. }));
    let error = refused(&from_fn(|p, y| 1.0 / given(p, y)));
    assert!(matches!(
        error,
        Error::Score { forecast: 0.0, outcome: true, value: f64::INFINITY, .. }
    ));
    let error = refused(&from_fn(|p, _| (p.get() - 0.25).sqrt()));
    assert!(matches!(error, Error::Score { forecast: 0.0, value, .. } if value.is_nan()));
}

#[test]
fn the_linear_score_and_the_absolute_loss_reward_exaggeration() {
    // At truth q the report 1 gains q - q^2 - (1-q)^2, which is largest at q = 3/4. Below 1/2 the mirror
    // image holds.
    let absolute = |p: Probability, y: bool| -(p.get() - f64::from(y)).abs();
    for rule in [given, absolute] {
        let found = lie(rule);
        assert!((found.gain - 0.125).abs() < 1e-15, "{found:?}");
        let words = ["0.25, reporting 0", "0.75, reporting 1"]
            .map(|lie| format!("Improper: if the truth is {lie} has an expected gain of 0.125."));
        assert!(words.contains(&found.to_string()), "{found}");
    }
}

#[test]
fn a_wrong_sign_and_a_forgotten_root_are_improper() {
    let found = lie(|p, y| -BrierScore.score(p, y));
    assert_eq!(found.gain, 1.0);
    assert_eq!((found.truth.get() - found.report.get()).abs(), 1.0);
    // With u = 2p - 1, the expected score at a certain truth is (1 + u) / (1 + u^2), which is largest at
    // u = sqrt 2 - 1.
    let found = lie(|p, y| given(p, y) / (given(p, true).powi(2) + given(p, false).powi(2)));
    let root = 2.0_f64.sqrt();
    assert!((found.gain - (root - 1.0) / 2.0).abs() < 1e-8, "{found:?}");
    assert!(((found.report.get() - 0.5).abs() - (root - 1.0) / 2.0).abs() < 1e-4, "{found:?}");
    assert_eq!((found.truth.get() - 0.5).abs(), 0.5);
}

#[test]
fn a_bump_on_a_narrow_range_and_a_slope_that_is_slightly_wrong_are_found() {
    for width in [0.01, 1e-4] {
        for at in [0.0101, 0.3, 0.432_157, 0.77, 0.9801] {
            let found = lie(|p, y| {
                let inside = p.get() >= at && p.get() < at + width;
                BrierScore.score(p, y) + if inside { 0.01 } else { 0.0 }
            });
            let report = found.report.get();
            assert!(report >= at && report < at + width, "{found:?}");
            // A report at the edge of the bump loses almost nothing.
            assert!((0.009_99..0.01 + 1e-15).contains(&found.gain), "{found:?}");
        }
    }
    lie(|p, y| {
        let z = (p.get() - 0.37) / 0.01;
        BrierScore.score(p, y) + 0.001 * (-z * z).exp()
    });
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
    assert!((found.gain / 1e-5 - 2.0 / 75.0).abs() < 1e-4, "{found:?}");
    let [p, q] = [found.report, found.truth].map(|x| (x.get() - 0.5).abs());
    assert!((p - 0.1).abs() < 1e-3 && (q - 1.0 / 6.0).abs() < 1.0 / 128.0, "{found:?}");
}

#[test]
fn a_truth_that_costs_infinitely_much_is_improper_and_no_nan() {
    let found = lie(|p, y| if y && p.get() < 0.3 { f64::NEG_INFINITY } else { given(p, y).ln() });
    assert_eq!(found.gain, f64::INFINITY);
    assert!(found.truth.get() < 0.3 && found.truth > Probability::ZERO);
    let middle = |p: Probability, _| {
        if (0.4..0.6).contains(&p.get()) { f64::NEG_INFINITY } else { 0.0 }
    };
    assert_eq!(lie(middle).gain, f64::INFINITY);
    // At truth 0 a success does not count.
    let failure = |p: Probability, y: bool| if y { f64::NEG_INFINITY } else { -given(p, y) };
    assert_eq!(lie(failure).truth, Probability::ZERO);
}

#[test]
fn the_gain_is_nearly_the_largest_among_several_local_ones() {
    // A wave makes many local maxima.
    let wavy = |p: Probability, y| 0.01 * (30.0 * p.get()).sin() + BrierScore.score(p, y);
    let (found, force) = (lie(wavy), by_force(&from_fn(wavy)));
    assert!(found.gain > 0.99 * force && found.gain < force * 1.01, "{found:?} {force}");
    // Shifts every report by up to a tenth, and rewards reports just above 1/2: a jump that gains a
    // little does not hide a slope that gains much.
    let found = lie(|p, outcome| {
        let p = p.get();
        let error = p + 0.1 * (std::f64::consts::TAU * p).sin() - f64::from(outcome);
        let bonus = if (0.5..0.501).contains(&p) { 0.002 } else { 0.0 };
        bonus - error * error
    });
    // The truths 1/4 and 3/4 are shifted by a tenth.
    assert!((found.gain - 0.01).abs() < 1e-8, "{found:?}");
}

/// The largest gain of a report over the truth among 2,049 of each.
fn by_force(rule: &impl ScoringRule) -> f64 {
    let reports = || (0..=2_048).map(|i| prob(f64::from(i) / 2_048.0));
    let best = |truth| reports().map(|p| rule.expected(p, truth)).fold(f64::MIN, f64::max);
    reports().map(|truth| best(truth) - rule.expected(truth, truth)).fold(0.0, f64::max)
}

#[test]
fn extreme_scores_are_examined_without_overflow() {
    for scale in [1e-305, 1e-100, 1e100, 1e305, 1.7e308] {
        let found = ties_of(|p, y| scale * BrierScore.score(p, y));
        assert!(found.iter().all(|&(low, high)| high - low < 1e-4), "{scale} {found:?}");
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
            let (from, to) =
                if y { (1.0 - high, 1.0 - low.max(p.get())) } else { (low, high.min(p.get())) };
            -weight * if to > from { (to - from) * (to + from) / 2.0 } else { 0.0 }
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
    fn a_density_of_thresholds_is_proper_and_one_negative_weight_makes_it_improper(
        weights in weights(),
        at in any::<prop::sample::Index>(),
        negative in -2.0..-0.01_f64,
    ) {
        let found = ties_of(from_density(weights.clone()));
        prop_assert!(found.is_empty() || weights.contains(&0.0), "{:?}", found);
        let i = at.index(weights.len());
        let mut turned = weights;
        turned[i] = negative;
        let (low, high) = (i as f64, (i + 1) as f64);
        let n = turned.len() as f64;
        let found = lie(from_density(turned));
        // A part of the negative weight lies between truth and report.
        let [p, q] = [found.report, found.truth].map(|x| x.get() * n);
        prop_assert!(p.min(q) < high && p.max(q) > low, "{found:?}");
    }

    #[test]
    fn a_few_thresholds_tie_between_them_and_a_negative_one_is_improper(
        thresholds in prop::collection::vec((1..99_u8, 0.01..2.0_f64), 1..8),
        at in any::<prop::sample::Index>(),
    ) {
        let mut thresholds: Vec<_> =
            thresholds.into_iter().map(|(c, weight)| (f64::from(c) / 100.0, weight)).collect();
        thresholds.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        thresholds.dedup_by_key(|(c, _)| *c);
        let found = ties_of(from_thresholds(thresholds.clone()));
        prop_assert_eq!(found.len(), thresholds.len() + 1);
        for (&(c, _), &(_, high)) in thresholds.iter().zip(&found) {
            prop_assert!(high <= c && c < high + 1.0 / 16_384.0, "{c} {found:?}");
        }
        let i = at.index(thresholds.len());
        thresholds[i].1 *= -1.0;
        lie(from_thresholds(thresholds));
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
        ties_of(|p, y| {
            a * beta.score(p, y) + b * clipped.score(p, y) + c * BrierScore.score(p, y)
                + if y { d } else { 0.0 }
        });
    }
}
