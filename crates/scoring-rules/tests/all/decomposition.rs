//! Decompositions of mean losses: comparison with exact fractions (`golden/decomposition.py`), and
//! properties that hold for any data.

use proptest::prelude::*;
use scoring_rules::{
    Binning, BrierScore, Corp, Decomposition, Error, LogScore, PooledBlocks, Probability,
    ScoringRule, ThresholdMixture, TiedBlocks, Weight, from_fn, skill_score,
};

use crate::common::{
    Named, Row, blocks, copied, data_sets, golden, level, named, number, probabilities,
    recalibrated, rule, weight, weight_of,
};

const EDGES: [f64; 4] = [0.15, 0.5, 0.52, 0.9];

fn binnings(inner: &[Probability]) -> [(&'static str, Binning<'_>); 5] {
    [
        ("distinct", Binning::Distinct),
        ("width:10", Binning::EqualWidth { bins: 10 }),
        ("width:3", Binning::EqualWidth { bins: 3 }),
        ("weight:7", Binning::Quantile { bins: 7 }),
        ("edges", Binning::Edges { inner }),
    ]
}

/// The mean loss and its terms, without their signs.
fn binned(rule: &dyn ScoringRule, blocks: &TiedBlocks, binning: Binning<'_>) -> Vec<f64> {
    let parts = Decomposition::new(rule, blocks, binning).unwrap();
    let Decomposition { mean_loss, reliability, resolution, uncertainty, within_bin, .. } = parts;
    vec![mean_loss, reliability, resolution, uncertainty, within_bin]
}

fn unbinned(rule: &dyn ScoringRule, blocks: &TiedBlocks) -> Vec<f64> {
    let parts = Corp::new(rule, blocks).unwrap();
    let Corp { mean_loss, miscalibration, discrimination, uncertainty, .. } = parts;
    vec![mean_loss, miscalibration, discrimination, uncertainty]
}

/// The mean loss and its terms with each binning, the first of which is [`Binning::Distinct`], and without bins.
fn all_parts(rule: &dyn ScoringRule, blocks: &TiedBlocks) -> Vec<Vec<f64>> {
    let with = binnings(probabilities(&EDGES)).map(|(_, binning)| binned(rule, blocks, binning));
    with.into_iter().chain([unbinned(rule, blocks)]).collect()
}

/// Checks that the terms sum to the mean loss, to 1e-12 of the largest term.
#[track_caller]
fn adds_up(parts: &[f64]) {
    let [mean_loss, calibration, resolution, rest @ ..] = parts else { panic!("{parts:?}") };
    let sum = calibration - resolution + rest.iter().sum::<f64>();
    let size = parts.iter().fold(0.0_f64, |size, term| size.max(term.abs()));
    let close = sum == *mean_loss || (sum - mean_loss).abs() <= 1e-12 * size;
    assert!(close, "{mean_loss:e} is not {sum:e}, the sum of {parts:?}");
}

#[test]
fn terms_and_rates_equal_those_of_exact_fractions_to_1e_12() {
    let sets = data_sets();
    let (mut worst, mut checked, mut rates) = (0.0_f64, 0, 0);
    // A term of a mean loss has at most as many digits as the losses.
    let mut check = |values: &[f64], exact: &[f64], line: &[&str]| {
        for (value, exact) in values.iter().zip(exact) {
            let error = (value - exact).abs() / values[0];
            assert!(error <= 1e-12, "{line:?}: {value:e}, off by {error:e}");
            worst = worst.max(error);
            checked += 1;
        }
    };
    for line in golden(include_str!("../golden/decomposition.csv")) {
        let numbers = |from| line[from..].iter().map(|field| number(field)).collect::<Vec<_>>();
        match line[..] {
            ["data", ..] => {}
            ["pav", set, p, rate] => {
                let blocks = blocks(&sets[set]);
                let place = blocks.as_slice().iter().position(|b| b.confidence.get() == number(p));
                let place = place.unwrap();
                let pools = blocks.pool_adjacent_violators();
                let pool = pools.iter().find(|pool| pool.blocks.contains(&place)).unwrap();
                assert!((pool.rate() - number(rate)).abs() <= 1e-12, "{line:?} {pool:?}");
                rates += 1;
            }
            ["bins", set, _, _, _, name, ..] => {
                let binnings = binnings(probabilities(&EDGES));
                let binning = binnings.into_iter().find(|(known, _)| *known == name).unwrap().1;
                check(
                    &binned(&rule(line[2], &line[3..5]), &blocks(&sets[set]), binning),
                    &numbers(6),
                    &line,
                );
            }
            ["corp", set, ..] => {
                check(
                    &unbinned(&rule(line[2], &line[3..5]), &blocks(&sets[set])),
                    &numbers(5),
                    &line,
                );
            }
            _ => panic!("{line:?}"),
        }
    }
    assert_eq!((checked, rates), (5 * 140 + 4 * 28, 216));
    println!("largest error of a term {worst:.1e} of the mean loss");
}

