use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use scoring_rules::Error as Shared;
use trajectory_metrics::{
    Bootstrap, ClusterEstimate, Error, Level, Probability, Ranking, Replicates, Seed, SignFlipTest,
    Weight,
};

use crate::common::{arms, counted_mean, refused, shared, uniform, ws};

#[test]
fn undefined_results_and_invalid_input_are_typed_errors() {
    let (values, ids) = ([1.0, 2.0, 3.0], [0, 1, 2]);
    let mean = ClusterEstimate::mean::<u32>;
    assert_eq!(refused(mean(&values, None, &ids[..2])), "clusters");
    assert_eq!(refused(mean(&values, Some(ws(&[1.0])), &ids)), "weights");
    for empty in [mean(&values, Some(ws(&[0.0; 3])), &ids), mean(&[], None, &[])] {
        assert_eq!(shared(empty), Shared::Empty);
    }
    let flip = |values: &[f64], ids: &[u32]| SignFlipTest::new(values, None, ids, 0, Seed(0));
    for value in [f64::NAN, f64::INFINITY] {
        assert!(matches!(shared(mean(&[1.0, value, 1.0], None, &ids)), Shared::Entry { .. }));
    }
    for one in [mean(&values, None, &[7; 3]), mean(&values, Some(ws(&[1.0, 0.0, 0.0])), &ids)] {
        assert!(matches!(shared(one), Shared::TooFew { what: "clusters", least: 2, found: 1, .. }));
    }
    let ratio = ClusterEstimate::ratio(&values, &[1.0, -1.0, 0.0], None, &ids);
    assert_eq!(refused(ratio), "sum of denominators");
    let difference = ClusterEstimate::difference(&values, &arms(&[true; 3]), None, &ids);
    assert_eq!(shared(difference), Shared::Empty);
    let many: Vec<u32> = (0..21).collect();
    assert_eq!(refused(flip(&[1.0; 21], &many)), "flips");
    assert_eq!(shared(Bootstrap::rows(0, Seed(1))), Shared::Empty);
    assert_eq!(shared(Bootstrap::clusters::<u32>(&[], Seed(1))), Shared::Empty);
    let bootstrap = Bootstrap::rows(3, Seed(0)).unwrap();
    let of = |values: &[f64], weights| bootstrap.mean(values, weights, 10);
    assert_eq!(refused(of(&values[..2], None)), "values");
    assert!(matches!(shared(of(&[1.0, f64::NAN, 1.0], None)), Shared::Entry { index: 1, .. }));
    assert_eq!(shared(of(&values, Some(ws(&[0.0; 3])))), Shared::Empty);
    let ranking = Ranking::new(&[Probability::HALF; 3], &[true; 3]).unwrap();
    assert!(matches!(bootstrap.auroc(&ranking, 10), Err(Error::OneClass { outcome: true, .. })));
    let other = Bootstrap::rows(4, Seed(0)).unwrap().auroc(&ranking, 10);
    assert_eq!(refused(other), "counts");
    assert!(matches!(shared(bootstrap.mean(&values, None, 0)), Shared::Undefined { .. }));
}

/// Rounding alone moves no replicate of the fast mean off its estimate.
#[test]
fn replicates_that_mathematically_equal_the_estimate_are_the_estimate() {
    let nine_and_one = |a: f64, b: f64| [vec![a; 9], vec![b]].concat();
    for values in
        [nine_and_one(0.9, 0.1), nine_and_one(9.0, 1.0), vec![0.7, 0.7, 0.1], vec![0.1; 7]]
    {
        let (n, weights) = (values.len(), vec![1.0; values.len()]);
        let rows = Bootstrap::rows(n, Seed(1)).unwrap();
        let [exact] = rows.replicates(2_000, |counts| [counted_mean(&values, &weights, counts)]);
        let exact = exact.unwrap();
        // Twice the weight: no other result; a second weight: the other way of adding up.
        for weights in [None, Some(ws(&vec![2.0; n]))] {
            let fast = rows.mean(&values, weights, 2_000).unwrap();
            for (fast_value, exact_value) in fast.values().zip(exact.values()) {
                let tie = (exact_value.unwrap() - exact.estimate()).abs() < 1e-13;
                assert_eq!(fast_value == Some(fast.estimate()), tie);
            }
        }
    }
    // A small spread above rounding stays a spread.
    let narrow = Replicates::new(1.0, vec![1.0, 1.0 + 1e-12, 1.0 - 1e-12]).unwrap();
    assert!((narrow.standard_error().unwrap() - 1e-12).abs() < 1e-15);
}

