use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use trajectory_metrics::{Bootstrap, ClusterEstimate, Error, Seed, SignFlipTest};

use crate::common::{level_of, percentile, uniform};

#[test]
fn resamples_are_as_frequent_as_in_an_enumeration_of_all_draws() {
    // 4^4 draws; a resample with these counts is made by 4! / (product of counts!) of them.
    let bootstrap = Bootstrap::rows(4, Seed(3)).unwrap();
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

#[test]
fn the_standard_error_of_a_paired_difference_equals_the_one_of_the_differences() {
    let mut generator = ChaCha8Rng::seed_from_u64(1);
    let raw: Vec<f64> = (0..60).map(|_| uniform(&mut generator)).collect();
    // Almost the same stream: the two errors are large, that of the difference is small.
    let other: Vec<f64> = raw.iter().map(|x| x + 0.1 + 0.02 * uniform(&mut generator)).collect();
    let bootstrap = Bootstrap::rows(60, Seed(4)).unwrap();
    let of = |values: &[f64]| bootstrap.mean(values, None, 2_000).unwrap();
    let change = of(&other).minus(&of(&raw)).unwrap();
    let gains: Vec<f64> = other.iter().zip(&raw).map(|(a, b)| a - b).collect();
    let direct = of(&gains);
    let (error, want) = (change.standard_error().unwrap(), direct.standard_error().unwrap());
    assert!((error - want).abs() < 1e-12 && error < 0.1 * of(&raw).standard_error().unwrap());
    assert_eq!(change.in_standard_errors(), Some(change.estimate() / error));
    let [paired, direct] = [&change, &direct].map(|it| percentile(it, level_of(0.9)));
    assert!(
        (paired.low() - direct.low()).abs() < 1e-12
            && (paired.high() - direct.high()).abs() < 1e-12
    );
    // The closed form is what the bootstrap estimates.
    let ids: Vec<usize> = (0..60).collect();
    let closed = ClusterEstimate::mean(&gains, None, &ids).unwrap().standard_error;
    assert!((error / closed - 1.0).abs() < 0.06, "{error} {closed}");

    let nothing = of(&raw).minus(&of(&raw)).unwrap();
    assert_eq!((nothing.estimate(), nothing.in_standard_errors()), (0.0, None));
    let halves: Vec<bool> = (0..60).map(|row| row < 30).collect();
    for stranger in
        [Bootstrap::rows(60, Seed(5)).unwrap(), Bootstrap::clusters(&halves, Seed(4)).unwrap()]
    {
        let stranger = stranger.mean(&raw, None, 2_000).unwrap();
        assert!(matches!(of(&raw).minus(&stranger), Err(Error::Invalid(_))));
    }
}

#[test]
fn the_cluster_bootstrap_and_the_cluster_error_agree_and_exceed_those_of_rows() {
    let mut generator = ChaCha8Rng::seed_from_u64(2);
    let effects: Vec<f64> = (0..50).map(|_| uniform(&mut generator)).collect();
    let tasks: Vec<usize> = (0..300).map(|row| row % 50).collect();
    let values: Vec<f64> =
        tasks.iter().map(|&task| effects[task] + 0.2 * uniform(&mut generator)).collect();
    let closed = ClusterEstimate::mean(&values, None, &tasks).unwrap().standard_error;
    let by_task = Bootstrap::clusters(&tasks, Seed(9)).unwrap().mean(&values, None, 4_000).unwrap();
    let by_row = Bootstrap::rows(300, Seed(9)).unwrap().mean(&values, None, 4_000).unwrap();
    let (by_task, by_row) = (by_task.standard_error().unwrap(), by_row.standard_error().unwrap());
    assert!((by_task / closed - 1.0).abs() < 0.05, "{by_task} {closed}");
    assert!(by_task > 2.0 * by_row, "{by_task} {by_row}");
}

#[test]
fn random_sign_flips_approximate_the_exact_p_value() {
    let mut generator = ChaCha8Rng::seed_from_u64(3);
    let mut gains: Vec<f64> = (0..20).map(|_| uniform(&mut generator) - 0.35).collect();
    let ids: Vec<usize> = (0..70).collect();
    let exact = SignFlipTest::new(&gains, None, &ids[..20], 0, Seed(0)).unwrap();
    assert!(exact.exact && 0.01 < exact.p_value && exact.p_value < 0.5, "{exact:?}");
    // Clusters without a difference change no sum, but make too many for all signs to be tried.
    gains.resize(70, 0.0);
    let random = SignFlipTest::new(&gains, None, &ids, 20_000, Seed(5)).unwrap();
    assert!(!random.exact && random.clusters == 70);
    let deviation = (exact.p_value * (1.0 - exact.p_value) / 20_000.0).sqrt();
    assert!((random.p_value - exact.p_value).abs() < 4.0 * deviation, "{random:?} {exact:?}");
    assert_eq!(random, SignFlipTest::new(&gains, None, &ids, 20_000, Seed(5)).unwrap());

    // Never 0: the data themselves are one of the flips.
    let clear = SignFlipTest::new(&[1.0; 70], None, &ids, 999, Seed(5)).unwrap();
    assert_eq!(clear.p_value, 0.001);
    let nothing = SignFlipTest::new(&[0.0; 70], None, &ids, 999, Seed(5)).unwrap();
    assert_eq!((nothing.mean, nothing.p_value), (0.0, 1.0));
    // Sums that are equal on paper are equal: 0.1 + 0.2 and 0.3.
    let tie = SignFlipTest::new(&[0.1, 0.2, -0.3], None, &[0, 1, 2], 0, Seed(0)).unwrap();
    assert_eq!(tie.p_value, 1.0);
}