fn rules() -> Vec<Named> {
    let mut rules = named(
        "log log:1e-6 log:0.2 brier beta:1,1 beta:2,4 beta:0.5,1.7 beta:-0.5,-0.5 \
         beta:0,1.7 beta:30,12.5 beta:-0.9,3 spherical boosting elementary:0.3 \
         power:0.5,0.3 power:1,0.5 power:2.5,0.1 pseudospherical:0.5,0.3 \
         pseudospherical:1,0.5 pseudospherical:2.5,0.1",
    );
    let thresholds = [(level(0.3), Weight::ONE), (level(0.7), weight_of(2.0))];
    let mixture = ThresholdMixture::new(&thresholds).unwrap();
    rules.push(("mixture".into(), Box::new(mixture)));
    rules
}

fn forecast() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => 0.0..=1.0_f64,
        4 => (0..=10_u32).prop_map(|p| f64::from(p) / 10.0),
        1 => (-30.0..0.0_f64).prop_map(f64::exp),
        1 => (-30.0..0.0_f64).prop_map(|x| 1.0 - x.exp()),
        1 => (0..3_u32).prop_map(|ulps| f64::from(ulps).mul_add(f64::EPSILON, 0.3)),
        1 => (0..3_u32).prop_map(|ulps| f64::from(ulps).mul_add(-f64::EPSILON, 1.0)),
    ]
}

fn rows(weight: impl Strategy<Value = f64>) -> impl Strategy<Value = Vec<Row>> {
    prop::collection::vec((forecast(), any::<bool>(), weight), 1..40)
}

fn whole_rows() -> impl Strategy<Value = Vec<Row>> {
    rows((1..6_u32).prop_map(f64::from))
}

/// The bits of all terms for all rules and binnings.
fn bits(blocks: &TiedBlocks) -> Vec<u64> {
    let parts = rules().into_iter().flat_map(|(_, rule)| all_parts(&*rule, blocks));
    parts.flatten().map(f64::to_bits).collect()
}

#[test]
fn terms_sum_to_the_mean_loss_of_a_clipped_rule_at_certainty() {
    // The logarithm of 1 - 1e-6, rounded, has a relative error of 3e-11.
    let blocks = blocks(&[(0.999_987_172_479_658_2, true, 1.0)]);
    let parts = binned(&LogScore::clipped(1e-6).unwrap(), &blocks, Binning::Distinct);
    // origin: mpmath 1.4.1, -log(mpf(0.9999871724796582)), 2026-11-22
    assert!((parts[0] / 1.282_760_261_516_085_7e-5 - 1.0).abs() < 1e-15);
    let sum = parts[1] - parts[2] + parts[3] + parts[4];
    assert!((sum - parts[0]).abs() < 1e-15 * parts[0]);
}

