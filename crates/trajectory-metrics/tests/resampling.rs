//! Bootstrap, cluster-robust errors and the permutation test: reference values and laws.
#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

use proptest::{collection::vec, prelude::*};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use trajectory_metrics::{
    Bootstrap, BootstrapInterval, ClusterEstimate, Error, ExactMean, Level, Probability, Ranking,
    Replicates, TiedBlocks, auroc, cluster_difference, cluster_mean, cluster_ratio, sign_flip_test,
};

fn level_of(value: f64) -> Level {
    Level::new(value).unwrap()
}

fn numbers(list: &str) -> Vec<f64> {
    list.split(' ').map(|number| number.parse().unwrap()).collect()
}

fn rows(file: &str) -> impl Iterator<Item = Vec<&str>> {
    let lines = file.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines.map(|line| line.split(',').collect())
}

#[test]
fn standard_errors_and_intervals_of_fixed_replicates_equal_those_of_scipy_to_1e_12() {
    let (mut seen, mut worst) = (0, 0.0_f64);
    for row in rows(include_str!("golden/bootstrap.csv")) {
        let [name, level, estimate, replicates, jackknife, ref want @ ..] = row[..] else {
            panic!("{row:?}")
        };
        let (level, estimate) =
            (level_of(level.parse().unwrap()), estimate.parse::<f64>().unwrap());
        let replicates = Replicates::new(estimate, numbers(replicates)).unwrap();
        let ends = |interval: Result<BootstrapInterval, Error>| {
            let interval = interval.unwrap();
            assert_eq!(interval.standard_error, replicates.standard_error());
            [interval.low, interval.high]
        };
        let [low, high] = ends(Ok(replicates.percentile(level)));
        let [basic_low, basic_high] = ends(replicates.basic(level));
        let [bca_low, bca_high] = ends(replicates.bca(level, &numbers(jackknife)));
        let error = replicates.standard_error().unwrap();
        let got = [error, low, high, basic_low, basic_high, bca_low, bca_high];
        assert_eq!(want.len(), got.len());
        for (got, want) in got.iter().zip(want) {
            let want: f64 = want.parse().unwrap();
            // In units of the spread: an end may be anywhere, 0 too.
            let off = (got - want).abs() / error.max(want.abs());
            assert!(off <= 1e-12, "{name} at {level}: {got} against {want}, off by {off:e}");
            worst = worst.max(off);
        }
        seen += 1;
    }
    assert!(seen >= 50, "{seen} rows");
    println!("intervals: largest error {worst:.1e} in {seen} rows");
}

#[test]
fn cluster_errors_equal_those_of_statsmodels_and_p_values_those_of_scipy() {
    let (mut seen, mut worst) = (0, 0.0_f64);
    for row in rows(include_str!("golden/clusters.csv")) {
        let [kind, y, x, weights, groups, ref want @ ..] = row[..] else { panic!("{row:?}") };
        let (y, x, weights) = (numbers(y), numbers(x), numbers(weights));
        let groups: Vec<u32> = groups.split(' ').map(|group| group.parse().unwrap()).collect();
        let second: Vec<bool> = x.iter().map(|&x| x == 1.0).collect();
        let weights = Some(&weights[..]);
        let estimate = |of: ClusterEstimate| (of.estimate, of.standard_error, of.clusters);
        let got = match kind {
            "mean" => estimate(cluster_mean(&y, weights, &groups).unwrap()),
            "ratio" => estimate(cluster_ratio(&y, &x, weights, &groups).unwrap()),
            "difference" => estimate(cluster_difference(&y, &second, weights, &groups).unwrap()),
            "sign flip" => {
                let test = sign_flip_test(&y, weights, &groups, 0, 0).unwrap();
                assert!(test.exact);
                (test.mean, test.p_value, test.clusters)
            }
            other => panic!("{other}"),
        };
        let want: Vec<f64> = want.iter().map(|number| number.parse().unwrap()).collect();
        for (got, want) in [got.0, got.1, got.2 as f64].iter().zip(want) {
            let off = (got - want).abs() / want.abs();
            assert!(off <= 1e-12, "{kind} {groups:?}: {got} against {want}, off by {off:e}");
            worst = worst.max(off);
        }
        seen += 1;
    }
    assert!(seen >= 50, "{seen} rows");
    println!("clusters: largest relative error {worst:.1e} in {seen} rows");
}

