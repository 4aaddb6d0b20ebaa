//! Scores of many rows at once compared with one row at a time.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use scoring_rules::{
    BetaScore, BoostingScore, BrierScore, Error, ExactMean, Level, LogScore, PowerScore,
    Probability, PseudosphericalScore, ScoringRule, SphericalScore, Weight, from_fn, mean_score,
    runs::{Runs, StepWeights, weighted_sum, weighted_sums},
    score_slice,
};

fn rules() -> Vec<(&'static str, Box<dyn ScoringRule + Sync>)> {
    let level = Level::new(0.3).unwrap();
    vec![
        ("log", Box::new(LogScore::exact())),
        ("clipped log", Box::new(LogScore::clipped(1e-6).unwrap())),
        ("widely clipped log", Box::new(LogScore::clipped(0.1).unwrap())),
        ("barely clipped log", Box::new(LogScore::clipped(1e-100).unwrap())),
        ("Brier", Box::new(BrierScore)),
        ("beta 2 4", Box::new(BetaScore::new(2.0, 4.0).unwrap())),
        ("beta 0 0", Box::new(BetaScore::new(0.0, 0.0).unwrap())),
        ("beta 0.5 1.7", Box::new(BetaScore::new(0.5, 1.7).unwrap())),
        ("beta -0.5 0", Box::new(BetaScore::new(-0.5, 0.0).unwrap())),
        ("spherical", Box::new(SphericalScore)),
        ("boosting", Box::new(BoostingScore)),
        ("power", Box::new(PowerScore::new(1.5, level).unwrap())),
        ("pseudospherical", Box::new(PseudosphericalScore::new(1.5, level).unwrap())),
        ("closure", Box::new(from_fn(|p: Probability, y: bool| -(p.get() - f64::from(y)).abs()))),
    ]
}

fn forecast() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => 0.0..=1.0_f64,
        1 => (-750.0..0.0_f64).prop_map(f64::exp),
        1 => (-40.0..0.0_f64).prop_map(|x| 1.0 - x.exp()),
        1 => prop_oneof![Just(0.0), Just(1.0), Just(0.5), Just(5e-324), Just(1e-6)],
    ]
}

fn close(a: f64, b: f64, relative: f64) -> bool {
    a == b || (a - b).abs() <= relative * b.abs()
}

proptest! {
    #[test]
    fn a_slice_has_the_score_of_each_row(
        rows in prop::collection::vec((forecast(), any::<bool>()), 0..300),
    ) {
        let (values, outcomes): (Vec<f64>, Vec<bool>) = rows.into_iter().unzip();
        let forecasts = Probability::from_slice(&values).unwrap();
        let mut scores = vec![f64::NAN; values.len()];
        for (name, rule) in rules() {
            score_slice(&*rule, forecasts, &outcomes, &mut scores).unwrap();
            for ((&score, &p), &outcome) in scores.iter().zip(forecasts).zip(&outcomes) {
                let single = rule.score(p, outcome);
                prop_assert!(close(score, single, 1e-15), "{}: {} {} {}", name, p, score, single);
            }
        }
    }

    #[test]
    fn a_mean_is_the_mean_of_the_scores_in_any_order_and_a_weight_of_two_is_a_row_twice(
        rows in prop::collection::vec((forecast(), any::<bool>(), 0..4_u32), 1..3000),
        turn in any::<prop::sample::Index>(),
    ) {
        let split = |rows: &[(f64, bool, u32)]| {
            let forecasts: Vec<f64> = rows.iter().map(|row| row.0).collect();
            let outcomes: Vec<bool> = rows.iter().map(|row| row.1).collect();
            let weights: Vec<f64> = rows.iter().map(|row| f64::from(row.2)).collect();
            (forecasts, outcomes, weights)
        };
        let copies: Vec<_> =
            rows.iter().flat_map(|row| std::iter::repeat_n(*row, row.2 as usize)).collect();
        prop_assume!(!copies.is_empty());
        let mut turned = rows.clone();
        turned.rotate_left(turn.index(rows.len()));
        let (all, turned, copies) = (split(&rows), split(&turned), split(&copies));
        let mean = |rule: &dyn ScoringRule, rows: &(Vec<f64>, Vec<bool>, Vec<f64>), weighted: bool| {
            let forecasts = Probability::from_slice(&rows.0).unwrap();
            mean_score(rule, forecasts, &rows.1, weighted.then_some(Weight::from_slice(&rows.2[..]).unwrap())).unwrap()
        };
        for (name, rule) in rules() {
            let plain = mean(&*rule, &all, false);
            let exact: ExactMean = all
                .0
                .iter()
                .zip(&all.1)
                .map(|(&p, &outcome)| rule.score(Probability::new(p).unwrap(), outcome))
                .collect();
            let exact = exact.finish().unwrap();
            prop_assert!(close(plain, exact, 1e-12), "{}: {} {}", name, plain, exact);
            let other_order = mean(&*rule, &turned, false);
            prop_assert!(close(plain, other_order, 1e-12), "{}: {} {}", name, plain, other_order);
            let (weighted, twice) = (mean(&*rule, &all, true), mean(&*rule, &copies, false));
            prop_assert!(close(weighted, twice, 1e-12), "{}: {} {}", name, weighted, twice);
        }
    }
}

