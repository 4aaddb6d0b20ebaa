//! Confidence intervals of few clusters, and of values that do not vary.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Exp1, LogNormal, StandardNormal};
use trajectory_metrics::{
    Arm, Bootstrap, ClusterEstimate, Error, Level, NoInterval, Ranking, Replicates, Resampling,
    ScoredStream, Seed, Summary, WeightSchedule,
    estimates::{Difference, SHARE},
};

use crate::common::{level_of, percentile, traces_of, uniform, ws};

const SETS: u64 = 600;

/// The shares of expanded and of plain percentile intervals of 95 % that contain the truth.
fn coverage(
    truth: f64,
    mut replicates: impl FnMut(&mut ChaCha8Rng, u64) -> Replicates,
) -> [f64; 2] {
    let mut generator = ChaCha8Rng::seed_from_u64(20_261_123);
    let (mut covered, mut sets) = ([0_u32; 2], 0_u32);
    for set in 0..SETS {
        let found = replicates(&mut generator, set);
        let level = level_of(0.95);
        let expanded = match found.figure(level).interval {
            // A perfect ranking.
            Err(NoInterval::Constant) => continue,
            expanded => expanded.unwrap(),
        };
        sets += 1;
        let intervals = [expanded, percentile(&found, level)];
        for (covered, interval) in covered.iter_mut().zip(intervals) {
            *covered += u32::from(interval.contains(truth));
        }
    }
    covered.map(|covered| f64::from(covered) / f64::from(sets))
}

fn of_means(clusters: usize, truth: f64, value: impl Fn(&mut ChaCha8Rng) -> f64) -> [f64; 2] {
    coverage(truth, |generator, seed| {
        let values: Vec<f64> = (0..clusters).map(|_| value(generator)).collect();
        Bootstrap::rows(clusters, Seed(seed)).unwrap().mean(&values, None, 1_000).unwrap()
    })
}

fn normal(generator: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(generator)
}

/// A calibrated forecast and its outcome.
fn forecast(generator: &mut ChaCha8Rng) -> (f64, bool) {
    let chance = 0.05 + 0.9 * uniform(generator);
    (chance, uniform(generator) < chance)
}

fn log_score(chance: f64, outcome: bool) -> f64 {
    if outcome { chance.ln() } else { (1.0 - chance).ln() }
}

#[test]
fn intervals_of_few_clusters_cover_paired_differences_and_means() {
    // Per task, the mean difference of two scores over three trials, which share the task.
    let paired = |generator: &mut ChaCha8Rng| {
        let task = normal(generator);
        let trial = |generator: &mut ChaCha8Rng| {
            let first = task + normal(generator);
            let second = task + 0.5 * normal(generator);
            first - second
        };
        (0..3).map(|_| trial(generator)).sum::<f64>() / 3.0
    };
    for (clusters, [low, high]) in [
        (6, [0.89, 0.97]),
        (12, [0.93, 0.97]),
        (20, [0.93, 0.97]),
        (30, [0.93, 0.97]),
        (50, [0.93, 0.97]),
    ] {
        let [expanded, plain] = of_means(clusters, 0.0, paired);
        println!("{clusters} clusters, paired differences: {expanded} (percentile: {plain})");
        assert!((low..=high).contains(&expanded), "{clusters}: {expanded}");
        assert!(clusters > 12 || plain < 0.93, "{clusters}: {plain}");
    }
    // The mean log score of a calibrated forecaster is skewed: the upper end is safe, the lower short.
    let entropy = |p: f64| p * p.ln() + (1.0 - p) * (1.0 - p).ln();
    let truth =
        (0..10_000).map(|i| entropy(0.05 + 0.9 * (f64::from(i) + 0.5) / 1e4)).sum::<f64>() / 1e4;
    for (clusters, least) in [(12, 0.89), (20, 0.91), (30, 0.92), (50, 0.92)] {
        let score = |generator: &mut ChaCha8Rng| {
            let (chance, outcome) = forecast(generator);
            log_score(chance, outcome)
        };
        let [expanded, plain] = of_means(clusters, truth, score);
        println!("{clusters} clusters, log scores: {expanded} (percentile: {plain})");
        assert!((least..=0.97).contains(&expanded) && expanded > plain, "{clusters}: {expanded}");
    }
    // No simple interval covers means of strongly skewed values with few clusters.
    let skewed = LogNormal::new(0.0, 1.0).unwrap();
    for (clusters, [least, most]) in [(12, [0.80, 0.92]), (50, [0.87, 0.97])] {
        let exponential = of_means(clusters, 1.0, |generator| Exp1.sample(generator))[0];
        let log_normal = of_means(clusters, 0.5_f64.exp(), |generator| skewed.sample(generator))[0];
        println!("{clusters} clusters, skewed: {exponential}, {log_normal}");
        assert!(least <= log_normal && log_normal < exponential && exponential <= most);
    }
}

