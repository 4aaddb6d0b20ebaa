//! Sums of scores over the steps of runs: ends, weights, bits, and products of the log score.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use scoring_rules::{
    BetaScore, BrierScore, Error, LogScore, Probability, ScoringRule,
    runs::{Runs, StepWeights, weighted_sum, weighted_sums},
};

const WEIGHTS: [StepWeights; 3] = [StepWeights::Equal, StepWeights::Falling, StepWeights::Rising];

#[test]
fn runs_that_do_not_fit_their_forecasts_are_refused() {
    let forecasts = [Probability::HALF; 3];
    let result = |start, ends: &[usize]| {
        Runs::new(&forecasts, start, ends, &vec![true; ends.len()]).map(|_| ())
    };
    assert_eq!((result(0, &[1, 1, 3]), result(3, &[3]), result(3, &[])), (Ok(()), Ok(()), Ok(())));
    let falls = Error::OutOfOrder { what: "ends", index: 1, before: 2.0, value: 1.0 };
    assert_eq!(result(0, &[2, 1, 3]), Err(falls));
    let before = Error::OutOfOrder { what: "ends", index: 0, before: 2.0, value: 1.0 };
    assert_eq!(result(2, &[1]), Err(before));
    let beyond = |expected| Err(Error::Length { what: "forecasts", expected, found: 3 });
    assert_eq!((result(0, &[4]), result(5, &[])), (beyond(4), beyond(5)));
    let outcomes = Error::Length { what: "outcomes", expected: 1, found: 2 };
    assert_eq!(Runs::new(&forecasts, 0, &[1], &[true; 2]), Err(outcomes));
}

#[test]
fn an_infinite_score_anywhere_makes_the_sum_infinite() {
    for n in [1, 2, 5, 6, 200] {
        for certain in 0..n {
            let mut values = vec![0.5; n];
            values[certain] = 1.0;
            let steps = Probability::from_slice(&values).unwrap();
            for weights in WEIGHTS {
                let sum = weights.sum(steps, |p| (1.0 - p.get()).ln());
                assert_eq!(sum, f64::NEG_INFINITY, "{n} {certain} {weights:?}");
            }
        }
    }
}

#[test]
fn a_very_long_run_is_summed_without_a_growing_error() {
    let values = vec![0.1; 1_000_000];
    let steps = Probability::from_slice(&values).unwrap();
    let n = values.len() as f64;
    let cases = [
        (StepWeights::Equal, n * 0.1),
        (StepWeights::Falling, n * (n + 1.0) / 2.0 * 0.1),
        (StepWeights::Rising, n * (n + 1.0) / 2.0 * 0.1),
    ];
    for (weights, expected) in cases {
        let sum = weights.sum(steps, Probability::get);
        approx::assert_relative_eq!(sum, expected, epsilon = 0.0, max_relative = 2e-15);
    }
}

#[test]
fn the_total_of_the_weights_is_the_sum_over_steps_that_score_one() {
    let steps = [Probability::HALF; 200];
    for n in 0..=steps.len() {
        for weights in WEIGHTS {
            assert_eq!(weights.total(n), weights.sum(&steps[..n], |_| 1.0), "{n} {weights:?}");
        }
    }
}

proptest! {
    #[test]
    fn the_bits_of_a_run_do_not_depend_on_the_steps_before_it(
        run in prop::collection::vec(0.0..=1.0_f64, 1..40),
        before in prop::collection::vec(0.0..=1.0_f64, 1..40),
        outcome in any::<bool>(),
    ) {
        let rules: [&dyn ScoringRule; 5] = [
            &LogScore::clipped(1e-6).unwrap(),
            &LogScore::exact(),
            &BrierScore,
            &BetaScore::new(2.0, 4.0).unwrap(),
            &BetaScore::new(0.5, 0.0).unwrap(),
        ];
        let flat: Vec<f64> = before.iter().chain(&run).copied().collect();
        let (flat, alone) =
            (Probability::from_slice(&flat).unwrap(), Probability::from_slice(&run).unwrap());
        for rule in rules {
            for weights in WEIGHTS {
                let mut sums = [0.0; 2];
                let ends = [before.len(), flat.len()];
                let outcomes = [!outcome, outcome];
                let runs = Runs::new(flat, 0, &ends, &outcomes).unwrap();
                weighted_sums(&rule, runs, weights, &mut sums);
                let single = weighted_sum(&rule, alone, outcome, weights);
                prop_assert_eq!(sums[1].to_bits(), single.to_bits());

                let plain = weights.sum(alone, |p| rule.score(p, outcome));
                let close = single == plain || (single - plain).abs() <= 1e-12 * plain.abs();
                prop_assert!(close, "{single} {plain}");
            }
        }
    }
}