proptest! {
    #[test]
    fn terms_sum_to_the_mean_loss_and_are_not_negative(rows in rows(weight())) {
        let blocks = blocks(&rows);
        for (name, rule) in rules() {
            let all = all_parts(&*rule, &blocks);
            prop_assert!(all[0][4] == 0.0, "{}", name);
            for parts in all {
                adds_up(&parts);
                prop_assert!(parts[1] >= -1e-15 && parts[2] >= -1e-15, "{} {:?}", name, parts);
            }
        }
    }

    #[test]
    fn terms_of_an_improper_rule_sum_to_the_mean_loss(rows in rows(weight())) {
        let linear = from_fn(|p: Probability, y: bool| -(p.get() - f64::from(y)).abs());
        let own_brier = from_fn(|p: Probability, y: bool| -(p.get() - f64::from(y)).powi(2));
        // All scores are small in this unit.
        let reversed = from_fn(|p: Probability, y: bool| 1e-6 * (p.get() - f64::from(y)).powi(2));
        let blocks = blocks(&rows);
        for rule in [&linear as &dyn ScoringRule, &own_brier, &reversed] {
            all_parts(rule, &blocks).iter().for_each(|parts| adds_up(parts));
        }
    }

    #[test]
    fn terms_do_not_depend_on_the_order_of_rows(
        rows in rows(weight()),
        turn in any::<prop::sample::Index>(),
    ) {
        let mut turned = rows.clone();
        turned.rotate_left(turn.index(rows.len()));
        turned.reverse();
        prop_assert_eq!(bits(&blocks(&rows)), bits(&blocks(&turned)));
    }

    #[test]
    fn an_integer_weight_counts_as_that_many_rows(rows in whole_rows()) {
        prop_assert_eq!(bits(&blocks(&rows)), bits(&blocks(&copied(&rows))));
    }

    #[test]
    fn recalibrated_forecasts_have_no_miscalibration_and_the_same_discrimination(
        rows in whole_rows(),
    ) {
        let (given, better) = (blocks(&rows), blocks(&recalibrated(&rows)));
        for (_, rule) in rules() {
            let (given, better) = (unbinned(&*rule, &given), unbinned(&*rule, &better));
            prop_assert_eq!(better[1], 0.0);
            // Rules with a baseline have no uncertainty there, but their scores are of the size of
            // 1.
            let size = given[3].abs().max(given[2].abs()).max(1e-2);
            let off = (given[2] - better[2]).abs();
            prop_assert!(off <= 1e-12 * size, "{off:e}");
        }
    }

    #[test]
    fn pooling_agrees_with_brute_force(
        rows in prop::collection::vec(
            ((0..6_u32).prop_map(|p| f64::from(p) / 5.0), any::<bool>(), 0.1..4.0_f64),
            1..=6,
        ),
    ) {
        let blocks = blocks(&rows);
        let all = blocks.as_slice();
        let pools = blocks.pool_adjacent_violators();
        prop_assert!(pools.windows(2).all(|two| two[0].rate() < two[1].rate()));
        for i in 0..all.len() {
            // The maximum over starts of the minimum over ends of the rate in between.
            let rate = |start: usize, end: usize| {
                let range = &all[start..=end];
                range.iter().map(|b| b.successes).sum::<f64>()
                    / range.iter().map(|b| b.weight()).sum::<f64>()
            };
            let least = |start| (i..all.len()).map(|end| rate(start, end)).fold(1.0, f64::min);
            let brute = (0..=i).map(least).fold(0.0, f64::max);
            let pool = pools.iter().find(|pool| pool.blocks.contains(&i)).unwrap();
            prop_assert!((pool.rate() - brute).abs() < 1e-14, "{} {brute}", pool.rate());
        }
    }
}

#[test]
fn a_divergence_that_does_not_follow_from_the_scores_is_an_error() {
    /// The Brier score with another divergence.
    struct Off<F>(F);

    impl<F: Fn(f64) -> f64> ScoringRule for Off<F> {
        fn score(&self, forecast: Probability, outcome: bool) -> f64 {
            BrierScore.score(forecast, outcome)
        }

        fn divergence(&self, forecast: Probability, truth: Probability) -> f64 {
            (self.0)(BrierScore.divergence(forecast, truth))
        }
    }

    let rows = blocks(&[(0.9, false, 1.0), (0.9, true, 1.0), (0.1, false, 1.0)]);
    let right = Off(|divergence| divergence);
    assert!(Decomposition::new(&right, &rows, Binning::Distinct).is_ok());
    let refused = |rule: &dyn ScoringRule| {
        let bins = Decomposition::new(rule, &rows, Binning::Distinct);
        assert!(matches!(bins, Err(Error::TermsDoNotAddUp { .. })), "{bins:?}");
        let parts = Corp::new(rule, &rows);
        assert!(matches!(parts, Err(Error::TermsDoNotAddUp { .. })), "{parts:?}");
    };
    for off in [1e-8, 1e-7, -1e-8] {
        refused(&Off(move |divergence| divergence * (1.0 + off)));
    }
    refused(&Off(|_| 7.0));
}

