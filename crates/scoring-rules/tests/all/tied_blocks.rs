use proptest::prelude::*;
use scoring_rules::{Error, Probability, TiedBlocks, Weight, checks};

use crate::common::{prob, probabilities, weight_of, weights_of};

const HALF: Probability = Probability::HALF;

#[test]
fn arguments_of_different_lengths_and_empty_input_are_refused() {
    let of = |outcomes: &[bool], weights| TiedBlocks::new(&[HALF; 3], outcomes, weights);
    let length = |what, found| Err(checks::length(what, 3, found));
    assert_eq!(of(&[true; 2], None), length("outcomes", 2));
    assert_eq!(of(&[true; 3], Some(weights_of(&[1.0; 4]))), length("weights", 4));
    assert_eq!(of(&[true; 3], Some(weights_of(&[0.0; 3]))), Err(Error::Empty));
    assert_eq!(TiedBlocks::new(&[], &[], None), Err(Error::Empty));
    for weight in [1e-100, 1e100] {
        let weights = [weight; 3];
        let blocks = TiedBlocks::new(&[HALF; 3], &[true; 3], Some(weights_of(&weights))).unwrap();
        assert_eq!((blocks.failures(), blocks.successes()), (0.0, weight + weight + weight));
    }
}

#[test]
fn a_refill_that_fails_leaves_no_blocks() {
    let mut blocks = TiedBlocks::new(&[HALF], &[true], None).unwrap();
    assert_eq!(blocks.refill([(HALF, true, Weight::ZERO)]), Err(Error::Empty));
    assert_eq!(blocks, TiedBlocks::default());
}

#[test]
#[should_panic(expected = "row 1: the confidence 0 is below an earlier one")]
fn a_refill_with_unsorted_rows_panics() {
    let rows = [(HALF, true, Weight::ONE), (Probability::ZERO, true, Weight::ONE)];
    let _ = TiedBlocks::default().refill(rows);
}

#[test]
fn zeros_of_either_sign_are_one_confidence() {
    for n in [2, 16, 10_000] {
        let zeros: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { 0.0 } else { -0.0 }).collect();
        let zeros = probabilities(&zeros);
        for weights in [None, Some(vec![1.0; n])] {
            let weights = weights.as_deref().map(weights_of);
            let blocks = TiedBlocks::new(zeros, &vec![true; n], weights).unwrap();
            assert_eq!(blocks.as_slice().len(), 1);
            assert!(blocks.as_slice()[0].confidence.get().is_sign_positive());
            assert_eq!((blocks.failures(), blocks.successes()), (0.0, n as f64));
        }
    }
}

/// The blocks by comparison of rows.
fn by_comparison(mut rows: Vec<(Probability, bool, f64)>) -> TiedBlocks {
    rows.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then_with(|| a.2.total_cmp(&b.2)));
    let mut blocks = TiedBlocks::default();
    blocks.refill(rows.into_iter().map(|(p, outcome, w)| (p, outcome, weight_of(w)))).unwrap();
    blocks
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn counting_sorting_and_reused_memory_give_equal_blocks(
        n in prop_oneof![1_usize..40, 4_000_usize..12_000],
        decimals in 0..7_i32,
        seed in any::<u64>(),
    ) {
        let steps = 10.0_f64.powi(decimals);
        let mut state = seed | 1;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let values: Vec<f64> = (0..n).map(|_| (next() * steps).round() / steps).collect();
        let outcomes: Vec<bool> = values.iter().map(|&p| next() < p).collect();
        let weights: Vec<f64> = (0..n).map(|_| 0.1 + next()).collect();
        let confidence = probabilities(&values);
        let mut blocks = TiedBlocks::new(&[HALF; 20], &[true; 20], Some(weights_of(&[1.0; 20]))).unwrap();
        for weights in [None, Some(&weights[..])] {
            let rows = confidence.iter().zip(&outcomes).enumerate();
            let rows = rows.map(|(i, (&p, &y))| (p, y, weights.map_or(1.0, |w| w[i])));
            let expected = by_comparison(rows.collect());
            let weights = weights.map(weights_of);
            blocks.rebuild(confidence, &outcomes, weights).unwrap();
            prop_assert_eq!(&blocks, &expected);
            let new = TiedBlocks::new(confidence, &outcomes, weights).unwrap();
            prop_assert_eq!(&new, &expected);
        }
    }
}

