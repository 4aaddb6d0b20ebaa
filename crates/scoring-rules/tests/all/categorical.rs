//! Scores of forecasts of classes: reference values, strict propriety and other laws.

use proptest::{collection::vec, prelude::*};
use scoring_rules::{BrierScore, Categorical, Error, LogScore, Probability, ScoringRule};

use crate::common::{close, golden, number, numbers, prob};

type Rule = fn(Categorical<'_>, usize) -> Result<f64, Error>;

const RULES: [(&str, Rule); 4] = [
    ("log", |forecast, class| forecast.log_score(class)),
    ("brier", |forecast, class| forecast.brier_score(class)),
    ("spherical", |forecast, class| forecast.spherical_score(class)),
    ("ranked probability", |forecast, class| forecast.ranked_probability_score(class)),
];

fn categorical(probabilities: &[f64]) -> Result<Categorical<'_>, Error> {
    Categorical::new(Probability::from_slice(probabilities)?)
}

#[test]
fn scores_equal_their_textbook_formulas_to_1e_12() {
    let mut worst = [0.0_f64; 4];
    let mut seen = 0;
    for row in golden(include_str!("../golden/categorical.csv")) {
        let [forecast, outcome, ref values @ ..] = row[..] else { panic!("{row:?}") };
        let forecast = numbers(forecast);
        let forecast = categorical(&forecast).unwrap();
        assert_eq!(values.len(), RULES.len());
        for (((name, rule), value), worst) in RULES.iter().zip(values).zip(&mut worst) {
            let got = rule(forecast, outcome.parse().unwrap()).unwrap();
            let want = number(value);
            // Subnormal numbers have fewer digits.
            let scale = want.abs().max(f64::MIN_POSITIVE);
            let error = if got == want { 0.0 } else { (got - want).abs() / scale };
            assert!(error <= 1e-12, "{name} of {row:?} gave {got:e}, off by {error:e}");
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
        let success = prob(p);
        let both = [success.complement().get(), p];
        let (forecast, class) = (categorical(&both).unwrap(), usize::from(outcome));
        let score = |rule: &dyn ScoringRule| rule.score(success, outcome);
        let pairs = [
            (forecast.log_score(class), score(&LogScore::exact())),
            (forecast.brier_score(class), 2.0 * score(&BrierScore)),
            (forecast.ranked_probability_score(class), score(&BrierScore)),
        ];
        for (categorical, binary) in pairs {
            let categorical = categorical.unwrap();
            // The rounding of 1 - p matters for small probabilities.
            let same = close(categorical, binary, 1e-14);
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
            prop_assert!(close(other, one, 1e-14), "{one} {other}");
        }
        p.rotate_left(1);
        let y = (y + p.len() - 1) % p.len();
        for (one, other) in before.into_iter().zip(scores(&p, y)).take(3) {
            prop_assert!(close(other, one, 1e-14), "{one} {other}");
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
    let sum = refused(&[0.5, 0.75]).to_string();
    assert_eq!(
        sum,
        "the sum of the probabilities of all classes is 1.25; it must be 1 within 1e-9"
    );
    assert!(categorical(&[0.5, 0.5 + 0.9e-9]).is_ok());
    assert!(categorical(&[0.5, 0.5 - 1.1e-9]).is_err());
}

#[test]
fn a_class_that_does_not_exist_is_refused_by_every_rule() {
    let forecast = categorical(&[0.5, 0.25, 0.25]).unwrap();
    for (name, rule) in RULES {
        for class in [3, usize::MAX] {
            let error = rule(forecast, class).unwrap_err();
            assert!(matches!(error, Error::Setting { name: "the class", .. }), "{name}: {error}");
        }
    }
}