#[test]
fn constant_values_have_a_standard_error_of_0() {
    for value in [0.7, 0.1, 1e100 / 3.0, -1e-100 / 3.0] {
        for weight in [1.0, 0.1, 1e-100] {
            let (values, weights) = ([value; 7], [weight; 7]);
            let ids = [0, 1, 2, 3, 4, 5, 5];
            let mean = ClusterEstimate::mean(&values, Some(ws(&weights)), &ids).unwrap();
            assert_eq!((mean.estimate, mean.standard_error), (value, 0.0));
            let mut second = [false; 7];
            second[3..].fill(true);
            let none =
                ClusterEstimate::difference(&values, &arms(&second), Some(ws(&weights)), &ids)
                    .unwrap();
            assert_eq!((none.estimate, none.standard_error), (0.0, 0.0));
            let test = SignFlipTest::new(&values, Some(ws(&weights)), &ids, 0, Seed(0)).unwrap();
            assert_eq!((test.mean, test.p_value), (value, 2.0 / 64.0));
        }
    }
    // All ratios 0.1, all gains 0.2: what is left is rounding.
    let rate =
        ClusterEstimate::ratio(&[0.1, 0.3, 0.7], &[1.0, 3.0, 7.0], None, &[0, 1, 2]).unwrap();
    assert_eq!(rate.standard_error, 0.0);
    let (scores, second) = ([0.2, 0.4, 0.5, 0.7], [false, true, false, true]);
    let gain =
        ClusterEstimate::difference(&scores, &arms(&second), None, &["a", "a", "b", "b"]).unwrap();
    assert_eq!(gain.standard_error, 0.0);
    // A heavy weight elsewhere does not hide what varies.
    let weights = [1e-100, 1.0, 1.0, 1.0];
    let varies =
        ClusterEstimate::mean(&[1e90, 1.0, 2.0, 3.0], Some(ws(&weights)), &[0, 1, 2, 3]).unwrap();
    assert!(varies.standard_error > 0.1);

    let mut generator = ChaCha8Rng::seed_from_u64(7);
    let raw: Vec<f64> = (0..40).map(|_| uniform(&mut generator)).collect();
    let other: Vec<f64> = raw.iter().map(|x| x + 0.1).collect();
    let rows = Bootstrap::rows(40, Seed(3)).unwrap();
    let of = |values: &[f64]| rows.mean(values, None, 500).unwrap();
    let change = of(&other).minus(&of(&raw)).unwrap();
    assert!((change.estimate() - 0.1).abs() < 1e-15);
    assert_eq!((change.standard_error(), change.in_standard_errors()), (Some(0.0), None));
    // The difference of two differences is measured by the same size.
    let again = change.minus(&of(&raw).minus(&of(&raw)).unwrap()).unwrap();
    assert_eq!(again.in_standard_errors(), None);
}

#[test]
fn a_small_spread_of_many_rows_is_not_taken_for_rounding() {
    // Half of the rows 2^-41 below their mean, half above it: about 5e-13, the error of the mean of
    // a hundred about 5e-14.
    let half = 2.0_f64.powi(-41);
    let values: Vec<f64> = (0..200).map(|i| 0.75 + f64::from(i % 2) * 2.0 * half).collect();
    let ids: Vec<usize> = (0..200).collect();
    let near = |got: f64, want: f64| assert!((got / want - 1.0).abs() < 1e-3, "{got:e} {want:e}");
    let mean = ClusterEstimate::mean(&values[..100], None, &ids[..100]).unwrap();
    near(mean.standard_error, half / 99.0_f64.sqrt());
    let ratio = ClusterEstimate::ratio(&values[..100], &[1.0; 100], None, &ids[..100]).unwrap();
    near(ratio.standard_error, half / 99.0_f64.sqrt());
    let second: Vec<bool> = ids.iter().map(|id| id / 2 % 2 == 1).collect();
    let gain = ClusterEstimate::difference(&values, &arms(&second), None, &ids).unwrap();
    assert_eq!(gain.estimate, 0.0);
    // Two independent means of 100 rows.
    near(gain.standard_error, half * (2.0 / 99.0_f64).sqrt());
}

