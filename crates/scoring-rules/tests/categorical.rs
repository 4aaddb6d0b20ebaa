//! Scores of forecasts of classes: reference values, strict propriety and other laws.
#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

use proptest::{collection::vec, prelude::*};
use scoring_rules::{
    BrierScore, Categorical, Error, LogScore, Probability, ScoringRule,
    categorical::{brier_score, log_score, ranked_probability_score, spherical_score},
};

type Rule = fn(Categorical<'_>, usize) -> Result<f64, Error>;

const RULES: [(&str, Rule); 4] = [
    ("log", log_score),
    ("brier", brier_score),
    ("spherical", spherical_score),
    ("ranked probability", ranked_probability_score),
];

fn categorical(probabilities: &[f64]) -> Result<Categorical<'_>, Error> {
    Categorical::new(Probability::from_slice(probabilities)?)
}

#[test]
fn scores_equal_their_textbook_formulas_to_1e_12() {
    let mut worst = [0.0_f64; 4];
    let mut seen = 0;
    let rows = include_str!("golden/categorical.csv");
    for row in rows.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let [forecast, outcome, ref values @ ..] = row.split(',').collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        let forecast: Vec<f64> = forecast.split(' ').map(|p| p.parse().unwrap()).collect();
        let forecast = categorical(&forecast).unwrap();
        assert_eq!(values.len(), RULES.len());
        for (((name, rule), value), worst) in RULES.iter().zip(values).zip(&mut worst) {
            let got = rule(forecast, outcome.parse().unwrap()).unwrap();
            let want: f64 = value.parse().unwrap();
            // Subnormal numbers have fewer digits.
            let scale = want.abs().max(f64::MIN_POSITIVE);
            let error = if got == want { 0.0 } else { (got - want).abs() / scale };
            assert!(error <= 1e-12, "{name} of {row} gave {got:e}, off by {error:e}");
            *worst = worst.max(error);
        }
        seen += 1;
    }
    assert!(seen > 100, "{seen} rows");
    for ((name, _), error) in RULES.iter().zip(worst) {
        println!("{name}: largest relative error {error:.1e} in {seen} rows");
    }
}

