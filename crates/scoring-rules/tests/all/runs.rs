//! Sums of scores over the steps of runs: ends, weights, bits, and products of the log score.

use proptest::prelude::*;
use scoring_rules::{Error, LogScore, Probability, Runs, ScoringRule, StepWeights, from_fn};

use crate::common::{assert_near, close, named, probabilities};

const WEIGHTS: [StepWeights; 3] = [StepWeights::Equal, StepWeights::Falling, StepWeights::Rising];

/// The weighted sum of a score without a shortcut.
fn plain(weights: StepWeights, steps: &[Probability], score: impl Fn(Probability) -> f64) -> f64 {
    from_fn(|p, _| score(p)).weighted_sum(steps, true, weights)
}

#[test]
fn runs_that_do_not_fit_their_forecasts_are_refused() {
    let forecasts = [Probability::HALF; 3];
    let result = |start, ends: &[usize]| {
        Runs::new(&forecasts, start, ends, &vec![true; ends.len()]).map(|_| ())
    };
    assert_eq!((result(0, &[1, 1, 3]), result(3, &[3]), result(3, &[])), (Ok(()), Ok(()), Ok(())));
    let falls = |result, at| match result {
        Err(Error::OutOfOrder { what: "ends", index, before: 2.0, value: 1.0, .. }) => index == at,
        _ => false,
    };
    assert!(falls(result(0, &[2, 1, 3]), 1));
    assert!(falls(result(2, &[1]), 0));
    let beyond = |expected| Err(scoring_rules::checks::length("forecasts", expected, 3));
    assert_eq!((result(0, &[4]), result(5, &[])), (beyond(4), beyond(5)));
    let outcomes = scoring_rules::checks::length("outcomes", 1, 2);
    assert_eq!(Runs::new(&forecasts, 0, &[1], &[true; 2]), Err(outcomes));
}

#[test]
fn an_infinite_score_anywhere_makes_the_sum_infinite() {
    for n in [1, 2, 5, 6, 200] {
        for certain in 0..n {
            let mut values = vec![0.5; n];
            values[certain] = 1.0;
            let steps = probabilities(&values);
            for weights in WEIGHTS {
                let sum = plain(weights, steps, |p| (1.0 - p.get()).ln());
                assert_eq!(sum, f64::NEG_INFINITY, "{n} {certain} {weights:?}");
            }
        }
    }
}

#[test]
fn a_very_long_run_is_summed_without_a_growing_error() {
    let values = vec![0.1; 1_000_000];
    for weights in WEIGHTS {
        let sum = plain(weights, probabilities(&values), Probability::get);
        assert_near(sum, weights.total(values.len()) * 0.1, 2e-15);
    }
}

#[test]
fn the_total_of_the_weights_is_the_sum_over_steps_that_score_one() {
    assert_eq!(WEIGHTS.map(|weights| weights.total(3)), [3.0, 6.0, 6.0]);
    let steps = [Probability::HALF; 200];
    for (n, weights) in (0..=steps.len()).flat_map(|n| WEIGHTS.map(|weights| (n, weights))) {
        assert_eq!(weights.total(n), plain(weights, &steps[..n], |_| 1.0), "{n} {weights:?}");
    }
    let steps = probabilities(&[0.5, 0.25, 1.0]);
    let sums = WEIGHTS.map(|weights| plain(weights, steps, Probability::get));
    assert_eq!(sums, [1.75, 3.0, 4.0]);
}

proptest! {
    #[test]
    fn the_bits_of_a_run_do_not_depend_on_the_steps_before_it(
        run in prop::collection::vec(0.0..=1.0_f64, 1..40),
        before in prop::collection::vec(0.0..=1.0_f64, 1..400),
        outcome in any::<bool>(),
    ) {
        let mut rules = named("log:1e-6 log brier beta:2,4 beta:0.5,0 beta:0,0");
        let own = from_fn(|p: Probability, y: bool| -(p.get() - f64::from(y)).powi(2));
        rules.push(("own".into(), Box::new(own)));
        let flat: Vec<f64> = before.iter().chain(&run).copied().collect();
        let (flat, alone) = (probabilities(&flat), probabilities(&run));
        for (name, rule) in rules {
            for weights in WEIGHTS {
                // Runs of three steps, and the rest.
                let ends: Vec<usize> = (3..before.len()).step_by(3).chain([before.len(), flat.len()]).collect();
                let mut outcomes = vec![!outcome; ends.len()];
                outcomes[ends.len() - 1] = outcome;
                let mut sums = vec![0.0; ends.len()];
                let runs = Runs::new(flat, 0, &ends, &outcomes).unwrap();
                rule.weighted_sums(runs, weights, &mut sums);
                let single = rule.weighted_sum(alone, outcome, weights);
                prop_assert_eq!(sums[ends.len() - 1].to_bits(), single.to_bits());
                let plain = plain(weights, alone, |p| rule.score(p, outcome));
                prop_assert!(close(single, plain, 1e-12), "{name} {single} {plain}");
            }
        }
    }
}

/// Checks the log scores of runs, which are those of products, against sums of logarithms.
fn check(rule: LogScore, values: &[f64]) {
    let forecasts = probabilities(values);
    for outcome in [false, true] {
        for weights in WEIGHTS {
            let by_product = rule.weighted_sum(forecasts, outcome, weights);
            let by_logs = plain(weights, forecasts, |p| rule.score(p, outcome));
            if by_logs.is_infinite() {
                assert_eq!(by_product, by_logs);
            } else {
                assert_near(by_product, by_logs, 1e-12);
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
fn long_runs_and_runs_that_are_nearly_right_keep_their_digits() {
    for n in [1, 2, 15, 16, 17, 33, 100, 999, 1023, 1024, 2048] {
        for rule in [LogScore::exact(), LogScore::clipped(1e-6).unwrap()] {
            check(rule, &ordinary(n));
        }
        check(LogScore::exact(), &vec![1.0 - 1e-9; n]);
        check(LogScore::exact(), &vec![1e-5; n]);
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