#[test]
fn a_row_of_weight_0_has_no_effect_for_any_value() {
    let (values, groups) = ([1e-20, 1e100, 3e-20, -2e-20], ["a", "b", "c", "d"]);
    let weights = [1.0, 0.0, 1.0, 1.0];
    let without = |list: &[f64]| [list[0], list[2], list[3]];
    let mean = ClusterEstimate::mean(&values, Some(ws(&weights)), &groups).unwrap();
    assert_eq!(mean, ClusterEstimate::mean(&without(&values), None, &["a", "c", "d"]).unwrap());
    let rows = Bootstrap::rows(4, Seed(3)).unwrap();
    for huge in [1e100, f64::INFINITY, f64::NEG_INFINITY] {
        let of = |value: f64| {
            rows.mean(&[1e-20, value, 3e-20, -2e-20], Some(ws(&weights)), 200).unwrap()
        };
        assert_eq!(of(huge), of(0.0));
    }
}

#[test]
fn a_resample_of_each_row_once_has_the_same_bits_as_the_mean_of_all_rows() {
    // On paper 0: what the sum of all rows leaves depends on the order in which they are drawn.
    let values = [0.1, 0.2, -0.3, 0.7, -0.7];
    let rows = Bootstrap::rows(5, Seed(2)).unwrap();
    let mut counts = Vec::new();
    for weights in [None, Some(&[0.5; 5][..])] {
        let replicates = rows.mean(&values, weights.map(ws), 2_000).unwrap();
        let mut seen = 0;
        for (replicate, value) in replicates.values().enumerate() {
            rows.draw(replicate as u64, &mut counts);
            if counts == [1; 5] {
                assert_eq!(value, Some(replicates.estimate()));
                seen += 1;
            }
        }
        assert!(seen > 40, "{seen}");
    }
}

#[test]
fn values_up_to_1e100_are_averaged_and_larger_ones_are_refused() {
    let ids = [0, 1, 2];
    let relative = |got: f64, want: f64| {
        assert!((got / want - 1.0).abs() < 1e-12, "{got:e} against {want:e}");
    };
    let plain = ClusterEstimate::mean(&[1.0, -1.0, 3.0], None, &ids).unwrap();
    for unit in [1e-100, 3e99] {
        for weight in [1e-100, 1e100] {
            let weights = [Weight::new(weight).unwrap(); 3];
            let values = [unit, -unit, 3.0 * unit];
            let mean = ClusterEstimate::mean(&values, Some(&weights), &ids).unwrap();
            relative(mean.estimate, unit);
            relative(mean.standard_error, plain.standard_error * unit);
            let test = SignFlipTest::new(&values, Some(&weights), &ids, 0, Seed(0)).unwrap();
            relative(test.mean, unit);
            let rows = Bootstrap::rows(3, Seed(1)).unwrap();
            let resampled = rows.mean(&values, Some(&weights), 50).unwrap();
            let in_ones = rows.mean(&[1.0, -1.0, 3.0], None, 50).unwrap();
            let [error, want] = [resampled, in_ones].map(|mean| mean.standard_error().unwrap());
            relative(error, want * unit);
        }
    }
    let tiny = ClusterEstimate::ratio(&[1e-310, 3e-310, 2e-310], &[1e-310; 3], None, &ids).unwrap();
    assert!((tiny.estimate - 2.0).abs() < 1e-12 && tiny.standard_error > 0.5);
    let over_tiny = ClusterEstimate::ratio(&[1.0, 2.0, 3.0], &[1e-310; 3], None, &ids);
    assert!(matches!(over_tiny, Err(Error::ScoringRules(_))), "{over_tiny:?}");

    let values = [1.0, 1.1e100, 1.0];
    let range = "from -1e100 to 1e100";
    let too_large = |what| scoring_rules::checks::entry(what, 1, 1.1e100, range).into();
    assert_eq!(ClusterEstimate::mean(&values, None, &ids), Err(too_large("value")));
    let ratio = ClusterEstimate::ratio(&[1.0; 3], &values, None, &ids);
    assert_eq!(ratio, Err(too_large("denominator")));
    let difference = ClusterEstimate::difference(&values, &arms(&[true, false, true]), None, &ids);
    assert_eq!(difference, Err(too_large("value")));
    assert_eq!(SignFlipTest::new(&values, None, &ids, 0, Seed(0)), Err(too_large("difference")));
    let mean = Bootstrap::rows(3, Seed(1)).unwrap().mean(&values, None, 50);
    assert_eq!(mean, Err(too_large("value")));
}