#[test]
fn a_function_of_your_own_has_the_sums_over_runs_that_a_rule_of_the_crate_has() {
    let own = from_fn(|p: Probability, y: bool| -(p.get() - f64::from(y)).powi(2));
    let values: Vec<f64> = (0..100).map(|i| f64::from(i * 37 % 101) / 128.0).collect();
    let forecasts = Probability::from_slice(&values).unwrap();
    let (ends, outcomes) = ([3, 3, 20, 100], [true, false, false, true]);
    let runs = Runs::new(forecasts, 1, &ends, &outcomes).unwrap();
    for weights in [StepWeights::Equal, StepWeights::Falling, StepWeights::Rising] {
        let (mut sums, mut expected) = ([f64::NAN; 4], [f64::NAN; 4]);
        weighted_sums(&own, runs, weights, &mut sums);
        weighted_sums(&BrierScore, runs, weights, &mut expected);
        for ((sum, expected), (start, end, outcome)) in
            sums.into_iter().zip(expected).zip(runs.iter())
        {
            assert!(close(sum, expected, 1e-12), "{sum} {expected}");
            let single = weighted_sum(&own, &forecasts[start..end], outcome, weights);
            assert_eq!(single.to_bits(), sum.to_bits());
        }
    }
}

#[test]
fn a_row_alone_has_its_score_however_small_the_number() {
    let values = [0.0, 5e-324, 1e-310, f64::MIN_POSITIVE, 1e-300, 0.5, 1.0 - 1e-16, 1.0];
    for (name, rule) in rules() {
        for p in Probability::from_slice(&values).unwrap() {
            for outcome in [false, true] {
                let mut scores = [f64::NAN; 1];
                score_slice(&*rule, &[*p], &[outcome], &mut scores).unwrap();
                let single = rule.score(*p, outcome);
                assert!(close(scores[0], single, 1e-15), "{name} {p}: {} {single}", scores[0]);
            }
        }
    }
}

#[test]
fn a_mean_of_nearly_right_forecasts_keeps_its_digits() {
    for error in [1e-3, 1e-6, 1e-9, 1e-15] {
        for n in [1, 8, 500, 2048] {
            let values = vec![1.0 - error; n];
            let forecasts = Probability::from_slice(&values).unwrap();
            let exact = f64::ln_1p(values[0] - 1.0);
            let mean = mean_score(&LogScore::exact(), forecasts, &vec![true; n], None).unwrap();
            assert!(close(mean, exact, 1e-12), "{error} {n}: {mean} {exact}");
        }
    }
}

/// The difference in units in the last place of the second number.
fn ulps(a: f64, b: f64) -> f64 {
    (a - b).abs() / (b.abs() - b.abs().next_down())
}

#[test]
fn logs_of_rows_are_within_two_units_in_the_last_place() {
    // origin of the reference: the standard library's ln and ln_1p, themselves within one unit; half a
    // million forecasts, evenly and near both ends.
    let mut values: Vec<f64> = (1..400_000).map(|i| f64::from(i) / 400_000.0).collect();
    values.extend((0..100_000).map(|i| (-f64::from(i) * 7e-3).exp()));
    values.extend((0..100_000).map(|i| 1.0 - (-f64::from(i) * 3.6e-4).exp()));
    values.retain(|&p| p > 0.0);
    let forecasts = Probability::from_slice(&values).unwrap();
    let mut worst = 0.0_f64;
    for outcome in [false, true] {
        let mut scores = vec![0.0; values.len()];
        score_slice(&LogScore::exact(), forecasts, &vec![outcome; values.len()], &mut scores)
            .unwrap();
        for (&score, &p) in scores.iter().zip(&values) {
            // Of a p below one half, 1 - p is rounded; of one above, its logarithm needs p - 1.
            let exact = match (outcome, p < 0.5) {
                (true, true) => p.ln(),
                (true, false) => (p - 1.0).ln_1p(),
                (false, true) => (-p).ln_1p(),
                (false, false) => (1.0 - p).ln(),
            };
            if exact != score {
                worst = worst.max(ulps(score, exact));
            }
        }
    }
    assert!(worst <= 2.0, "{worst}");
}