#[test]
fn resamples_come_as_often_as_all_n_to_the_n_draws_say() {
    // 4^4 draws; a resample with these counts is made by 4! / (product of counts!) of them.
    let bootstrap = Bootstrap::rows(4, 3).unwrap();
    let factorial = |n: u32| f64::from((1..=n).product::<u32>());
    let resamples = 100_000;
    let mut seen = std::collections::BTreeMap::<Vec<u32>, u32>::new();
    let mut counts = Vec::new();
    for replicate in 0..resamples {
        bootstrap.draw(replicate, &mut counts);
        *seen.entry(counts.clone()).or_default() += 1;
    }
    assert_eq!(seen.len(), 35);
    for (counts, times) in seen {
        let ways = 24.0 / counts.iter().map(|&n| factorial(n)).product::<f64>();
        let p = ways / 256.0;
        let (mean, deviation) = (p * resamples as f64, (p * (1.0 - p) * resamples as f64).sqrt());
        assert!((f64::from(times) - mean).abs() < 5.0 * deviation, "{counts:?}: {times}");
    }
}

/// The mean by a closure on counts.
fn counted_mean(values: &[f64], weights: &[f64], counts: &[u32]) -> Result<f64, Error> {
    let mut mean = ExactMean::default();
    for ((&value, &weight), &count) in values.iter().zip(weights).zip(counts) {
        mean.update_weighted(value, weight * f64::from(count))?;
    }
    Ok(mean.finish()?)
}

fn same(fast: &Result<Replicates, Error>, slow: &Result<Replicates, Error>) {
    match (fast, slow) {
        (Ok(fast), Ok(slow)) => {
            assert!((fast.estimate() - slow.estimate()).abs() <= 1e-12);
            assert_eq!(fast.values().len(), slow.values().len());
            for (fast, slow) in fast.values().zip(slow.values()) {
                let close = match (fast, slow) {
                    (Some(fast), Some(slow)) => (fast - slow).abs() <= 1e-12,
                    (fast, slow) => fast == slow,
                };
                assert!(close, "{fast:?} {slow:?}");
            }
            // The same draws, so that the two can be compared.
            fast.minus(slow).unwrap();
        }
        (fast, slow) => assert_eq!(fast.as_ref().err(), slow.as_ref().err()),
    }
}

/// By row, by row with names, by task.
fn bootstraps(n: usize, seed: u64) -> [Bootstrap; 3] {
    let names: Vec<usize> = (0..n).rev().collect();
    let tasks: Vec<usize> = (0..n).map(|row| row * 7 % (n / 3 + 1)).collect();
    [
        Bootstrap::rows(n, seed).unwrap(),
        Bootstrap::clusters(&names, seed).unwrap(),
        Bootstrap::clusters(&tasks, seed).unwrap(),
    ]
}

type Row = (f64, bool, u32);

fn some_rows() -> impl Strategy<Value = Vec<Row>> {
    let confidence = prop_oneof![0.0..=1.0_f64, (0..=5_u32).prop_map(|p| f64::from(p) / 5.0)];
    vec((confidence, any::<bool>(), 0..4_u32), 1..40)
}