#[test]
fn intervals_of_an_area_are_those_of_the_clusters_with_the_rarer_outcome() {
    // Scores of successes are higher by one standard deviation: AUROC is Phi(1 / sqrt(2)).
    let truth = 0.760_249_938_906_523_3;
    for (clusters, rate, plain_is_short) in [(20, 0.5, false), (30, 0.5, false), (100, 0.08, true)]
    {
        let [expanded, plain] = coverage(truth, |generator, seed| {
            // At least six of each outcome.
            let outcomes = loop {
                let outcomes: Vec<bool> =
                    (0..clusters).map(|_| uniform(generator) < rate).collect();
                let successes = outcomes.iter().filter(|&&outcome| outcome).count();
                if successes >= 6 && clusters - successes >= 6 {
                    break outcomes;
                }
            };
            let score = |&outcome: &bool| normal(generator) + f64::from(u8::from(outcome));
            let scores: Vec<f64> = outcomes.iter().map(score).collect();
            let ranking = Ranking::from_scores(&scores, &outcomes).unwrap();
            Bootstrap::rows(clusters, Seed(seed)).unwrap().auroc(&ranking, 1_000).unwrap()
        });
        println!("{clusters} clusters, AUROC at {rate}: {expanded} (percentile: {plain})");
        assert!((0.93..=0.985).contains(&expanded), "{clusters} {rate}: {expanded}");
        assert!(!plain_is_short || plain < 0.93, "{clusters} {rate}: {plain}");
    }
}

#[test]
fn the_interval_of_many_clusters_is_the_percentile_interval() {
    let values: Vec<f64> = (0..40).map(|row| f64::from(row * row % 17)).collect();
    let mean = Bootstrap::rows(40, Seed(7)).unwrap().mean(&values, None, 2_000).unwrap();
    let level = level_of(0.9);
    let plain = percentile(&mean, level);
    let ends =
        |clusters: usize| mean.clone().with_clusters(clusters).figure(level).interval.unwrap();
    let most = ends(1_000_000_000);
    assert!((most.low() - plain.low()).abs() + (most.high() - plain.high()).abs() < 1e-6);
    // Wider with fewer clusters, without a jump.
    let widths: Vec<f64> = (5..200).map(|n| ends(n).high() - ends(n).low()).collect();
    assert!(widths.is_sorted_by(|wide, narrow| wide >= narrow), "{widths:?}");
    // A number that nobody knows is not held to be small.
    let unknown = Replicates::new(1.0, vec![0.0, 1.0, 2.0, 3.0]).unwrap();
    let found = unknown.figure(Level::HALF).interval.unwrap();
    assert_eq!((found.low(), found.high()), (0.75, 2.25));
}

#[test]
fn too_few_clusters_have_no_interval() {
    for (level, least) in [(0.5, 2), (0.9, 5), (0.95, 6), (0.99, 8), (1.0 - f64::EPSILON / 2.0, 54)]
    {
        let level = level_of(level);
        let found = least - 1;
        let few = NoInterval::too_few(found, level);
        assert_eq!(few, NoInterval::TooFewClusters { found, least, level });
        if found >= 2 {
            let values: Vec<f64> = (0..found).map(|row| row as f64).collect();
            let mean = Bootstrap::rows(found, Seed(1)).unwrap().mean(&values, None, 50).unwrap();
            assert_eq!(mean.figure(level).interval, Err(few));
            assert_ne!(mean.with_clusters(least).figure(level).interval, Err(few));
        }
    }
    // Clusters of weight 0 do not count, nor do clusters without the rarer outcome.
    let level = level_of(0.95);
    let few = |found| Err(NoInterval::TooFewClusters { found, least: 6, level });
    let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
    let weights = [1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0];
    let rows = Bootstrap::rows(7, Seed(1)).unwrap();
    let weighted = rows.mean(&values, Some(ws(&weights)), 50).unwrap();
    assert_eq!(weighted.figure(level).interval, few(5));
    let outcomes = [true, false, true, true, true, true, true];
    let ranking = Ranking::from_scores(&values, &outcomes).unwrap();
    assert_eq!(rows.auroc(&ranking, 50).unwrap().figure(level).interval, few(1));
}