#[test]
fn a_wrong_certainty_makes_one_term_infinite_and_none_nan() {
    let rows = [(0.0, true, 1.0), (0.04, false, 1.0), (0.3, false, 1.0), (0.9, true, 1.0)];
    let blocks = blocks(&rows);
    let log = LogScore::exact();
    let alone = Decomposition::new(&log, &blocks, Binning::Distinct).unwrap();
    assert_eq!((alone.mean_loss, alone.reliability), (f64::INFINITY, f64::INFINITY));
    assert_eq!(alone.within_bin, 0.0);
    let shared = Decomposition::new(&log, &blocks, Binning::EqualWidth { bins: 10 }).unwrap();
    assert_eq!((shared.mean_loss, shared.within_bin), (f64::INFINITY, f64::INFINITY));
    let parts = Corp::new(&log, &blocks).unwrap();
    assert_eq!((parts.mean_loss, parts.miscalibration), (f64::INFINITY, f64::INFINITY));
    for finite in [
        [alone.resolution, alone.uncertainty],
        [shared.reliability, shared.resolution],
        [parts.discrimination, parts.uncertainty],
    ] {
        assert!(finite.iter().all(|term| term.is_finite()), "{finite:?}");
    }
}

#[test]
fn a_mean_forecast_is_not_rounded_to_0_or_1() {
    let below_one = 1.0_f64.next_down();
    let upper = [(below_one, false, 1.0), (1.0, true, 1.0)];
    let lower = [(0.0, false, 1.0), (0.0_f64.next_up(), true, 1.0)];
    for rows in [upper, lower] {
        let one_bin = Binning::EqualWidth { bins: 1 };
        let parts = Decomposition::new(&LogScore::exact(), &blocks(&rows), one_bin).unwrap();
        assert!(parts.mean_loss.is_finite() && parts.reliability.is_finite(), "{parts:?}");
        assert!(Corp::new(&LogScore::exact(), &blocks(&rows)).unwrap().miscalibration.is_finite());
    }
}

#[test]
fn miscalibration_is_not_negative_for_forecasts_next_to_the_rate() {
    // A higher forecast of a failure has a larger loss, which may be rounded to a smaller one.
    for (_, rule) in rules() {
        for successes in (1..200_u32).step_by(3) {
            let rate = f64::from(successes) / 200.0;
            for (low, high) in [(rate, rate.next_up()), (rate.next_down(), rate)] {
                let failures = f64::from(200 - successes);
                let rows = [(low, true, f64::from(successes)), (high, false, failures)];
                let parts = Corp::new(&*rule, &blocks(&rows)).unwrap();
                assert!(parts.miscalibration >= 0.0, "{rows:?} {parts:?}");
            }
        }
    }
}

#[test]
fn decompositions_of_rules_with_undefined_means_are_errors() {
    let errors = |rule: &dyn ScoringRule, blocks: &TiedBlocks| {
        let binning = Binning::Quantile { bins: 2 };
        let bins = Decomposition::new(rule, blocks, binning).map(drop).unwrap_err();
        assert_eq!(Corp::new(rule, blocks).map(drop), Err(bins));
        bins
    };
    let rows = blocks(&[(0.2, false, 1.0), (0.25, true, 1.0), (0.8, false, 2.0)]);
    let nan = from_fn(|_: Probability, _: bool| f64::NAN);
    let never = from_fn(|_: Probability, _: bool| f64::NEG_INFINITY);
    // Only the base rate has an infinite loss, which does not affect the mean loss.
    let at_the_base_rate =
        from_fn(
            |p: Probability, y: bool| {
                if p == Probability::HALF { f64::NEG_INFINITY } else { BrierScore.score(p, y) }
            },
        );
    let halves = blocks(&[(0.2, false, 1.0), (0.8, true, 1.0)]);
    let cases: [(&dyn ScoringRule, _); 3] =
        [(&nan, &rows), (&never, &rows), (&at_the_base_rate, &halves)];
    for (rule, blocks) in cases {
        let error = errors(rule, blocks);
        assert!(matches!(error, Error::Undefined { .. }), "{error}");
    }
    assert_eq!(errors(&BrierScore, &TiedBlocks::default()), Error::Empty);
}

#[test]
fn weights_at_the_limits_of_their_range_give_the_same_terms() {
    let of = |weight: f64| {
        let rows = [(0.2, false, weight), (0.4, true, weight), (0.7, false, weight)];
        unbinned(&LogScore::exact(), &blocks(&rows))
    };
    for weight in [1e-100, 1e100] {
        for (term, plain) in of(weight).into_iter().zip(of(1.0)) {
            assert!((term - plain).abs() < 1e-15, "{weight}: {term} {plain}");
        }
    }
}