proptest! {
    #[test]
    fn the_fast_mean_and_auroc_equal_closures_on_counts(rows in some_rows(), seed in any::<u64>()) {
        let values: Vec<f64> = rows.iter().map(|row| row.0).collect();
        let outcomes: Vec<bool> = rows.iter().map(|row| row.1).collect();
        let weights: Vec<f64> = rows.iter().map(|row| row.2.into()).collect();
        let equal = vec![1.0; rows.len()];
        let ranking = Ranking::new(Probability::from_slice(&values).unwrap(), &outcomes).unwrap();
        let mut blocks = TiedBlocks::default();
        for bootstrap in bootstraps(rows.len(), seed) {
            let [plain, weighted, area] = bootstrap.replicates(20, |counts| [
                counted_mean(&values, &equal, counts),
                counted_mean(&values, &weights, counts),
                ranking.resample(counts, &mut blocks).and_then(|()| auroc(&blocks)),
            ]);
            same(&bootstrap.mean(&values, None, 20), &plain);
            same(&bootstrap.mean(&values, Some(&weights), 20), &weighted);
            same(&bootstrap.auroc(&ranking, 20), &area);
        }
    }

    #[test]
    fn a_weight_of_2_is_the_row_twice_and_order_leaves_no_trace(
        rows in vec((-3.0..3.0_f64, any::<bool>(), 0..9_u32, 0..3_usize), 2..30),
    ) {
        let weights: Vec<f64> = rows.iter().map(|row| [1.0, 2.0, 0.0][row.3]).collect();
        let mut twice: Vec<_> =
            rows.iter().flat_map(|row| vec![*row; [1, 2, 0][row.3]]).collect();
        let of = |rows: &[(f64, bool, u32, usize)], weights: Option<&[f64]>| {
            let values: Vec<f64> = rows.iter().map(|row| row.0).collect();
            let second: Vec<bool> = rows.iter().map(|row| row.1).collect();
            let groups: Vec<u32> = rows.iter().map(|row| row.2).collect();
            let steps: Vec<f64> = values.iter().map(|value| 4.0 + value).collect();
            let test = sign_flip_test(&values, weights, &groups, 99, 1);
            let estimates = [
                cluster_mean(&values, weights, &groups),
                cluster_ratio(&values, &steps, weights, &groups),
                cluster_difference(&values, &second, weights, &groups),
            ];
            (estimates, test)
        };
        let (weighted, test) = of(&rows, Some(&weights));
        let (copied, test_of_copies) = of(&twice, None);
        for (weighted, copied) in weighted.iter().zip(&copied) {
            match (weighted, copied) {
                (Ok(a), Ok(b)) => {
                    prop_assert!((a.estimate - b.estimate).abs() <= 1e-12);
                    prop_assert!((a.standard_error - b.standard_error).abs() <= 1e-12);
                    prop_assert_eq!(a.clusters, b.clusters);
                }
                (a, b) => prop_assert_eq!(a.as_ref().err(), b.as_ref().err()),
            }
        }
        match (test, &test_of_copies) {
            (Ok(a), Ok(b)) => prop_assert_eq!((a.p_value, a.clusters), (b.p_value, b.clusters)),
            (a, b) => prop_assert_eq!(a, b.clone()),
        }
        twice.reverse();
        prop_assert_eq!(of(&twice, None), (copied, test_of_copies));
    }

    #[test]
    fn a_weight_of_2_is_the_row_twice_in_its_cluster_when_it_is_resampled(
        rows in vec((-3.0..3.0_f64, 0..9_u32, 1..3_usize), 2..30), seed in any::<u64>(),
    ) {
        let part = |rows: &[(f64, u32, usize)]| -> (Vec<f64>, Vec<u32>, Vec<f64>) {
            let weights = rows.iter().map(|row| row.2 as f64).collect();
            (rows.iter().map(|row| row.0).collect(), rows.iter().map(|row| row.1).collect(), weights)
        };
        let twice: Vec<_> = rows.iter().flat_map(|row| vec![*row; row.2]).collect();
        let (values, groups, weights) = part(&rows);
        let (copies, groups_of_copies, _) = part(&twice);
        let weighted = Bootstrap::clusters(&groups, seed).unwrap().mean(&values, Some(&weights), 20);
        let copied = Bootstrap::clusters(&groups_of_copies, seed).unwrap().mean(&copies, None, 20);
        for (a, b) in weighted.unwrap().values().zip(copied.unwrap().values()) {
            prop_assert_eq!(a.unwrap().to_bits(), b.unwrap().to_bits());
        }
    }

    #[test]
    fn a_row_of_its_own_cluster_gives_the_textbook_standard_error(values in vec(-3.0..3.0_f64, 2..40)) {
        let n = values.len() as f64;
        let ids: Vec<usize> = (0..values.len()).collect();
        let of = cluster_mean(&values, None, &ids).unwrap();
        let squares: f64 = values.iter().map(|value| (value - of.estimate).powi(2)).sum();
        let textbook = (squares / (n - 1.0) / n).sqrt();
        prop_assert!((of.standard_error - textbook).abs() <= 1e-13);
    }
}

/// Uniform numbers for simulations.
fn uniform(generator: &mut ChaCha8Rng) -> f64 {
    use rand::RngExt;
    generator.random()
}

#[test]
fn about_95_of_100_intervals_of_a_mean_cover_it() {
    // Exponential values of mean 1, 40 a data set; skewed, so that coverage is a little short.
    let mut generator = ChaCha8Rng::seed_from_u64(20_261_122);
    let sets = 400;
    let mut covered = [0; 3];
    for set in 0..sets {
        let values: Vec<f64> = (0..40).map(|_| -(1.0 - uniform(&mut generator)).ln()).collect();
        let bootstrap = Bootstrap::rows(40, set).unwrap();
        let replicates = bootstrap.mean(&values, None, 399).unwrap();
        let total = |counts: &[u32]| {
            values.iter().zip(counts).map(|(value, &count)| value * f64::from(count)).sum::<f64>()
        };
        let jackknife = bootstrap.jackknife(|counts| Ok(total(counts) / 39.0)).unwrap();
        let intervals = [
            replicates.percentile(level_of(0.95)),
            replicates.basic(level_of(0.95)).unwrap(),
            replicates.bca(level_of(0.95), &jackknife).unwrap(),
        ];
        for (covered, interval) in covered.iter_mut().zip(intervals) {
            *covered += u32::from(interval.low <= 1.0 && 1.0 <= interval.high);
        }
    }
    println!("percentile, basic, BCa cover {covered:?} of {sets}");
    assert!(covered.iter().all(|covered| (356..=392).contains(covered)), "{covered:?}");
}

