use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use scoring_rules::Error as Shared;
use trajectory_metrics::{
    Bootstrap, ClusterEstimate, Error, Interval, Level, Probability, Ranking, Replicates, Seed,
    SignFlipTest, Weight,
};

use super::{arms, counted_mean, level_of, uniform};

#[test]
fn undefined_results_and_invalid_input_are_typed_errors() {
    let (values, ids) = ([1.0, 2.0, 3.0], [0, 1, 2]);
    let mean = ClusterEstimate::mean::<u32>;
    assert!(matches!(
        mean(&values, None, &ids[..2]),
        Err(Error::ScoringRules(Shared::Length { what: "clusters", .. }))
    ));
    let short = mean(&values, Some(Weight::from_slice(&[1.0]).unwrap()), &ids);
    assert!(matches!(short, Err(Error::ScoringRules(Shared::Length { what: "weights", .. }))));
    assert_eq!(
        mean(&values, Some(Weight::from_slice(&[0.0; 3]).unwrap()), &ids),
        Err(Shared::Empty.into())
    );
    assert_eq!(mean(&[], None, &[]), Err(Shared::Empty.into()));
    const RANGE: &str = "from -1e100 to 1e100";
    let at =
        |what, index| Err(Shared::Entry { what, index, value: f64::INFINITY, range: RANGE }.into());
    let infinite = [1.0, f64::INFINITY, 1.0];
    assert_eq!(mean(&infinite, None, &ids), at("value", 1));
    assert_eq!(ClusterEstimate::ratio(&values, &infinite, None, &ids), at("denominator", 1));
    assert_eq!(
        SignFlipTest::new(&infinite, None, &ids, 0, Seed::new(0)).map(drop),
        at("difference", 1).map(drop)
    );
    assert!(matches!(
        mean(&[1.0, f64::NAN, 1.0], None, &ids),
        Err(Error::ScoringRules(Shared::Entry { .. }))
    ));
    let one = Err(Shared::TooFew { what: "clusters", least: 2, found: 1 }.into());
    assert_eq!(mean(&values, None, &[7; 3]), one);
    assert_eq!(mean(&values, Some(Weight::from_slice(&[1.0, 0.0, 0.0]).unwrap()), &ids), one);
    let ratio = ClusterEstimate::ratio(&values, &[1.0, -1.0, 0.0], None, &ids);
    assert!(matches!(
        ratio,
        Err(Error::ScoringRules(Shared::Setting { name: "sum of denominators", .. }))
    ));
    assert_eq!(
        ClusterEstimate::difference(&values, &arms(&[true; 3]), None, &ids),
        Err(Shared::Empty.into())
    );

    let many: Vec<usize> = (0..21).collect();
    let flips = SignFlipTest::new(&[1.0; 21], None, &many, 0, Seed::new(0));
    assert!(matches!(flips, Err(Error::ScoringRules(Shared::Setting { name: "flips", .. }))));
    let test = SignFlipTest::new(&[f64::INFINITY; 3], None, &ids, 0, Seed::new(0));
    assert!(matches!(test, Err(Error::ScoringRules(Shared::Entry { .. }))));

    assert_eq!(Bootstrap::rows(0, Seed::new(1)).map(drop), Err(Shared::Empty.into()));
    assert_eq!(Bootstrap::clusters::<u32>(&[], Seed::new(1)).map(drop), Err(Shared::Empty.into()));
    let bootstrap = Bootstrap::rows(3, Seed::new(0)).unwrap();
    let of = |values: &[f64], weights| bootstrap.mean(values, weights, 10).map(|_| ());
    assert!(matches!(
        of(&values[..2], None),
        Err(Error::ScoringRules(Shared::Length { what: "values", .. }))
    ));
    assert!(matches!(
        of(&[1.0, f64::NAN, 1.0], None),
        Err(Error::ScoringRules(Shared::Entry { index: 1, .. }))
    ));
    let weightless = of(&values, Some(Weight::from_slice(&[0.0; 3]).unwrap()));
    assert_eq!(weightless, Err(Shared::Empty.into()));
    let ranking = Ranking::new(&[Probability::HALF; 3], &[true; 3]).unwrap();
    assert!(matches!(bootstrap.auroc(&ranking, 10), Err(Error::OneClass { outcome: true })));
    let other = Bootstrap::rows(4, Seed::new(0)).unwrap().auroc(&ranking, 10);
    assert!(matches!(other, Err(Error::ScoringRules(Shared::Length { what: "counts", .. }))));
    let none = bootstrap.mean(&values, None, 0);
    assert!(matches!(none, Err(Error::ScoringRules(Shared::Undefined { .. }))));
}

fn ends(interval: Result<Interval, Error>) -> [f64; 2] {
    let interval = interval.unwrap();
    [interval.low(), interval.high()]
}