/// Checks the log scores of runs, which are those of products, against sums of logarithms.
fn check(rule: LogScore, values: &[f64]) {
    let forecasts = Probability::from_slice(values).unwrap();
    for outcome in [false, true] {
        for weights in WEIGHTS {
            let by_product = weighted_sum(&rule, forecasts, outcome, weights);
            let by_logs = weights.sum(forecasts, |p| rule.score(p, outcome));
            if by_logs.is_infinite() {
                assert_eq!(by_product, by_logs);
            } else {
                approx::assert_relative_eq!(
                    by_product,
                    by_logs,
                    epsilon = 0.0,
                    max_relative = 1e-12
                );
            }
        }
    }
}

#[test]
fn products_that_would_underflow_are_replaced_by_sums_of_logs() {
    let clipped = LogScore::clipped(1e-6).unwrap();
    let ends = [0.0, 1.0, 1e-6, 0.5, 1e-18, 1e-19, 1e-300, 5e-324, 1.0 - f64::EPSILON / 2.0];
    for n in [1, 2, 9, 10, 48, 49, 500, 5_000] {
        for &end in &ends {
            let mut values = vec![end; n];
            check(clipped, &values);
            check(LogScore::exact(), &values);
            values[n / 2] = 0.3;
            check(LogScore::clipped(1e-100).unwrap(), &values);
        }
    }
}

/// Different values, not close to 0 or 1.
fn ordinary(n: usize) -> Vec<f64> {
    (0..n).map(|i| 0.1 + 0.8 * (i as f64 * 0.618_033_988_75).fract()).collect()
}

#[test]
fn a_long_run_is_summed_piece_by_piece() {
    for rule in [LogScore::exact(), LogScore::clipped(1e-6).unwrap()] {
        for n in [1, 2, 16, 17, 33, 100, 999, 1024] {
            check(rule, &ordinary(n));
        }
    }
}

#[test]
fn runs_that_are_nearly_right_keep_their_digits() {
    for n in [1, 15, 100, 1023, 1024, 2048] {
        check(LogScore::exact(), &vec![1.0 - 1e-9; n]);
        check(LogScore::exact(), &vec![1e-5; n]);
    }
}

#[test]
fn a_run_has_the_same_bits_wherever_it_stands() {
    let rule = LogScore::exact();
    let values = ordinary(3_000);
    let forecasts = Probability::from_slice(&values).unwrap();
    let ends: Vec<usize> = (1..=1_000).map(|i| 3 * i).collect();
    let outcomes: Vec<bool> = (0..1_000).map(|i| i % 3 == 0).collect();
    for weights in WEIGHTS {
        let mut sums = vec![0.0; ends.len()];
        let runs = Runs::new(forecasts, 0, &ends, &outcomes).unwrap();
        weighted_sums(&rule, runs, weights, &mut sums);
        for (sum, (start, end, outcome)) in sums.iter().zip(runs.iter()) {
            let alone = weighted_sum(&rule, &forecasts[start..end], outcome, weights);
            assert_eq!(sum.to_bits(), alone.to_bits(), "{start} {weights:?}");
        }
    }
}

proptest! {
    #[test]
    fn the_product_agrees_with_the_sum_of_logs(
        values in prop::collection::vec(0.0..=1.0_f64, 1..300),
        eps in 1e-12..0.4_f64,
    ) {
        check(LogScore::exact(), &values);
        check(LogScore::clipped(eps).unwrap(), &values);
    }
}