#[test]
fn the_error_of_a_paired_difference_is_that_of_the_differences() {
    let mut generator = ChaCha8Rng::seed_from_u64(1);
    let raw: Vec<f64> = (0..60).map(|_| uniform(&mut generator)).collect();
    // Almost the same stream: the two errors are large, that of the difference is small.
    let other: Vec<f64> = raw.iter().map(|x| x + 0.1 + 0.02 * uniform(&mut generator)).collect();
    let bootstrap = Bootstrap::rows(60, 4).unwrap();
    let of = |values: &[f64]| bootstrap.mean(values, None, 2_000).unwrap();
    let change = of(&other).minus(&of(&raw)).unwrap();
    let gains: Vec<f64> = other.iter().zip(&raw).map(|(a, b)| a - b).collect();
    let direct = of(&gains);
    let (error, want) = (change.standard_error().unwrap(), direct.standard_error().unwrap());
    assert!((error - want).abs() < 1e-12 && error < 0.1 * of(&raw).standard_error().unwrap());
    assert_eq!(change.in_standard_errors(), Some(change.estimate() / error));
    let (paired, direct) = (change.percentile(level_of(0.9)), direct.percentile(level_of(0.9)));
    assert!((paired.low - direct.low).abs() < 1e-12 && (paired.high - direct.high).abs() < 1e-12);
    // The closed form is what the bootstrap estimates.
    let ids: Vec<usize> = (0..60).collect();
    let closed = cluster_mean(&gains, None, &ids).unwrap().standard_error;
    assert!((error / closed - 1.0).abs() < 0.06, "{error} {closed}");

    let nothing = of(&raw).minus(&of(&raw)).unwrap();
    assert_eq!((nothing.estimate(), nothing.in_standard_errors()), (0.0, None));
    for stranger in [Bootstrap::rows(60, 5).unwrap(), Bootstrap::clusters(&[0; 60], 4).unwrap()] {
        let stranger = stranger.mean(&raw, None, 2_000).unwrap();
        assert!(matches!(of(&raw).minus(&stranger), Err(Error::OtherDraws)));
    }
}

#[test]
fn the_cluster_bootstrap_and_the_cluster_error_agree_and_exceed_those_of_rows() {
    let mut generator = ChaCha8Rng::seed_from_u64(2);
    let effects: Vec<f64> = (0..50).map(|_| uniform(&mut generator)).collect();
    let tasks: Vec<usize> = (0..300).map(|row| row % 50).collect();
    let values: Vec<f64> =
        tasks.iter().map(|&task| effects[task] + 0.2 * uniform(&mut generator)).collect();
    let closed = cluster_mean(&values, None, &tasks).unwrap().standard_error;
    let by_task = Bootstrap::clusters(&tasks, 9).unwrap().mean(&values, None, 4_000).unwrap();
    let by_row = Bootstrap::rows(300, 9).unwrap().mean(&values, None, 4_000).unwrap();
    let (by_task, by_row) = (by_task.standard_error().unwrap(), by_row.standard_error().unwrap());
    assert!((by_task / closed - 1.0).abs() < 0.05, "{by_task} {closed}");
    assert!(by_task > 2.0 * by_row, "{by_task} {by_row}");
}

#[test]
fn random_sign_flips_come_near_the_exact_p_value() {
    let mut generator = ChaCha8Rng::seed_from_u64(3);
    let mut gains: Vec<f64> = (0..20).map(|_| uniform(&mut generator) - 0.35).collect();
    let ids: Vec<usize> = (0..70).collect();
    let exact = sign_flip_test(&gains, None, &ids[..20], 0, 0).unwrap();
    assert!(exact.exact && 0.01 < exact.p_value && exact.p_value < 0.5, "{exact:?}");
    // Clusters without a difference change no sum, but make too many for all signs to be tried.
    gains.resize(70, 0.0);
    let random = sign_flip_test(&gains, None, &ids, 20_000, 5).unwrap();
    assert!(!random.exact && random.clusters == 70);
    let deviation = (exact.p_value * (1.0 - exact.p_value) / 20_000.0).sqrt();
    assert!((random.p_value - exact.p_value).abs() < 4.0 * deviation, "{random:?} {exact:?}");
    assert_eq!(random, sign_flip_test(&gains, None, &ids, 20_000, 5).unwrap());

    // Never 0: the data themselves are one of the flips.
    let clear = sign_flip_test(&[1.0; 70], None, &ids, 999, 5).unwrap();
    assert_eq!(clear.p_value, 0.001);
    let nothing = sign_flip_test(&[0.0; 70], None, &ids, 999, 5).unwrap();
    assert_eq!((nothing.mean, nothing.p_value), (0.0, 1.0));
    // Sums that are equal on paper are equal: 0.1 + 0.2 and 0.3.
    let tie = sign_flip_test(&[0.1, 0.2, -0.3], None, &[0, 1, 2], 0, 0).unwrap();
    assert_eq!(tie.p_value, 1.0);
}

