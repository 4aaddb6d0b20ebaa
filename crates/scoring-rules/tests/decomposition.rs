//! Decompositions of mean losses: comparison with exact fractions (`golden/decomposition.py`), and
//! properties that hold for any data.
#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

mod weighted_rows;

use std::collections::HashMap;

use proptest::prelude::*;
use scoring_rules::{
    BetaScore, Binning, BoostingScore, BrierScore, Corp, Decomposition, ElementaryScore, Error,
    Level, LogScore, PooledBlocks, PowerScore, Probability, PseudosphericalScore, ScoringRule,
    SphericalScore, ThresholdMixture, TiedBlocks, Weight, from_fn, skill_score,
};
use weighted_rows::{Row, blocks, weight};

fn probabilities(values: &[f64]) -> &[Probability] {
    Probability::from_slice(values).unwrap()
}

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

fn binned(parts: Decomposition) -> [f64; 5] {
    let Decomposition { mean_loss, reliability, resolution, uncertainty, within_bin, .. } = parts;
    [mean_loss, reliability, resolution, uncertainty, within_bin]
}

fn unbinned(parts: Corp) -> [f64; 4] {
    let Corp { mean_loss, miscalibration, discrimination, uncertainty, .. } = parts;
    [mean_loss, miscalibration, discrimination, uncertainty]
}

#[test]
fn terms_and_rates_equal_those_of_exact_fractions_to_1e_12() {
    let lines: Vec<Vec<&str>> = include_str!("golden/decomposition.csv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .skip(1)
        .map(|line| line.split(',').collect())
        .collect();
    let number = |field: &str| -> f64 { field.parse().unwrap() };
    let mut sets: HashMap<&str, Vec<Row>> = HashMap::new();
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
    for line in &lines {
        let rule: Box<dyn ScoringRule> = match line[2] {
            "log" => Box::new(LogScore::exact()),
            "brier" => Box::new(BrierScore),
            "beta" => Box::new(BetaScore::new(number(line[3]), number(line[4])).unwrap()),
            _ => Box::new(from_fn(|_: Probability, _| 0.0)),
        };
        let numbers = |from| line[from..].iter().map(|field| number(field)).collect::<Vec<_>>();
        match line[..] {
            ["data", set, p, y, w] => {
                sets.entry(set).or_default().push((number(p), y == "1", number(w)));
            }
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
                let parts = Decomposition::new(&*rule, &blocks(&sets[set]), binning).unwrap();
                check(&binned(parts), &numbers(6), line);
            }
            ["corp", set, ..] => {
                let parts = Corp::new(&*rule, &blocks(&sets[set])).unwrap();
                check(&unbinned(parts), &numbers(5), line);
            }
            _ => panic!("{line:?}"),
        }
    }
    assert_eq!((checked, rates), (5 * 140 + 4 * 28, 216));
    println!("largest error of a term {worst:.1e} of the mean loss");
}

