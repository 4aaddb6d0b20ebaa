//! Bins of blocks: what they contain, and bins of equal width against exact fractions.

use proptest::prelude::*;
use scoring_rules::{Binning, Block, Error, TiedBlocks};

use crate::common::{blocks, probabilities};

/// A row of success for each confidence.
fn successes(values: &[f64]) -> TiedBlocks {
    TiedBlocks::new(probabilities(values), &vec![true; values.len()], None).unwrap()
}

/// The first confidence of each bin.
fn starts(values: &[f64], binning: Binning<'_>) -> Result<Vec<f64>, Error> {
    let blocks = successes(values);
    let first = |bin: &[Block]| bin[0].confidence.get();
    Ok(binning.bins(&blocks)?.map(first).collect())
}

#[test]
fn every_bin_contains_its_upper_end_and_the_first_one_both_ends() {
    let tenths: Vec<f64> = (0..=10).map(|i| f64::from(i) / 10.0).collect();
    let first = [&tenths[..1], &tenths[2..]].concat();
    assert_eq!(starts(&tenths, Binning::EqualWidth { bins: 10 }).unwrap(), first);
    let inner = probabilities(&tenths[1..10]);
    assert_eq!(starts(&tenths, Binning::Edges { inner }).unwrap(), first);
    assert_eq!(starts(&tenths, Binning::Distinct).unwrap(), tenths);
    assert_eq!(starts(&tenths, Binning::Quantile { bins: 11 }).unwrap(), tenths);
}

#[test]
fn equal_edges_are_accepted_and_descending_edges_are_refused() {
    let edges = probabilities(&[0.2, 0.2, 0.9, 0.5]);
    let of = |inner| starts(&[0.1, 0.2, 0.9], Binning::Edges { inner });
    assert_eq!(of(&edges[..3]), Ok(vec![0.1, 0.9]));
    assert_eq!(of(&[]), Ok(vec![0.1]));
    assert!(matches!(
        of(edges),
        Err(Error::OutOfOrder { what: "edges", index: 3, before: 0.9, value: 0.5, .. })
    ));
}

#[test]
fn zero_bins_and_empty_blocks_are_errors() {
    for binning in [Binning::Quantile { bins: 0 }, Binning::EqualWidth { bins: 0 }] {
        let error = starts(&[0.5], binning).unwrap_err();
        assert!(matches!(error, Error::Setting { name: "bins", .. }), "{error}");
    }
    let none = TiedBlocks::default();
    assert!(matches!(Binning::Distinct.bins(&none).map(|_| ()), Err(Error::Empty)));
}

#[test]
fn there_are_never_more_bins_than_requested() {
    // The middle of the weight of the last block rounds to the total weight.
    let blocks = blocks(&[(0.1, true, 1.0), (0.9, true, 1e-30)]);
    assert_eq!(Binning::Quantile { bins: 1 }.bins(&blocks).unwrap().count(), 1);
}

/// The bin of `p` by integer arithmetic: the largest k below `bins` for which `k / bins`, rounded
/// to the nearest f64, is below p, or 0.
///
/// With `p = m 2^-e` this holds if `k / bins` is below the midpoint between p and the f64 before it, which is
/// `(4 m - 2) 2^-(e + 2)`, or `(4 m - 1) 2^-(e + 2)` if p is a power of two. The midpoint itself is rounded to even.
fn exact_bin(p: f64, bins: u32) -> u32 {
    let bits = p.to_bits();
    let exponent = (bits >> 52) as i32;
    if exponent < 1023 - 50 {
        // Far below the first edge above 0.
        return 0;
    }
    let mantissa = (bits & ((1 << 52) - 1)) | (1 << 52);
    let shift = (1075 - exponent) as u32;
    let before = if mantissa == 1 << 52 { 1 } else { 2 };
    let half_way = |k: u32| {
        let left = u128::from(k) << (shift + 2);
        let right = u128::from(bins) * u128::from(4 * mantissa - before);
        left.cmp(&right)
    };
    let passed = |k: &u32| match half_way(*k) {
        std::cmp::Ordering::Less => true,
        std::cmp::Ordering::Equal => !mantissa.is_multiple_of(2),
        std::cmp::Ordering::Greater => false,
    };
    (0..bins).rev().find(passed).unwrap()
}

/// The bin of each value. No bin may be empty.
fn found(values: &mut Vec<f64>, bins: u32) -> Vec<u32> {
    values.sort_by(f64::total_cmp);
    values.dedup();
    let blocks = successes(values);
    let binning = Binning::EqualWidth { bins: bins as usize };
    let sizes = binning.bins(&blocks).unwrap().map(<[Block]>::len);
    (0..).zip(sizes).flat_map(|(bin, size)| std::iter::repeat_n(bin, size)).collect()
}

fn edge(k: u32, bins: u32) -> f64 {
    f64::from(k) / f64::from(bins)
}

#[test]
fn a_forecast_of_k_nths_is_the_upper_end_of_its_bin_for_every_number_of_bins_up_to_200() {
    for bins in 1..=200 {
        let mut edges: Vec<f64> = (0..=bins).map(|k| edge(k, bins)).collect();
        let expected: Vec<u32> = std::iter::once(0).chain(0..bins).collect();
        assert_eq!(found(&mut edges, bins), expected, "{bins} bins");
    }
}

#[test]
fn forecasts_at_edges_that_products_round_are_in_the_bins_below() {
    // 100 * 0.29 is 28.999999999999996, and 100 * 0.07 is 7.000000000000001.
    for (p, bins, bin) in [(0.29, 100, 28), (0.58, 50, 28), (0.07, 100, 6), (0.14, 100, 13)] {
        let mut values: Vec<f64> = (0..bins).map(|k| edge(k, bins)).collect();
        let place = values.iter().position(|&value| value == p).unwrap();
        assert_eq!(found(&mut values, bins)[place], bin, "{p} in {bins} bins");
    }
}

#[test]
fn bins_agree_with_the_comparison_with_scikit_learn() {
    let sizes = |values: &[f64], binning: Binning<'_>| -> Vec<usize> {
        let blocks = successes(values);
        let rows = |bin: &[Block]| bin.iter().map(|block| block.weight() as usize).sum();
        binning.bins(&blocks).unwrap().map(rows).collect()
    };
    let width = Binning::EqualWidth { bins: 4 };
    assert_eq!(sizes(&[0.1, 0.25, 0.4, 0.5], width), [2, 2]);
    let halves = Binning::Quantile { bins: 2 };
    assert_eq!(sizes(&[0.1, 0.2, 0.3, 0.4, 0.5], halves), [2, 3]);
    let thirds = Binning::Quantile { bins: 3 };
    assert_eq!(sizes(&[0.1, 0.3, 0.3, 0.3, 0.8, 0.9], thirds), [1, 3, 2]);
}

proptest! {
    #[test]
    fn numbers_next_to_an_edge_and_any_others_are_in_the_exact_bin(
        bins in 1..=200_u32,
        others in prop::collection::vec(0.0..=1.0_f64, 0..40),
    ) {
        let edges = (0..bins).map(|k| edge(k, bins));
        let near = edges.flat_map(|at| [at.next_down().max(0.0), at, at.next_up()]);
        let mut values: Vec<f64> = near.chain(others).chain([1.0_f64.next_down(), 1.0]).collect();
        let bins_found = found(&mut values, bins);
        for (&p, bin) in values.iter().zip(bins_found) {
            prop_assert_eq!(bin, exact_bin(p, bins), "{} in {} bins", p, bins);
        }
    }
}