#[test]
fn what_cannot_be_computed_is_a_typed_error() {
    let (values, ids) = ([1.0, 2.0, 3.0], [0, 1, 2]);
    let mean = cluster_mean::<u32>;
    assert!(matches!(mean(&values, None, &ids[..2]), Err(Error::Length { what: "groups", .. })));
    let short = mean(&values, Some(&[1.0]), &ids);
    assert!(matches!(short, Err(Error::Length { what: "weights", .. })));
    let negative = mean(&values, Some(&[1.0, -1.0, 1.0]), &ids);
    assert!(matches!(negative, Err(Error::WeightAt { index: 1, .. })));
    let no_number = mean(&values, Some(&[1.0, 1.0, f64::NAN]), &ids);
    assert!(matches!(no_number, Err(Error::WeightAt { index: 2, .. })));
    assert_eq!(mean(&values, Some(&[0.0; 3]), &ids), Err(Error::Empty));
    assert_eq!(mean(&[], None, &[]), Err(Error::Empty));
    let at = |what, index| {
        let value = f64::INFINITY;
        Err(Error::ScoringRules(scoring_rules::Error::NotFiniteAt { what, index, value }))
    };
    let infinite = [1.0, f64::INFINITY, 1.0];
    assert_eq!(mean(&infinite, None, &ids), at("values", 1));
    assert_eq!(cluster_ratio(&values, &infinite, None, &ids), at("denominators", 1));
    assert_eq!(
        sign_flip_test(&infinite, None, &ids, 0, 0).map(drop),
        at("differences", 1).map(drop)
    );
    assert!(matches!(mean(&[1.0, f64::NAN, 1.0], None, &ids), Err(Error::ScoringRules(_))));
    let one = scoring_rules::Error::TooFew { what: "clusters", least: 2, found: 1 };
    assert_eq!(mean(&values, None, &[7; 3]), Err(Error::ScoringRules(one)));
    assert_eq!(mean(&values, Some(&[1.0, 0.0, 0.0]), &ids), Err(Error::ScoringRules(one)));
    let ratio = cluster_ratio(&values, &[1.0, -1.0, 0.0], None, &ids);
    assert!(matches!(ratio, Err(Error::Setting { name: "the sum of denominators", .. })));
    assert_eq!(cluster_difference(&values, &[true; 3], None, &ids), Err(Error::Empty));

    let many: Vec<usize> = (0..21).collect();
    let flips = sign_flip_test(&[1.0; 21], None, &many, 0, 0);
    assert!(matches!(flips, Err(Error::Setting { name: "flips", .. })));
    let test = sign_flip_test(&[f64::INFINITY; 3], None, &ids, 0, 0);
    assert!(matches!(test, Err(Error::ScoringRules(_))));

    assert_eq!(Bootstrap::rows(0, 1).map(drop), Err(Error::Empty));
    assert_eq!(Bootstrap::clusters::<u32>(&[], 1).map(drop), Err(Error::Empty));
    let bootstrap = Bootstrap::rows(3, 0).unwrap();
    let of = |values: &[f64], weights| bootstrap.mean(values, weights, 10).map(|_| ());
    assert!(matches!(of(&values[..2], None), Err(Error::Length { what: "values", .. })));
    assert!(matches!(of(&[1.0, f64::NAN, 1.0], None), Err(Error::ScoringRules(_))));
    assert!(matches!(of(&values, Some(&[-1.0; 3])), Err(Error::WeightAt { index: 0, .. })));
    assert_eq!(of(&values, Some(&[0.0; 3])), Err(Error::Empty));
    let ranking = Ranking::new(&[Probability::HALF; 3], &[true; 3]).unwrap();
    assert!(matches!(bootstrap.auroc(&ranking, 10), Err(Error::OneClass { outcome: true })));
    let other = Bootstrap::rows(4, 0).unwrap().auroc(&ranking, 10);
    assert!(matches!(other, Err(Error::Length { what: "counts", .. })));
    let none = bootstrap.mean(&values, None, 0);
    assert!(matches!(none, Err(Error::NoReplicate { resamples: 0 })));
}