/// Two forecasts of the same number of classes, some of which have probability 0.
fn two_forecasts() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    let class = || prop_oneof![4 => 0.01..1.0_f64, 1 => (-30.0..0.0_f64).prop_map(f64::exp), 1 => Just(0.0)];
    let scaled = |weights: &[f64]| {
        let sum: f64 = weights.iter().sum();
        weights.iter().map(|w| w / sum).collect()
    };
    let possible = |weights: &Vec<f64>| weights.iter().sum::<f64>() > 0.0;
    (2_usize..7).prop_flat_map(move |k| {
        let weights = || vec(class(), k).prop_filter("a class that is possible", possible);
        (weights(), weights()).prop_map(move |(p, q)| (scaled(&p), scaled(&q)))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]
    #[test]
    fn every_rule_is_strictly_proper((report, truth) in two_forecasts()) {
        let [p, q] = [&report, &truth].map(|f| categorical(f).unwrap());
        let apart = report.iter().zip(&truth).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        for (name, rule) in RULES {
            let expected = |f| -> f64 {
                let term = |(y, &q): (usize, &f64)| q * rule(f, y).unwrap();
                truth.iter().enumerate().filter(|(_, q)| **q > 0.0).map(term).sum()
            };
            let (honest, other) = (expected(q), expected(p));
            prop_assert!(honest >= other - 1e-12, "{name}: {other} beats {honest}");
            if apart > 1e-4 {
                prop_assert!(honest > other, "{name}: {other} ties {honest}");
            }
        }
    }

    #[test]
    fn scores_for_two_classes_equal_the_rules_for_binary_events(p in 0.0..=1.0_f64, outcome in any::<bool>()) {
        let success = Probability::new(p).unwrap();
        let both = [success.complement().get(), p];
        let (forecast, class) = (categorical(&both).unwrap(), usize::from(outcome));
        let score = |rule: &dyn ScoringRule| rule.score(success, outcome);
        let pairs = [
            (log_score(forecast, class), score(&LogScore::exact())),
            (brier_score(forecast, class), 2.0 * score(&BrierScore)),
            (ranked_probability_score(forecast, class), score(&BrierScore)),
        ];
        for (categorical, binary) in pairs {
            let categorical = categorical.unwrap();
            let same = categorical == binary || (categorical - binary).abs() <= 1e-14 * binary.abs();
            // The rounding of 1 - p matters for small probabilities.
            prop_assert!(same || (categorical - binary).abs() < 1e-16, "{categorical} {binary}");
        }
    }

    #[test]
    fn only_the_ranked_score_depends_on_the_order_of_classes((mut p, _) in two_forecasts(), y in 0_usize..6) {
        let y = y % p.len();
        let scores = |p: &[f64], y| {
            RULES.map(|(_, rule)| rule(categorical(p).unwrap(), y).unwrap())
        };
        let before = scores(&p, y);
        // Reversing the order of the classes changes no score.
        p.reverse();
        let y = p.len() - 1 - y;
        for (one, other) in before.into_iter().zip(scores(&p, y)) {
            prop_assert!(one == other || (one - other).abs() <= 1e-14 * one.abs(), "{one} {other}");
        }
        p.rotate_left(1);
        let y = (y + p.len() - 1) % p.len();
        for (one, other) in before.into_iter().zip(scores(&p, y)).take(3) {
            prop_assert!(one == other || (one - other).abs() <= 1e-14 * one.abs(), "{one} {other}");
        }
    }
}

#[test]
fn only_the_ranked_score_depends_on_the_distance_of_classes() {
    let [near, far] = [[0.0, 0.5, 0.5, 0.0], [0.0, 0.5, 0.0, 0.5]];
    let scores = |p: &[f64]| RULES.map(|(_, rule)| rule(categorical(p).unwrap(), 1).unwrap());
    let (near, far) = (scores(&near), scores(&far));
    assert_eq!(near[..3], far[..3]);
    assert_eq!((near[3], far[3]), (-0.25, -0.5));
}

#[test]
fn forecasts_of_0_and_1_have_the_best_score_if_right_and_the_worst_if_wrong() {
    let certain = categorical(&[0.0, 0.0, 1.0]).unwrap();
    let scores = |y| RULES.map(|(_, rule)| rule(certain, y).unwrap());
    assert_eq!(scores(2).map(f64::to_bits), [0.0, 0.0, 1.0, 0.0].map(f64::to_bits));
    assert_eq!(scores(0), [f64::NEG_INFINITY, -2.0, 0.0, -2.0]);
}

#[test]
fn too_few_classes_and_sums_other_than_1_are_refused() {
    let refused = |p: &[f64]| categorical(p).unwrap_err();
    assert_eq!(refused(&[]), Error::TooFew { what: "classes", least: 2, found: 0 });
    assert_eq!(refused(&[1.0]), Error::TooFew { what: "classes", least: 2, found: 1 });
    assert_eq!(refused(&[0.5, 0.75]), Error::SumNotOne { sum: 1.25 });
    assert!(categorical(&[0.5, 0.5 + 0.9e-9]).is_ok());
    assert!(categorical(&[0.5, 0.5 - 1.1e-9]).is_err());
}

#[test]
fn a_class_that_does_not_exist_is_refused_by_every_rule() {
    let forecast = categorical(&[0.5, 0.25, 0.25]).unwrap();
    for (name, rule) in RULES {
        for class in [3, usize::MAX] {
            assert_eq!(
                rule(forecast, class),
                Err(Error::NoSuchClass { class, classes: 3 }),
                "{name}"
            );
        }
    }
}