#[test]
fn a_row_of_weight_zero_does_not_count_even_if_its_score_is_infinite() {
    let forecasts = Probability::from_slice(&[0.0, 0.5]).unwrap();
    let mean = mean_score(
        &LogScore::exact(),
        forecasts,
        &[true, true],
        Some(Weight::from_slice(&[0.0, 3.0]).unwrap()),
    )
    .unwrap();
    assert_eq!(mean, 0.5_f64.ln());
    let mean = mean_score(&LogScore::exact(), forecasts, &[true, true], None).unwrap();
    assert_eq!(mean, f64::NEG_INFINITY);
}

#[test]
fn rows_that_do_not_go_together_are_refused_and_nothing_is_written() {
    let forecasts = Probability::from_slice(&[0.5; 3]).unwrap();
    let mut scores = [7.0; 3];
    let error = score_slice(&BrierScore, forecasts, &[true; 2], &mut scores).unwrap_err();
    assert_eq!(error, Error::Length { what: "outcomes", expected: 3, found: 2 });
    let error = score_slice(&BrierScore, forecasts, &[true; 3], &mut scores[..1]).unwrap_err();
    assert_eq!(error, Error::Length { what: "scores", expected: 3, found: 1 });
    assert_eq!(scores, [7.0; 3]);
    let error =
        mean_score(&BrierScore, forecasts, &[true; 3], Some(Weight::from_slice(&[1.0]).unwrap()))
            .unwrap_err();
    assert_eq!(error, Error::Length { what: "weights", expected: 3, found: 1 });
    let error = mean_score(
        &BrierScore,
        forecasts,
        &[true; 3],
        Some(Weight::from_slice(&[0.0; 3]).unwrap()),
    )
    .unwrap_err();
    assert_eq!(error, Error::Empty);
    assert_eq!(mean_score(&BrierScore, &[], &[], None).unwrap_err(), Error::Empty);

    // Plus and minus infinity have no mean.
    let rule = PowerScore::new(-1.0, Level::HALF).unwrap();
    let forecasts = Probability::from_slice(&[1.0, 0.0]).unwrap();
    let error = mean_score(&rule, forecasts, &[true, true], None).unwrap_err();
    assert!(matches!(error, Error::NotFinite { what: "the mean score", .. }), "{error}");
}

#[cfg(feature = "rayon")]
#[test]
fn any_number_of_threads_gives_the_same_bits() {
    use scoring_rules::{par_mean_score, par_score_slice};

    let values: Vec<f64> =
        (0..300_000).map(|i| (f64::from(i) * 0.618_033_988_75).fract()).collect();
    let outcomes: Vec<bool> = (0..300_000).map(|i| i % 3 == 0).collect();
    let weights: Vec<f64> = (0..300_000).map(|i| f64::from(i % 5)).collect();
    let forecasts = Probability::from_slice(&values).unwrap();
    for (name, rule) in rules() {
        let mut scores = vec![0.0; values.len()];
        score_slice(&*rule, forecasts, &outcomes, &mut scores).unwrap();
        for threads in [1, 2, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for weights in [None, Some(&weights[..])] {
                let one = mean_score(
                    &*rule,
                    forecasts,
                    &outcomes,
                    weights.map(|weights| Weight::from_slice(weights).unwrap()),
                )
                .unwrap();
                let many = pool.install(|| {
                    par_mean_score(
                        &*rule,
                        forecasts,
                        &outcomes,
                        weights.map(|weights| Weight::from_slice(weights).unwrap()),
                    )
                    .unwrap()
                });
                assert_eq!(one.to_bits(), many.to_bits(), "{name}, {threads} threads");
            }
            let mut many = vec![0.0; values.len()];
            pool.install(|| par_score_slice(&*rule, forecasts, &outcomes, &mut many).unwrap());
            assert!(scores.iter().zip(&many).all(|(a, b)| a.to_bits() == b.to_bits()), "{name}");
        }
    }
}