#[cfg(feature = "rayon")]
#[test]
fn one_two_and_three_threads_give_the_same_bits() {
    let mut generator = ChaCha8Rng::seed_from_u64(6);
    let values: Vec<f64> = (0..150).map(|_| uniform(&mut generator)).collect();
    let outcomes: Vec<bool> = values.iter().map(|p| uniform(&mut generator) < *p).collect();
    let ranking = Ranking::new(Probability::from_slice(&values).unwrap(), &outcomes).unwrap();
    let weights: Vec<f64> = (0..150).map(|i| f64::from(1 + i % 3)).collect();
    let bits = |replicates: Result<Replicates, Error>| -> Vec<Option<u64>> {
        replicates.unwrap().values().map(|value| value.map(f64::to_bits)).collect()
    };
    for bootstrap in bootstraps(150, 8) {
        let serial = [
            bootstrap.mean(&values, None, 500),
            bootstrap.mean(&values, Some(&weights), 500),
            bootstrap.auroc(&ranking, 500),
        ]
        .map(bits);
        for threads in 1..=3 {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let parallel = pool.install(|| {
                let [area] = bootstrap.par_replicates(500, || {
                    let mut blocks = TiedBlocks::default();
                    let ranking = &ranking;
                    move |counts: &[u32]| {
                        [ranking.resample(counts, &mut blocks).and_then(|()| auroc(&blocks))]
                    }
                });
                same(&area, &bootstrap.auroc(&ranking, 500));
                [
                    bootstrap.par_mean(&values, None, 500),
                    bootstrap.par_mean(&values, Some(&weights), 500),
                    bootstrap.par_auroc(&ranking, 500),
                ]
                .map(bits)
            });
            assert_eq!(parallel, serial, "{threads}");
        }
    }
}

fn ends(interval: Result<BootstrapInterval, Error>) -> [f64; 2] {
    let interval = interval.unwrap();
    [interval.low, interval.high]
}

fn close(got: [f64; 2], want: [f64; 2]) {
    assert!((0..2).all(|i| (got[i] - want[i]).abs() < 1e-12), "{got:?} against {want:?}");
}