#[test]
fn replicates_too_large_for_squares_have_intervals_and_no_standard_error() {
    let ends_of_range = Replicates::new(0.0, vec![-1.7e308, 1.7e308, 1.7e308]).unwrap();
    let ends = ends_of_range.figure(Level::HALF).interval.unwrap();
    assert!(ends.low().abs() < 1e293 && ends.high() == 1.7e308, "{ends:?}");
    let error = |values: Vec<f64>| Replicates::new(0.0, values).unwrap().standard_error();
    assert!((error(vec![1e150, 2e150, 3e150]).unwrap() / 1e150 - 1.0).abs() < 1e-12);
    assert_eq!(error(vec![1e160, 2e160, 3e160]), None);
    // An infinite value makes some resamples infinite and leaves others finite.
    let rows = Bootstrap::rows(3, Seed(1)).unwrap();
    let mean = rows.mean(&[1.0, 2.0, f64::NEG_INFINITY], None, 500).unwrap();
    assert_eq!((mean.estimate(), mean.standard_error()), (f64::NEG_INFINITY, None));
    assert!(mean.values().any(|value| value == Some(1.0)));
}

#[test]
fn replicates_of_clusters_do_not_depend_on_the_order_of_rows_to_the_bit() {
    let mut generator = ChaCha8Rng::seed_from_u64(8);
    let rows: Vec<(usize, f64, f64)> = (0..200)
        .map(|row| (row % 11, uniform(&mut generator), 0.1 + uniform(&mut generator)))
        .collect();
    let of = |rows: &[(usize, f64, f64)], weighted: bool| -> Vec<u64> {
        let groups: Vec<usize> = rows.iter().map(|row| row.0).collect();
        let values: Vec<f64> = rows.iter().map(|row| row.1).collect();
        let weights: Vec<f64> = rows.iter().map(|row| row.2).collect();
        let clusters = Bootstrap::clusters(&groups, Seed(3)).unwrap();
        let means = clusters.mean(&values, weighted.then_some(ws(&weights[..])), 300).unwrap();
        means.values().map(|value| value.unwrap().to_bits()).collect()
    };
    let mut mixed = rows.clone();
    mixed.sort_by(|a, b| a.1.total_cmp(&b.1));
    for weighted in [false, true] {
        assert_eq!(of(&mixed, weighted), of(&rows, weighted));
    }
}

#[test]
fn a_constant_difference_of_large_values_varies_by_no_more_than_their_rounding() {
    let raw: Vec<f64> = (0..40).map(|row| 1e6 * f64::from(row).sin()).collect();
    let shifted: Vec<f64> = raw.iter().map(|value| value + 0.1).collect();
    let rows = Bootstrap::rows(40, Seed(1)).unwrap();
    let mean = |values: &[f64]| rows.mean(values, None, 500).unwrap();
    let change = mean(&shifted).minus(&mean(&raw)).unwrap();
    // Numbers near 1e6 are rounded by 1e-10, which is far more than 1e-13 of the difference.
    let distinct: std::collections::BTreeSet<u64> =
        change.values().map(|value| value.unwrap().to_bits()).collect();
    assert!(distinct.len() > 1, "{}", distinct.len());
    assert_eq!((change.standard_error(), change.in_standard_errors()), (Some(0.0), None));
}

#[test]
fn too_many_rows_or_resamples_are_refused_before_any_allocation() {
    assert_eq!(refused(Bootstrap::rows(1 << 31, Seed(1))), "rows");
    let few = Bootstrap::rows(2, Seed(1)).unwrap();
    assert_eq!(refused(few.mean(&[0.0, 1.0], None, 10_000_001)), "resamples");
    let [closure] = few.replicates(10_000_001, |_| [Ok(0.5)]);
    assert_eq!(refused(closure), "resamples");
}
