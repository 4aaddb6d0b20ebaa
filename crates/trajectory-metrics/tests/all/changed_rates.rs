//! Whether a success rate changed, and which of many, against SciPy and by counting.
use proptest::prelude::*;
use trajectory_metrics::{Error, benjamini_hochberg, boschloo_test, scoring_rules};

use crate::common::numbers;

#[test]
fn p_values_are_those_of_scipy() {
    let mut n_rows = 0;
    for row in include_str!("../golden/changed_rates.csv").lines().skip(2) {
        let [kind, trials, given, found] = row.split(',').collect::<Vec<_>>().try_into().unwrap();
        if kind == "family" {
            let adjusted = benjamini_hochberg(&numbers(given)).unwrap();
            for (ours, theirs) in adjusted.iter().zip(numbers::<f64>(found)) {
                assert!((ours - theirs).abs() <= 1e-14 * theirs, "{row}");
            }
        } else {
            let pair = |text| numbers(text).try_into().unwrap();
            let ours = boschloo_test(pair(trials), pair(given)).unwrap();
            let theirs = numbers::<f64>(found)[0];
            // SciPy's search for the maximum ends at a relative 1e-6 of it.
            assert!((ours / theirs - 1.0).abs() < 1e-6, "{row}: {ours}");
        }
        n_rows += 1;
    }
    assert!(n_rows > 150);
}

/// For each design with equal rates, how often the p-value is at most a level is counted over all outcomes.
#[test]
fn equal_rates_are_called_different_no_more_often_than_the_level_says() {
    let choose = |n: u64, k: u64| (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product::<f64>();
    for [n, m] in [[2, 3], [5, 5], [5, 8], [9, 4], [12, 12]] {
        let outcomes = || (0..=n).flat_map(|a| (0..=m).map(move |b| [a, b]));
        let p: Vec<f64> = outcomes().map(|it| boschloo_test([n, m], it).unwrap()).collect();
        for level in [0.01, 0.05, 0.2] {
            for rate in (1..100).map(|percent| f64::from(percent) / 100.0) {
                let chance = |[a, b]: [u64; 2]| {
                    choose(n, a)
                        * choose(m, b)
                        * rate.powi((a + b) as i32)
                        * (1.0 - rate).powi((n + m - a - b) as i32)
                };
                let found: f64 = outcomes()
                    .zip(&p)
                    .filter(|(_, p)| **p <= level)
                    .map(|(it, _)| chance(it))
                    .sum();
                assert!(found <= level + 1e-12, "{n} {m} {level} {rate}: {found}");
            }
        }
    }
}

#[test]
fn counts_that_cannot_be_are_named() {
    for (trials, successes) in [([0, 5], [0, 2]), ([5, 5], [6, 0]), ([5, 20_000_000], [1, 1])] {
        let error = boschloo_test(trials, successes).unwrap_err();
        assert!(
            matches!(error, Error::ScoringRules(scoring_rules::Error::Setting { .. })),
            "{error:?}"
        );
    }
    for p in [f64::NAN, -0.1, 1.1] {
        let error = benjamini_hochberg(&[0.5, p]).unwrap_err();
        let Error::ScoringRules(scoring_rules::Error::Entry { index, .. }) = error else {
            panic!("{error:?}")
        };
        assert_eq!(index, 1);
    }
}

proptest! {
    #[test]
    fn neither_the_order_of_the_sides_nor_the_name_of_success_matters(
        n in 1_u64..40, m in 1_u64..40, x in 0.0..1.0_f64, y in 0.0..1.0_f64,
    ) {
        let (a, b) = ((x * (n + 1) as f64) as u64, (y * (m + 1) as f64) as u64);
        let p = boschloo_test([n, m], [a, b]).unwrap();
        prop_assert!(p > 0.0 && p <= 1.0);
        for other in [boschloo_test([m, n], [b, a]).unwrap(), boschloo_test([n, m], [n - a, m - b]).unwrap()] {
            prop_assert!((p / other - 1.0).abs() < 1e-7, "{p} {other}");
        }
    }

    #[test]
    fn adjusted_p_values_keep_the_order_and_are_no_smaller(p in prop::collection::vec(0.0..=1.0_f64, 0..30)) {
        let adjusted = benjamini_hochberg(&p).unwrap();
        for (i, own) in adjusted.iter().enumerate() {
            prop_assert!(*own >= p[i] && *own <= 1.0);
            prop_assert!((0..p.len()).all(|j| p[i] > p[j] || *own <= adjusted[j]));
        }
    }
}