#[test]
fn replicates_that_equal_the_estimate_on_paper_are_ties_of_bca() {
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
        let rows = Bootstrap::rows(n, 1).unwrap();
        let jackknife = rows.jackknife(exact).unwrap();
        let [by_plain, by_exact] = rows.replicates(20_000, |counts| [plain(counts), exact(counts)]);
        let fast = rows.mean(&values, None, 20_000);
        // Twice the weight: no other result; a second weight: the other way of adding up.
        let weighted = rows.mean(&values, Some(&vec![2.0; n]), 20_000);
        for replicates in [&fast, &weighted, &by_plain, &by_exact] {
            close(ends(replicates.as_ref().unwrap().bca(level_of(0.9), &jackknife)), want);
        }
        let (fast, exact) = (fast.unwrap(), by_exact.unwrap());
        #[cfg(feature = "rayon")]
        close(
            ends(rows.par_mean(&values, None, 20_000).unwrap().bca(level_of(0.9), &jackknife)),
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
    let low = |replicates: &Replicates| ends(replicates.bca(Level::HALF, &[1.0, 2.0, 3.0]))[0];
    assert_eq!(low(&far), low(&near));
    // A small spread above rounding stays a spread.
    let narrow = Replicates::new(1.0, vec![1.0, 1.0 + 1e-12, 1.0 - 1e-12]).unwrap();
    assert!((narrow.standard_error().unwrap() - 1e-12).abs() < 1e-15);
}

#[test]
fn what_does_not_vary_has_an_error_of_0() {
    for value in [0.7, 0.1, 1e300 / 3.0, -1e-300 / 3.0] {
        for weight in [1.0, 0.1, 1e-100] {
            let (values, weights) = ([value; 7], [weight; 7]);
            let ids = [0, 1, 2, 3, 4, 5, 5];
            let mean = cluster_mean(&values, Some(&weights), &ids).unwrap();
            assert_eq!((mean.estimate, mean.standard_error), (value, 0.0));
            let mut second = [false; 7];
            second[3..].fill(true);
            let none = cluster_difference(&values, &second, Some(&weights), &ids).unwrap();
            assert_eq!((none.estimate, none.standard_error), (0.0, 0.0));
            let test = sign_flip_test(&values, Some(&weights), &ids, 0, 0).unwrap();
            assert_eq!((test.mean, test.p_value), (value, 2.0 / 64.0));
        }
    }
    // All ratios 0.1, all gains 0.2: what is left is rounding.
    let rate = cluster_ratio(&[0.1, 0.3, 0.7], &[1.0, 3.0, 7.0], None, &[0, 1, 2]).unwrap();
    assert_eq!(rate.standard_error, 0.0);
    let (scores, second) = ([0.2, 0.4, 0.5, 0.7], [false, true, false, true]);
    let gain = cluster_difference(&scores, &second, None, &["a", "a", "b", "b"]).unwrap();
    assert_eq!(gain.standard_error, 0.0);
    // A heavy weight elsewhere does not hide what varies.
    let weights = [1e-100, 1.0, 1.0, 1.0];
    let varies = cluster_mean(&[1e90, 1.0, 2.0, 3.0], Some(&weights), &[0, 1, 2, 3]).unwrap();
    assert!(varies.standard_error > 0.1);

    let mut generator = ChaCha8Rng::seed_from_u64(7);
    let raw: Vec<f64> = (0..40).map(|_| uniform(&mut generator)).collect();
    let other: Vec<f64> = raw.iter().map(|x| x + 0.1).collect();
    let rows = Bootstrap::rows(40, 3).unwrap();
    let of = |values: &[f64]| rows.mean(values, None, 500).unwrap();
    let change = of(&other).minus(&of(&raw)).unwrap();
    assert!((change.estimate() - 0.1).abs() < 1e-15);
    assert_eq!((change.standard_error(), change.in_standard_errors()), (Some(0.0), None));
    // The difference of two differences is measured by the same size.
    let again = change.minus(&of(&raw).minus(&of(&raw)).unwrap()).unwrap();
    assert_eq!(again.in_standard_errors(), None);
    close(ends(change.bca(level_of(0.9), &[0.1; 40])), [0.1, 0.1]);
}

#[test]
fn a_small_spread_is_not_taken_for_rounding_however_many_rows_show_it() {
    // Half of the rows 2^-41 below their mean, half above it: about 5e-13, the error of the mean of
    // a hundred about 5e-14.
    let half = 2.0_f64.powi(-41);
    let values: Vec<f64> = (0..200).map(|i| 0.75 + f64::from(i % 2) * 2.0 * half).collect();
    let ids: Vec<usize> = (0..200).collect();
    let near = |got: f64, want: f64| assert!((got / want - 1.0).abs() < 1e-3, "{got:e} {want:e}");
    let mean = cluster_mean(&values[..100], None, &ids[..100]).unwrap();
    near(mean.standard_error, half / 99.0_f64.sqrt());
    let ratio = cluster_ratio(&values[..100], &[1.0; 100], None, &ids[..100]).unwrap();
    near(ratio.standard_error, half / 99.0_f64.sqrt());
    let second: Vec<bool> = ids.iter().map(|id| id / 2 % 2 == 1).collect();
    let gain = cluster_difference(&values, &second, None, &ids).unwrap();
    assert_eq!(gain.estimate, 0.0);
    near(gain.standard_error, 2.0 * half / 199.0_f64.sqrt());
}

#[test]
fn a_row_of_weight_0_leaves_no_trace_however_large_its_value() {
    let (values, groups) = ([1e-20, 1e300, 3e-20, -2e-20], ["a", "b", "c", "d"]);
    let weights = [1.0, 0.0, 1.0, 1.0];
    let without = |list: &[f64]| [list[0], list[2], list[3]];
    let mean = cluster_mean(&values, Some(&weights), &groups).unwrap();
    assert_eq!(mean, cluster_mean(&without(&values), None, &["a", "c", "d"]).unwrap());
    let rows = Bootstrap::rows(4, 3).unwrap();
    for huge in [1e300, f64::INFINITY, f64::NEG_INFINITY] {
        let of =
            |value: f64| rows.mean(&[1e-20, value, 3e-20, -2e-20], Some(&weights), 200).unwrap();
        assert_eq!(of(huge), of(0.0));
    }
}

#[test]
fn a_resample_of_each_row_once_has_the_mean_of_all_rows_to_the_bit() {
    // On paper 0: what the sum of all rows leaves depends on the order in which they are drawn.
    let values = [0.1, 0.2, -0.3, 0.7, -0.7];
    let rows = Bootstrap::rows(5, 2).unwrap();
    let mut counts = Vec::new();
    for weights in [None, Some(&[0.5; 5][..])] {
        let replicates = rows.mean(&values, weights, 2_000).unwrap();
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
fn numbers_at_the_end_of_the_range_have_a_result_or_a_typed_error() {
    let ids = [0, 1, 2];
    let relative = |got: f64, want: f64| {
        assert!((got / want - 1.0).abs() < 1e-12, "{got:e} against {want:e}");
    };
    // A power of two changes the unit and nothing else; others round.
    let plain = cluster_mean(&[1.0, -1.0, 3.0], None, &ids).unwrap();
    let large = cluster_mean(&[1e200, -1e200, 3e200], None, &ids).unwrap();
    relative(large.estimate, 1e200);
    relative(large.standard_error, plain.standard_error * 1e200);
    let small = cluster_mean(&[1e-200, 2e-200, 4e-200], None, &ids).unwrap();
    relative(small.standard_error, 8.819_171_036_881_97e-201);
    let largest = cluster_mean(&[1.7e308; 3], None, &ids).unwrap();
    assert_eq!((largest.estimate, largest.standard_error), (1.7e308, 0.0));
    let widest = cluster_mean(&[f64::MAX, -f64::MAX], None, &[0, 1]);
    relative(widest.unwrap().standard_error, f64::MAX);
    let tiny = cluster_ratio(&[1e-310, 3e-310, 2e-310], &[1e-310; 3], None, &ids).unwrap();
    assert!((tiny.estimate - 2.0).abs() < 1e-12 && tiny.standard_error > 0.5);
    let over_tiny = cluster_ratio(&[1.0, 2.0, 3.0], &[1e-310; 3], None, &ids);
    assert!(matches!(over_tiny, Err(Error::ScoringRules(_))), "{over_tiny:?}");

    // 2^-1060, a number of few digits, from two that are far apart.
    let far = [2.0_f64.powi(-1000), 2.0_f64.powi(60)];
    let small = cluster_ratio(&[far[0]; 3], &[far[1]; 3], None, &ids).unwrap();
    assert_eq!((small.estimate, small.standard_error), (f64::from_bits(1 << 14), 0.0));

    let equal = sign_flip_test(&[1e308; 3], None, &ids, 0, 0).unwrap();
    assert_eq!((equal.mean, equal.p_value), (1e308, 0.25));
    let heavy = sign_flip_test(&[1e300, -1e300, 1e300], Some(&[1e100; 3]), &ids, 0, 0).unwrap();
    relative(heavy.mean, 1e300 / 3.0);
    assert_eq!(heavy.p_value, 1.0);
    let many: Vec<usize> = (0..70).collect();
    let random = sign_flip_test(&[1e308; 70], None, &many, 99, 0).unwrap();
    assert_eq!((random.mean, random.p_value), (1e308, 0.01));

    let ends_of_range = Replicates::new(0.0, vec![-1.7e308, 1.7e308, 1.7e308]).unwrap();
    let [low, high] = ends(Ok(ends_of_range.percentile(Level::HALF)));
    assert!(low.abs() < 1e293 && high == 1.7e308, "{low:e} {high:e}");
    let unbounded = Replicates::new(0.0, vec![f64::NEG_INFINITY, 0.0, f64::INFINITY]).unwrap();
    assert!(matches!(unbounded.basic(level_of(0.9)), Err(Error::ScoringRules(_))));
    let error = |values: Vec<f64>| Replicates::new(0.0, values).unwrap().standard_error();
    relative(error(vec![1e160, 2e160, 3e160]).unwrap(), 1e160);
    relative(error(vec![1e-200, 2e-200, 3e-200]).unwrap(), 1e-200);
    assert_eq!(error(vec![f64::MAX, -f64::MAX]), None);
    let rows = Bootstrap::rows(3, 1).unwrap();
    let mean = rows.mean(&[1.7e308; 3], None, 50).unwrap();
    relative(mean.estimate(), 1.7e308);
    assert_eq!(mean.standard_error(), Some(0.0));
    // One infinite value is infinite in some resamples and not in others.
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
        let clusters = Bootstrap::clusters(&groups, 3).unwrap();
        let means = clusters.mean(&values, weighted.then_some(&weights[..]), 300).unwrap();
        means.values().map(|value| value.unwrap().to_bits()).collect()
    };
    let mut mixed = rows.clone();
    mixed.sort_by(|a, b| a.1.total_cmp(&b.1));
    for weighted in [false, true] {
        assert_eq!(of(&mixed, weighted), of(&rows, weighted));
    }
}

#[test]
fn more_rows_or_resamples_than_are_counted_are_refused_before_any_memory_is_taken() {
    let rows = Bootstrap::rows(1 << 31, 1);
    assert!(matches!(rows, Err(Error::Setting { name: "rows", .. })));
    let few = Bootstrap::rows(2, 1).unwrap();
    let values = [0.0, 1.0];
    assert!(few.mean(&values, None, 10_000_001).is_err());
    let [closure] = few.replicates(10_000_001, |_| [Ok(0.5)]);
    assert!(matches!(closure, Err(Error::Setting { name: "resamples", .. })));
}