#[test]
fn a_value_that_does_not_vary_has_no_interval_of_one_point() {
    let level = level_of(0.95);
    let constant = Err(NoInterval::Constant);
    let rows = Bootstrap::rows(30, Seed(7)).unwrap();
    // 0.1 + 0.2 and 0.3 differ by rounding.
    let equal: Vec<f64> = (0..30).map(|row| if row % 2 == 0 { 0.3 } else { 0.1 + 0.2 }).collect();
    for values in [vec![0.25; 30], equal, vec![1.0; 30], vec![f64::NEG_INFINITY; 30]] {
        let mean = rows.mean(&values, None, 200).unwrap();
        assert_eq!(mean.figure(level).interval, constant, "{}", values[0]);
    }
    let tasks: Vec<u32> = (0..30).collect();
    let by_task = ClusterEstimate::mean(&[1.0; 30], None, &tasks).unwrap();
    assert_eq!(by_task.interval(level), Err(Error::NoInterval(NoInterval::Constant)));
}

#[test]
fn a_report_of_two_clusters_or_of_equal_values_has_notes_in_place_of_intervals() {
    let report = |n: usize| {
        let bootstrap = Bootstrap::rows(n, Seed(7)).unwrap();
        let resampling =
            Some(Resampling { bootstrap: &bootstrap, resamples: 100, level: level_of(0.95) });
        let schedule = WeightSchedule::LinearFront;
        let traces = traces_of((0..n).map(|row| ([0.5], row % 2 == 0)));
        let stream = ScoredStream::new(&traces, &schedule, &Summary::Last).unwrap();
        let found = stream.estimates(None, resampling).unwrap();
        let notes = stream.notes(&found, &[], None, resampling);
        (found, notes)
    };
    let (two, notes) = report(2);
    assert!(two.iter().all(|it| it.figure.as_ref().unwrap().interval.is_err()));
    assert_eq!(notes, ["no intervals: 2 clusters; a 95 % interval needs at least 6"]);
    // One forecast for all has one log score and one area.
    let (equal, notes) = report(20);
    let note = "tps_log: no interval: the value does not vary over clusters or resamples";
    assert!(notes.contains(&note.to_owned()), "{notes:?}");
    assert!(equal[0].figure.clone().unwrap().interval.is_err());
}

/// Chances of so many successes of n.
fn binomial(n: usize, p: f64) -> Vec<f64> {
    let mut chances = vec![(1.0 - p).powi(n as i32)];
    for k in 0..n {
        chances.push(chances[k] * (n - k) as f64 / (k + 1) as f64 * p / (1.0 - p));
    }
    chances
}

#[test]
fn differences_of_independent_shares_leave_out_zero_in_at_most_6_of_100_by_all_outcomes() {
    let level = level_of(0.95);
    for [n, m] in [[20, 20], [50, 50], [50, 20], [100, 20]] {
        let arms: Vec<Arm> =
            (0..n + m).map(|row| if row < n { Arm::First } else { Arm::Second }).collect();
        let own: Vec<usize> = (0..n + m).collect();
        let mut beyond = Vec::new();
        for x in 0..=n {
            for y in 0..=m {
                let outcome = |row: usize| f64::from(row < x || (n..n + y).contains(&row));
                let outcomes: Vec<f64> = (0..n + m).map(outcome).collect();
                let found = Difference::new(&outcomes, &arms, &own, SHARE).unwrap().figure(level);
                if !found.interval.unwrap().contains(0.0) {
                    beyond.push([x, y]);
                }
            }
        }
        for p in [0.5, 0.6, 0.7, 0.8, 0.9, 0.95] {
            let (of_first, of_second) = (binomial(n, p), binomial(m, p));
            let size: f64 = beyond.iter().map(|&[x, y]| of_first[x] * of_second[y]).sum();
            println!("{n} against {m} rows at {p}: {size:.4}");
            assert!(size <= 0.06, "{n} against {m} rows at {p}: {size}");
            assert!(size >= 0.03 || p > 0.8, "{n} against {m} rows at {p}: {size}");
        }
    }
}