fn rules() -> Vec<Box<dyn ScoringRule>> {
    let mut rules: Vec<Box<dyn ScoringRule>> = vec![
        Box::new(LogScore::exact()),
        Box::new(LogScore::clipped(1e-6).unwrap()),
        Box::new(LogScore::clipped(0.2).unwrap()),
        Box::new(BrierScore),
    ];
    for (alpha, beta) in
        [(1.0, 1.0), (2.0, 4.0), (0.5, 1.7), (-0.5, -0.5), (0.0, 1.7), (30.0, 12.5), (-0.9, 3.0)]
    {
        rules.push(Box::new(BetaScore::new(alpha, beta).unwrap()));
    }
    let level = |c| Level::new(c).unwrap();
    rules.push(Box::new(SphericalScore));
    rules.push(Box::new(BoostingScore));
    rules.push(Box::new(ElementaryScore::new(level(0.3))));
    rules.push(Box::new(
        ThresholdMixture::new(&[
            (level(0.3), Weight::ONE),
            (level(0.7), Weight::new(2.0).unwrap()),
        ])
        .unwrap(),
    ));
    for (power, baseline) in [(0.5, 0.3), (1.0, 0.5), (2.5, 0.1)] {
        rules.push(Box::new(PowerScore::new(power, level(baseline)).unwrap()));
        rules.push(Box::new(PseudosphericalScore::new(power, level(baseline)).unwrap()));
    }
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

fn any_rows() -> impl Strategy<Value = Vec<Row>> {
    rows(weight())
}

fn whole_rows() -> impl Strategy<Value = Vec<Row>> {
    rows((1..6_u32).prop_map(f64::from))
}

/// Checks that the terms sum to the mean loss, to 1e-12 of the largest term.
fn adds_up(mean_loss: f64, terms: &[f64]) -> Result<(), TestCaseError> {
    let sum: f64 = terms.iter().sum();
    let size = terms.iter().fold(mean_loss, |size, term| size.max(term.abs()));
    let close = sum == mean_loss || (sum - mean_loss).abs() <= 1e-12 * size;
    prop_assert!(close, "{mean_loss:e} is not {sum:e} = sum of {terms:?}");
    Ok(())
}

/// The bits of all terms for all rules and binnings.
fn bits(blocks: &TiedBlocks) -> Vec<u64> {
    let mut bits = Vec::new();
    for rule in rules() {
        for (_, binning) in binnings(probabilities(&EDGES)) {
            bits.extend(
                binned(Decomposition::new(&*rule, blocks, binning).unwrap()).map(f64::to_bits),
            );
        }
        bits.extend(unbinned(Corp::new(&*rule, blocks).unwrap()).map(f64::to_bits));
    }
    bits
}

/// Each row with the rate of its pool as its forecast.
fn recalibrated(rows: &[Row]) -> Vec<Row> {
    let blocks = blocks(rows);
    let pools = blocks.pool_adjacent_violators();
    let rate = |p: f64| {
        let holds = |pool: &&PooledBlocks| {
            blocks.as_slice()[pool.blocks.clone()].iter().any(|block| block.confidence.get() == p)
        };
        pools.iter().find(holds).unwrap().rate()
    };
    rows.iter().map(|&(p, y, w)| (rate(p), y, w)).collect()
}

#[test]
fn terms_sum_to_the_mean_loss_of_a_clipped_rule_at_certainty() {
    // The logarithm of 1 - 1e-6, rounded, has a relative error of 3e-11.
    let blocks = blocks(&[(0.999_987_172_479_658_2, true, 1.0)]);
    let rule = LogScore::clipped(1e-6).unwrap();
    let [loss, terms @ ..] = binned(Decomposition::new(&rule, &blocks, Binning::Distinct).unwrap());
    // origin: mpmath 1.4.1, -log(mpf(0.9999871724796582)), 2026-11-22
    assert!((loss / 1.282_760_261_516_085_7e-5 - 1.0).abs() < 1e-15);
    let [reliability, resolution, uncertainty, within] = terms;
    assert!((reliability - resolution + uncertainty + within - loss).abs() < 1e-15 * loss);
}

proptest! {
    #[test]
    fn terms_sum_to_the_mean_loss_and_are_not_negative(rows in any_rows()) {
        let blocks = blocks(&rows);
        for rule in rules() {
            for (_, binning) in binnings(probabilities(&EDGES)) {
                let [loss, reliability, resolution, uncertainty, within] =
                    binned(Decomposition::new(&*rule, &blocks, binning).unwrap());
                adds_up(loss, &[reliability, -resolution, uncertainty, within])?;
                prop_assert!(reliability >= -1e-15, "{reliability}");
                prop_assert!(resolution >= -1e-15, "{resolution}");
                prop_assert!(binning != Binning::Distinct || within == 0.0);
            }
            let [loss, miscalibration, discrimination, uncertainty] =
                unbinned(Corp::new(&*rule, &blocks).unwrap());
            adds_up(loss, &[miscalibration, -discrimination, uncertainty])?;
            prop_assert!(miscalibration >= -1e-15, "{miscalibration}");
            prop_assert!(discrimination >= -1e-15, "{discrimination}");
        }
    }

    #[test]
    fn terms_of_an_improper_rule_sum_to_the_mean_loss(rows in any_rows()) {
        let linear = from_fn(|p: Probability, y: bool| -(p.get() - f64::from(y)).abs());
        let own_brier = from_fn(|p: Probability, y: bool| -(p.get() - f64::from(y)).powi(2));
        // All scores are small in this unit.
        let reversed = from_fn(|p: Probability, y: bool| 1e-6 * (p.get() - f64::from(y)).powi(2));
        let blocks = blocks(&rows);
        for rule in [&linear as &dyn ScoringRule, &own_brier, &reversed] {
            let parts = Corp::new(rule, &blocks).unwrap();
            let terms = [parts.miscalibration, -parts.discrimination, parts.uncertainty];
            adds_up(parts.mean_loss, &terms)?;
            let parts = Decomposition::new(rule, &blocks, Binning::EqualWidth { bins: 4 }).unwrap();
            let terms =
                [parts.reliability, -parts.resolution, parts.uncertainty, parts.within_bin];
            adds_up(parts.mean_loss, &terms)?;
        }
    }

    #[test]
    fn terms_do_not_depend_on_the_order_of_rows(rows in any_rows(), turn in any::<prop::sample::Index>()) {
        let mut turned = rows.clone();
        turned.rotate_left(turn.index(rows.len()));
        turned.reverse();
        prop_assert_eq!(bits(&blocks(&rows)), bits(&blocks(&turned)));
    }

    #[test]
    fn an_integer_weight_counts_as_that_many_rows(rows in whole_rows()) {
        let copied: Vec<Row> =
            rows.iter().flat_map(|&(p, y, w)| (0..w as usize).map(move |_| (p, y, 1.0))).collect();
        prop_assert_eq!(bits(&blocks(&rows)), bits(&blocks(&copied)));
    }

    #[test]
    fn recalibrated_forecasts_have_no_miscalibration_and_the_same_discrimination(
        rows in whole_rows(),
    ) {
        let (given, better) = (blocks(&rows), blocks(&recalibrated(&rows)));
        for rule in rules() {
            let (given, better) = (Corp::new(&*rule, &given).unwrap(), Corp::new(&*rule, &better).unwrap());
            prop_assert_eq!(better.miscalibration, 0.0);
            let off = (given.discrimination - better.discrimination).abs();
            // Rules with a baseline have no uncertainty there, but their scores are of the size of
            // 1.
            let size = given.uncertainty.abs().max(given.discrimination.abs()).max(1e-2);
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
fn a_divergence_with_a_relative_error_of_1e_8_is_an_error() {
    /// The Brier score with a slightly wrong divergence.
    struct Off(f64);

    impl ScoringRule for Off {
        fn score(&self, forecast: Probability, outcome: bool) -> f64 {
            BrierScore.score(forecast, outcome)
        }

        fn divergence(&self, forecast: Probability, truth: Probability) -> f64 {
            BrierScore.divergence(forecast, truth) * (1.0 + self.0)
        }
    }

    let rows = blocks(&[(0.9, false, 1.0), (0.9, true, 1.0), (0.1, false, 1.0)]);
    for off in [1e-8, 1e-7, -1e-8] {
        let bins = Decomposition::new(&Off(off), &rows, Binning::Distinct);
        assert!(matches!(bins, Err(Error::TermsDoNotAddUp { .. })), "{off:e}: {bins:?}");
        let parts = Corp::new(&Off(off), &rows);
        assert!(matches!(parts, Err(Error::TermsDoNotAddUp { .. })), "{off:e}: {parts:?}");
    }
    assert!(Decomposition::new(&Off(0.0), &rows, Binning::Distinct).is_ok());
}

/// Weights of any valid ratio.
fn any_ratio() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(1.0),
        (-100.0..=100.0_f64).prop_map(|digits| 10.0_f64.powf(digits).clamp(1e-100, 1e100))
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn terms_of_any_forecasts_and_weights_are_within_the_tolerance(
        rows in rows(any_ratio()),
    ) {
        let blocks = blocks(&rows);
        for rule in rules() {
            for (_, binning) in binnings(probabilities(&EDGES)) {
                prop_assert!(Decomposition::new(&*rule, &blocks, binning).is_ok());
            }
            prop_assert!(Corp::new(&*rule, &blocks).is_ok());
        }
    }
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
    for rule in rules() {
        for successes in (1..200_u32).step_by(3) {
            let rate = f64::from(successes) / 200.0;
            for rows in [
                [
                    (rate, true, f64::from(successes)),
                    (rate.next_up(), false, f64::from(200 - successes)),
                ],
                [
                    (rate.next_down(), true, f64::from(successes)),
                    (rate, false, f64::from(200 - successes)),
                ],
            ] {
                let parts = Corp::new(&*rule, &blocks(&rows)).unwrap();
                assert!(parts.miscalibration >= 0.0, "{rows:?} {parts:?}");
            }
        }
    }
}

#[test]
fn decompositions_of_rules_with_undefined_means_are_errors() {
    let blocks = blocks(&[(0.2, false, 1.0), (0.25, true, 1.0), (0.8, false, 2.0)]);
    let nan = from_fn(|_: Probability, _: bool| f64::NAN);
    let never = from_fn(|_: Probability, _: bool| f64::NEG_INFINITY);
    for rule in [&nan as &dyn ScoringRule, &never] {
        let error = Corp::new(rule, &blocks).unwrap_err();
        assert!(matches!(error, Error::Undefined { .. }), "{error}");
        let error = Decomposition::new(rule, &blocks, Binning::Quantile { bins: 2 }).unwrap_err();
        assert!(matches!(error, Error::Undefined { .. }), "{error}");
    }
    // Only the base rate has an infinite loss, which does not affect the mean loss.
    let infinite_at_the_base_rate =
        from_fn(
            |p: Probability, y: bool| {
                if p == Probability::HALF { f64::NEG_INFINITY } else { BrierScore.score(p, y) }
            },
        );
    let halves = crate::blocks(&[(0.2, false, 1.0), (0.8, true, 1.0)]);
    let error = Corp::new(&infinite_at_the_base_rate, &halves).unwrap_err();
    assert!(matches!(error, Error::Undefined { .. }), "{error}");
    let error =
        Decomposition::new(&infinite_at_the_base_rate, &halves, Binning::Distinct).unwrap_err();
    assert!(matches!(error, Error::Undefined { .. }), "{error}");
    let none = TiedBlocks::default();
    assert_eq!(Corp::new(&BrierScore, &none), Err(Error::Empty));
    assert_eq!(Decomposition::new(&BrierScore, &none, Binning::Distinct), Err(Error::Empty));
}

#[test]
fn weights_at_the_limits_of_their_range_give_the_same_terms() {
    let of = |weight: f64| {
        let rows = [(0.2, false, weight), (0.4, true, weight), (0.7, false, weight)];
        Corp::new(&LogScore::exact(), &blocks(&rows)).unwrap()
    };
    let plain = unbinned(of(1.0));
    for weight in [1e-100, 1e100] {
        for (term, plain) in unbinned(of(weight)).into_iter().zip(plain) {
            assert!((term - plain).abs() < 1e-15, "{weight}: {term} {plain}");
        }
    }
}

#[test]
fn a_skill_score_needs_finite_numbers_and_a_reference_other_than_the_best() {
    assert_eq!(skill_score(-0.1, -0.1, 0.0), Ok(0.0));
    assert_eq!(skill_score(0.0, -0.1, 0.0), Ok(1.0));
    assert_eq!(skill_score(3.0, 2.0, 4.0), Ok(0.5));
    assert_eq!(skill_score(0.75, 0.25, 0.0), Ok(-2.0));
    let error = skill_score(0.5, 1.0, 1.0).unwrap_err();
    assert!(matches!(error, Error::Undefined { name: "the skill score", .. }), "{error}");
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for (score, reference, best) in [(bad, -1.0, 0.0), (-1.0, bad, 0.0), (-1.0, -2.0, bad)] {
            let error = skill_score(score, reference, best).unwrap_err();
            assert!(matches!(error, Error::NotFinite { .. }), "{error}");
        }
    }
    let error = skill_score(-f64::MAX, f64::MAX, 0.0).unwrap_err();
    assert!(matches!(error, Error::NotFinite { what: "the skill score", .. }), "{error}");
}