fn close(got: [f64; 2], want: [f64; 2]) {
    assert!((0..2).all(|i| (got[i] - want[i]).abs() < 1e-12), "{got:?} against {want:?}");
}

#[test]
fn replicates_that_mathematically_equal_the_estimate_are_ties_of_bca() {
    let nine_and_one = |a: f64, b: f64| [vec![a; 9], vec![b]].concat();
    let cases = [
        (nine_and_one(0.9, 0.1), [0.58, 0.9]),
        (nine_and_one(9.0, 1.0), [5.8, 9.0]),
        (vec![0.7, 0.7, 0.7, 0.7, 0.1, 0.1], [0.3, 0.7]),
        (vec![0.1; 7], [0.1, 0.1]),
        (vec![0.7; 3], [0.7, 0.7]),
    ];
    for (values, want) in cases {
        let (n, weights) = (values.len(), vec![1.0; values.len()]);
        let plain = |counts: &[u32]| {
            let sum: f64 = values.iter().zip(counts).map(|(v, &n)| v * f64::from(n)).sum();
            Ok(sum / f64::from(counts.iter().sum::<u32>()))
        };
        let exact = |counts: &[u32]| counted_mean(&values, &weights, counts);
        let rows = Bootstrap::rows(n, Seed::new(1)).unwrap();
        let jackknife = rows.jackknife(exact).unwrap();
        let [by_plain, by_exact] = rows.replicates(20_000, |counts| [plain(counts), exact(counts)]);
        let fast = rows.mean(&values, None, 20_000);
        // Twice the weight: no other result; a second weight: the other way of adding up.
        let weighted = rows.mean(&values, Some(Weight::from_slice(&vec![2.0; n]).unwrap()), 20_000);
        for replicates in [&fast, &weighted, &by_plain, &by_exact] {
            close(ends(replicates.as_ref().unwrap().bca_interval(&jackknife, level_of(0.9))), want);
        }
        let (fast, exact) = (fast.unwrap(), by_exact.unwrap());
        #[cfg(feature = "rayon")]
        close(
            ends(
                rows.par_mean(&values, None, 20_000)
                    .unwrap()
                    .bca_interval(&jackknife, level_of(0.9)),
            ),
            want,
        );
        // Rounding alone moves no replicate of the fast mean off its estimate.
        for (fast_value, exact_value) in fast.values().zip(exact.values()) {
            let tie = (exact_value.unwrap() - exact.estimate()).abs() < 1e-13;
            assert_eq!(fast_value == Some(fast.estimate()), tie);
        }
    }
}