/// Checks the terms for rows whose weights differ by up to hundreds of powers of ten: those of every rule are
/// within the tolerance.
fn check_extreme(rows: &[Row]) {
    let blocks = blocks(rows);
    rules().iter().for_each(|(_, rule)| drop(all_parts(&**rule, &blocks)));
    let rules = "log log:1e-6 brier spherical boosting beta:0,2 beta:-0.5,-0.5 beta:2,4";
    for (name, rule) in named(rules) {
        let parts = unbinned(&*rule, &blocks);
        adds_up(&parts);
        assert!(parts[1] >= 0.0 && parts[2] >= 0.0, "{name}, {rows:?}: {parts:?}");
        assert!(parts[2].is_finite() && parts[3].is_finite(), "{name}, {rows:?}: {parts:?}");
        for binning in [Binning::Distinct, Binning::EqualWidth { bins: 3 }] {
            adds_up(&binned(&*rule, &blocks, binning));
        }
    }
}

#[test]
fn a_base_rate_with_one_failure_is_not_rounded_to_1() {
    check_extreme(&[(0.2, false, 1.0), (0.9, true, 1e50)]);
    for weight in [1e10, 1e15, 1e16, 1e17, 1e30, 1e100] {
        for last in [0.9, 1.0] {
            check_extreme(&[(0.2, false, 1.0), (last, true, weight)]);
            check_extreme(&[(1.0 - last, false, weight), (0.8, true, 1.0)]);
            check_extreme(&[(0.2, false, weight), (last, true, 1.0)]);
        }
    }
}

#[test]
fn a_pool_with_one_failure_is_not_merged_with_certain_successes_above_it() {
    let rows = [(0.9, false, 1.0), (0.9, true, 1e50), (1.0, true, 1.0)];
    let pools = blocks(&rows).pool_adjacent_violators();
    let rates: Vec<f64> = pools.iter().map(PooledBlocks::rate).collect();
    assert_eq!(rates, [1.0_f64.next_down(), 1.0]);
    check_extreme(&rows);
}

/// The rates 1 - 1e-20 and 1 - 1e-26 are the same number, so that their blocks are pooled.
#[test]
fn terms_sum_to_the_mean_loss_if_rates_differ_by_less_than_rounding() {
    for last in [1.0_f64.next_down(), 1.0] {
        let below = [(0.0, false, 2.0), (0.68, true, 1.6e20), (0.84, false, 2.0)];
        check_extreme(&[&below[..], &[(last, false, 1.0), (last, true, 8.4e25)]].concat());
    }
}

fn extreme_forecast() -> impl Strategy<Value = f64> {
    prop_oneof![
        3 => 0.0..=1.0_f64,
        3 => (0..=10_u32).prop_map(|p| f64::from(p) / 10.0),
        1 => (-60.0..0.0_f64).prop_map(f64::exp),
        1 => (-40.0..0.0_f64).prop_map(|x| 1.0 - x.exp()),
        1 => (0..4_u32).prop_map(|ulps| f64::from(ulps).mul_add(-f64::EPSILON / 2.0, 1.0)),
    ]
}

fn extreme_weight() -> impl Strategy<Value = f64> {
    prop_oneof![
        2 => (-99.0..99.0_f64).prop_map(|x| 10.0_f64.powf(x)),
        1 => (-9..=9_i32).prop_map(|x| 10.0_f64.powi(2 * x)),
        1 => (1..6_u32).prop_map(f64::from),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]
    #[test]
    fn terms_sum_to_the_mean_loss_for_any_weights(
        rows in prop::collection::vec((extreme_forecast(), any::<bool>(), extreme_weight()), 1..12),
    ) {
        check_extreme(&rows);
    }
}

#[test]
fn a_skill_score_needs_finite_numbers_and_a_reference_other_than_the_best() {
    assert_eq!(skill_score(-0.1, -0.1..0.0), Ok(0.0));
    assert_eq!(skill_score(0.0, -0.1..0.0), Ok(1.0));
    assert_eq!(skill_score(3.0, 2.0..4.0), Ok(0.5));
    assert_eq!(skill_score(0.75, 0.25..0.0), Ok(-2.0));
    let error = skill_score(0.5, 1.0..1.0).unwrap_err();
    assert!(matches!(error, Error::Undefined { name: "the skill score", .. }), "{error}");
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for (score, reference, best) in [(bad, -1.0, 0.0), (-1.0, bad, 0.0), (-1.0, -2.0, bad)] {
            let error = skill_score(score, reference..best).unwrap_err();
            assert!(matches!(error, Error::NotFinite { .. }), "{error}");
        }
    }
    let error = skill_score(-f64::MAX, f64::MAX..0.0).unwrap_err();
    assert!(matches!(error, Error::NotFinite { what: "the skill score", .. }), "{error}");
}