/// Confidences with various numbers of equal leading bits.
fn crowded() -> impl Strategy<Value = f64> {
    prop_oneof![
        0.0..=1.0_f64,
        (0..4_000_u64).prop_map(|i| f64::from_bits(0.7_f64.to_bits() + i * i)),
        (0..1_000_i32).prop_map(|i| 2.0_f64.powi(-i)),
        (0..4_000_u64).prop_map(f64::from_bits),
        (0..4_000_u64).prop_map(|i| f64::from_bits(1.0_f64.to_bits() - i)),
        Just(0.0),
        Just(-0.0),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]
    #[test]
    fn sorting_by_digits_agrees_with_a_comparison_of_crowded_confidences(
        // More than are counted without sorting, or fewer.
        some in prop::collection::vec((crowded(), any::<bool>()), 1..4_000),
        spread in any::<bool>(),
        n in 1_usize..20_000,
        only in prop::option::of(any::<bool>()),
    ) {
        let row = |i: usize| {
            let (p, outcome) = some[i * i % some.len()];
            let outcome = only.unwrap_or(outcome);
            // With or without additional ties broken.
            let p = if spread { (p + i as f64 / 3e4).fract() } else { p };
            (prob(p), outcome)
        };
        let (confidence, outcomes): (Vec<_>, Vec<_>) = (0..n).map(row).unzip();
        let expected = by_comparison((0..n).map(row).map(|(p, y)| (p, y, 1.0)).collect());
        prop_assert_eq!(TiedBlocks::new(&confidence, &outcomes, None).unwrap(), expected);
    }
}

proptest! {
    #[test]
    fn blocks_of_scores_in_0_to_1_have_the_same_bits_as_blocks_of_probabilities(
        rows in prop::collection::vec((0..40_u32, any::<bool>(), 0..4_u32), 1..200),
    ) {
        let values: Vec<f64> = rows.iter().map(|row| f64::from(row.0) / 39.0).collect();
        let outcomes: Vec<bool> = rows.iter().map(|row| row.1).collect();
        let weights: Vec<f64> = rows.iter().map(|row| f64::from(row.2) / 3.0).collect();
        for weights in [None, Some(weights_of(&weights))] {
            let confidence = probabilities(&values);
            let of_scores = TiedBlocks::from_scores(&values, &outcomes, weights);
            match (TiedBlocks::new(confidence, &outcomes, weights), of_scores) {
                (Ok(a), Ok(b)) => {
                    prop_assert_eq!([a.failures(), a.successes()], [b.failures(), b.successes()]);
                    prop_assert_eq!(a.as_slice().len(), b.as_slice().len());
                    for (a, b) in a.as_slice().iter().zip(b.as_slice()) {
                        prop_assert_eq!(a.confidence.get(), b.confidence.get());
                        prop_assert_eq!((a.failures, a.successes), (b.failures, b.successes));
                    }
                }
                (a, b) => prop_assert_eq!(a.err(), b.err()),
            }
        }
    }
}

#[test]
fn a_score_that_is_not_finite_is_named() {
    for value in [f64::INFINITY, f64::NEG_INFINITY] {
        let error = TiedBlocks::from_scores(&[0.5, value], &[true; 2], None).unwrap_err();
        let Error::NotFiniteAt { what: "scores", index: 1, value: found, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(found, value);
    }
    let zeros = TiedBlocks::from_scores(&[0.0, -0.0], &[true; 2], None).unwrap();
    assert_eq!(zeros.as_slice().len(), 1);
}

#[test]
fn blocks_are_shown_without_the_memory_for_reuse() {
    let mut blocks = TiedBlocks::new(&[HALF; 9], &[true; 9], None).unwrap();
    blocks.rebuild(&[HALF], &[true], None).unwrap();
    assert_eq!(
        format!("{blocks:?}"),
        "TiedBlocks { blocks: [Block { confidence: 0.5, failures: 0.0, successes: 1.0 }], \
         class_weights: (0.0, 1.0), scratch: Scratch { .. } }"
    );
}