#[test]
fn an_outlying_replicate_does_not_make_all_others_ties() {
    let values = vec![1.0, 2.0, 3.0, 4.0, 1e30];
    let far = Replicates::new(2.5, values).unwrap();
    let near = Replicates::new(2.5, vec![1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
    let low =
        |replicates: &Replicates| ends(replicates.bca_interval(&[1.0, 2.0, 3.0], Level::HALF))[0];
    assert_eq!(low(&far), low(&near));
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
            let mean =
                ClusterEstimate::mean(&values, Some(Weight::from_slice(&weights).unwrap()), &ids)
                    .unwrap();
            assert_eq!((mean.estimate, mean.standard_error), (value, 0.0));
            let mut second = [false; 7];
            second[3..].fill(true);
            let none = ClusterEstimate::difference(
                &values,
                &arms(&second),
                Some(Weight::from_slice(&weights).unwrap()),
                &ids,
            )
            .unwrap();
            assert_eq!((none.estimate, none.standard_error), (0.0, 0.0));
            let test = SignFlipTest::new(
                &values,
                Some(Weight::from_slice(&weights).unwrap()),
                &ids,
                0,
                Seed::new(0),
            )
            .unwrap();
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
    let varies = ClusterEstimate::mean(
        &[1e90, 1.0, 2.0, 3.0],
        Some(Weight::from_slice(&weights).unwrap()),
        &[0, 1, 2, 3],
    )
    .unwrap();
    assert!(varies.standard_error > 0.1);

    let mut generator = ChaCha8Rng::seed_from_u64(7);
    let raw: Vec<f64> = (0..40).map(|_| uniform(&mut generator)).collect();
    let other: Vec<f64> = raw.iter().map(|x| x + 0.1).collect();
    let rows = Bootstrap::rows(40, Seed::new(3)).unwrap();
    let of = |values: &[f64]| rows.mean(values, None, 500).unwrap();
    let change = of(&other).minus(&of(&raw)).unwrap();
    assert!((change.estimate() - 0.1).abs() < 1e-15);
    assert_eq!((change.standard_error(), change.in_standard_errors()), (Some(0.0), None));
    // The difference of two differences is measured by the same size.
    let again = change.minus(&of(&raw).minus(&of(&raw)).unwrap()).unwrap();
    assert_eq!(again.in_standard_errors(), None);
    close(ends(change.bca_interval(&[0.1; 40], level_of(0.9))), [0.1, 0.1]);
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
    let mean = ClusterEstimate::mean(&values, Some(Weight::from_slice(&weights).unwrap()), &groups)
        .unwrap();
    assert_eq!(mean, ClusterEstimate::mean(&without(&values), None, &["a", "c", "d"]).unwrap());
    let rows = Bootstrap::rows(4, Seed::new(3)).unwrap();
    for huge in [1e100, f64::INFINITY, f64::NEG_INFINITY] {
        let of = |value: f64| {
            rows.mean(
                &[1e-20, value, 3e-20, -2e-20],
                Some(Weight::from_slice(&weights).unwrap()),
                200,
            )
            .unwrap()
        };
        assert_eq!(of(huge), of(0.0));
    }
}

#[test]
fn a_resample_of_each_row_once_has_the_same_bits_as_the_mean_of_all_rows() {
    // On paper 0: what the sum of all rows leaves depends on the order in which they are drawn.
    let values = [0.1, 0.2, -0.3, 0.7, -0.7];
    let rows = Bootstrap::rows(5, Seed::new(2)).unwrap();
    let mut counts = Vec::new();
    for weights in [None, Some(&[0.5; 5][..])] {
        let replicates = rows
            .mean(&values, weights.map(|weights| Weight::from_slice(weights).unwrap()), 2_000)
            .unwrap();
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
            let test = SignFlipTest::new(&values, Some(&weights), &ids, 0, Seed::new(0)).unwrap();
            relative(test.mean, unit);
            let rows = Bootstrap::rows(3, Seed::new(1)).unwrap();
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
    let too_large = |what| Shared::Entry { what, index: 1, value: 1.1e100, range }.into();
    assert_eq!(ClusterEstimate::mean(&values, None, &ids), Err(too_large("value")));
    let ratio = ClusterEstimate::ratio(&[1.0; 3], &values, None, &ids);
    assert_eq!(ratio, Err(too_large("denominator")));
    let difference = ClusterEstimate::difference(&values, &arms(&[true, false, true]), None, &ids);
    assert_eq!(difference, Err(too_large("value")));
    assert_eq!(
        SignFlipTest::new(&values, None, &ids, 0, Seed::new(0)),
        Err(too_large("difference"))
    );
    let mean = Bootstrap::rows(3, Seed::new(1)).unwrap().mean(&values, None, 50);
    assert_eq!(mean, Err(too_large("value")));
}

#[test]
fn replicates_too_large_for_squares_have_intervals_and_no_standard_error() {
    let ends_of_range = Replicates::new(0.0, vec![-1.7e308, 1.7e308, 1.7e308]).unwrap();
    let [low, high] = ends(Ok(ends_of_range.percentile_interval(Level::HALF)));
    assert!(low.abs() < 1e293 && high == 1.7e308, "{low:e} {high:e}");
    let unbounded = Replicates::new(0.0, vec![f64::NEG_INFINITY, 0.0, f64::INFINITY]).unwrap();
    assert!(matches!(unbounded.basic_interval(level_of(0.9)), Err(Error::ScoringRules(_))));
    let error = |values: Vec<f64>| Replicates::new(0.0, values).unwrap().standard_error();
    assert!((error(vec![1e150, 2e150, 3e150]).unwrap() / 1e150 - 1.0).abs() < 1e-12);
    assert_eq!(error(vec![1e160, 2e160, 3e160]), None);
    // An infinite value makes some resamples infinite and leaves others finite.
    let rows = Bootstrap::rows(3, Seed::new(1)).unwrap();
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
        let clusters = Bootstrap::clusters(&groups, Seed::new(3)).unwrap();
        let means = clusters
            .mean(&values, weighted.then_some(Weight::from_slice(&weights[..]).unwrap()), 300)
            .unwrap();
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
    let rows = Bootstrap::rows(40, Seed::new(1)).unwrap();
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
    let rows = Bootstrap::rows(1 << 31, Seed::new(1));
    assert!(matches!(rows, Err(Error::ScoringRules(Shared::Setting { name: "rows", .. }))));
    let few = Bootstrap::rows(2, Seed::new(1)).unwrap();
    let values = [0.0, 1.0];
    assert!(few.mean(&values, None, 10_000_001).is_err());
    let [closure] = few.replicates(10_000_001, |_| [Ok(0.5)]);
    assert!(matches!(closure, Err(Error::ScoringRules(Shared::Setting { name: "resamples", .. }))));
}
