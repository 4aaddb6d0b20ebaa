//! The expected calibration error beside that of calibrated forecasts.
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use trajectory_metrics::{
    Binning, CalibrationTest, Error, Probability, Seed, TiedBlocks, Weight,
    expected_calibration_error,
};

use crate::common::{probability, ps};

const TENTHS: Binning<'_> = Binning::Quantile { bins: 10 };

type Rows = (Vec<Probability>, Vec<bool>, Vec<usize>);

/// Runs whose outcome is whether a sum of normal numbers is above 0: the level, what the forecaster knows of the task
/// and, if `sees_runs`, of the run, the hidden part of the task, and noise. The confidence is the probability of that given
/// what is known, with the probit multiplied by `slope`: above 1, it is overconfident.
#[derive(Clone, Copy)]
struct Design {
    tasks: usize,
    runs: usize,
    /// Standard deviation of the hidden part of a task, where the noise of a run has 1.
    hidden: f64,
    level: f64,
    sees_runs: bool,
    slope: f64,
}

impl Design {
    fn sample(self, generator: &mut ChaCha8Rng) -> Rows {
        let (mut confidence, mut outcomes, mut tasks) = (Vec::new(), Vec::new(), Vec::new());
        for task in 0..self.tasks {
            let mut normal = || -> f64 { StandardNormal.sample(generator) };
            let (of_task, hidden) = (self.level + normal(), self.hidden * normal());
            for _ in 0..self.runs {
                let known = of_task + if self.sees_runs { normal() } else { 0.0 };
                let probit = self.slope * known / (1.0 + self.hidden.powi(2)).sqrt();
                let p = 0.5 * statrs::function::erf::erfc(-probit / 2.0_f64.sqrt());
                confidence.push(probability(p));
                outcomes.push(known + hidden + normal() > 0.0);
                tasks.push(task);
            }
        }
        (confidence, outcomes, tasks)
    }
}

fn test(
    (confidence, outcomes, tasks): &Rows,
    draws: usize,
    seed: u64,
) -> Result<CalibrationTest, Error> {
    CalibrationTest::new(confidence, outcomes, None, tasks, TENTHS, draws, Seed(seed))
}

fn sample(design: Design, seed: u64) -> Rows {
    design.sample(&mut ChaCha8Rng::seed_from_u64(seed))
}

const PLAIN: Design =
    Design { tasks: 30, runs: 1, hidden: 0.7, level: 0.0, sees_runs: false, slope: 1.0 };

/// The share of samples with a p-value of at most 0.05, and the means of the error, of that of calibrated forecasts, and
/// of the excess.
fn rates(design: Design, samples: u64) -> [f64; 4] {
    let mut generator = ChaCha8Rng::seed_from_u64(23);
    let mut sums = [0.0; 4];
    for seed in 0..samples {
        let found = test(&design.sample(&mut generator), 199, seed).unwrap();
        let called = f64::from(found.p_value <= 0.05);
        let values = [called, found.calibration_error, found.mean_if_calibrated, found.excess];
        sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }
    sums.map(|sum| sum / samples as f64)
}

/// `cargo test --release -p trajectory-metrics --all-features --test all calibration_test -- --ignored --nocapture` prints the table of
/// docs/findings.md.
#[test]
#[ignore = "takes minutes"]
fn calibrated_forecasts_are_called_uncalibrated_in_at_most_7_percent_of_samples() {
    let near_1 = Design { level: 2.0, ..PLAIN };
    let calibrated = [
        ("one run a task", PLAIN),
        ("fewer tasks", Design { tasks: 15, ..PLAIN }),
        ("forecasts near 1", near_1),
        ("forecasts near 0", Design { level: -3.0, ..PLAIN }),
        ("more tasks", Design { tasks: 200, ..PLAIN }),
        ("tasks differ", Design { runs: 4, ..PLAIN }),
        ("tasks differ much", Design { runs: 4, hidden: 2.0, ..PLAIN }),
        ("tasks differ much", Design { tasks: 60, runs: 8, hidden: 2.0, ..PLAIN }),
        ("few tasks that differ much", Design { tasks: 10, runs: 8, hidden: 2.0, ..PLAIN }),
        ("forecasts differ within tasks", Design { runs: 4, sees_runs: true, ..PLAIN }),
        (
            "forecasts differ within tasks",
            Design { tasks: 60, runs: 8, hidden: 2.0, sees_runs: true, ..PLAIN },
        ),
        ("near 1, within tasks", Design { runs: 4, hidden: 1.0, sees_runs: true, ..near_1 }),
        (
            "near 1, tasks differ much",
            Design { tasks: 60, runs: 4, level: 4.0, hidden: 1.0, ..PLAIN },
        ),
        ("tasks are alike", Design { tasks: 60, runs: 8, hidden: 0.0, ..PLAIN }),
    ];
    let sharp = Design { slope: 1.8, ..PLAIN };
    let overconfident = [
        ("overconfident", Design { runs: 4, ..sharp }),
        ("overconfident", Design { tasks: 120, ..sharp }),
        ("overconfident", Design { tasks: 120, runs: 4, ..sharp }),
    ];
    println!(
        "| forecasts | tasks x runs | T-ECE | of calibrated forecasts | excess | called uncalibrated |"
    );
    println!("|---|---|---:|---:|---:|---:|");
    let all =
        calibrated.map(|of| (true, of)).into_iter().chain(overconfident.map(|of| (false, of)));
    for (is_calibrated, (name, design)) in all {
        let [called, error, expected, excess] = rates(design, 2_000);
        let Design { tasks, runs, .. } = design;
        println!(
            "| {name} | {tasks} x {runs} | {error:.3} | {expected:.3} | {excess:+.4} | {:.1} % |",
            100.0 * called
        );
        if is_calibrated {
            assert!(called <= 0.07, "{name}, {tasks} x {runs}: {called}");
            assert!(excess.abs() <= 0.01, "{name}, {tasks} x {runs}: {excess}");
        }
    }
}

/// The share of samples that flips of the residuals by task call uncalibrated: why outcomes are drawn instead.
#[test]
#[ignore = "prints the rates of docs/findings.md"]
fn flips_of_residuals_call_calibrated_forecasts_uncalibrated() {
    for level in [0.0, 2.0, -3.0] {
        let design = Design { level, ..PLAIN };
        let mut generator = ChaCha8Rng::seed_from_u64(23);
        let (samples, mut called) = (2_000, 0);
        for _ in 0..samples {
            let (confidence, outcomes, _) = design.sample(&mut generator);
            let mut rows: Vec<(f64, f64)> = confidence
                .iter()
                .zip(&outcomes)
                .map(|(p, &y)| (p.get(), f64::from(y) - p.get()))
                .collect();
            rows.sort_by(|a, b| a.0.total_cmp(&b.0));
            // One run a task: bins of three runs.
            let mut error = |flips: bool| {
                let mut sign = || if flips && generator.random_bool(0.5) { -1.0 } else { 1.0 };
                let gap =
                    |bin: &[(f64, f64)]| bin.iter().map(|row| sign() * row.1).sum::<f64>().abs();
                rows.chunks(3).map(gap).sum::<f64>()
            };
            let found = error(false);
            let reached = (0..199).filter(|_| error(true) >= found - 1e-12).count();
            called += usize::from((1 + reached) as f64 / 200.0 <= 0.05);
        }
        println!("level {level}: {:.1} %", 100.0 * f64::from(called as u32) / f64::from(samples));
    }
}

/// The same in short, with three standard errors of 400 samples above 5 %.
#[test]
fn calibrated_forecasts_are_seldom_called_uncalibrated() {
    let designs = [
        PLAIN,
        Design { level: 2.0, ..PLAIN },
        Design { runs: 4, hidden: 2.0, sees_runs: true, ..PLAIN },
    ];
    for design in designs {
        let [called, _, _, excess] = rates(design, 400);
        assert!(called <= 0.083, "{called}");
        assert!(excess.abs() < 0.01, "{excess}");
    }
}

#[test]
fn forecasts_that_exaggerate_are_found() {
    let design = Design { tasks: 120, runs: 4, slope: 1.8, ..PLAIN };
    let [called, .., excess] = rates(design, 100);
    assert!(called > 0.7, "{called}");
    assert!(excess > 0.03, "{excess}");
}

/// With one row per cluster every outcome can be listed with its probability.
#[test]
fn one_row_per_cluster_has_the_distribution_of_all_outcomes() {
    let stated = ps(&[0.1, 0.35, 0.35, 0.8, 0.9]);
    let outcomes = [false, true, true, false, true];
    let halves = Binning::Quantile { bins: 2 };
    let error = |outcomes: &[bool]| {
        let blocks = TiedBlocks::new(stated, outcomes, None).unwrap();
        expected_calibration_error(&blocks, halves).unwrap()
    };
    let (mut mean, mut reached) = (0.0, 0.0);
    for code in 0..32_u32 {
        let drawn: Vec<bool> = (0..5).map(|row| code >> row & 1 == 1).collect();
        let chance = |(p, y): (&Probability, &bool)| if *y { p.get() } else { 1.0 - p.get() };
        let chance: f64 = stated.iter().zip(&drawn).map(chance).product();
        mean += chance * error(&drawn);
        reached += if error(&drawn) >= error(&outcomes) - 1e-12 { chance } else { 0.0 };
    }
    let tasks = [0, 1, 2, 3, 4];
    let draws = 200_000;
    let seed = Seed(3);
    let found = CalibrationTest::new(stated, &outcomes, None, &tasks, halves, draws, seed).unwrap();
    assert!((found.calibration_error - error(&outcomes)).abs() < 1e-15);
    assert!((found.mean_if_calibrated - mean).abs() < 0.002, "{found:?} {mean}");
    assert!((found.p_value - reached).abs() < 0.005, "{found:?} {reached}");
    assert_eq!(found.dependence, 0.0);
}

#[test]
fn runs_of_a_task_that_always_end_alike_are_drawn_alike() {
    let confidence = [Probability::HALF; 40];
    let outcomes: Vec<bool> = (0..40).map(|run| run / 4 % 2 == 0).collect();
    let tasks: Vec<usize> = (0..40).map(|run| run / 4).collect();
    let found = test(&(confidence.to_vec(), outcomes, tasks), 20_000, 1).unwrap();
    assert_eq!((found.dependence, found.clusters), (1.0, 10));
    // The mean of |K / 10 - 1 / 2| for K of 10 tasks.
    let choose = |k: u32| (1..=k).fold(1.0, |c, i| c * f64::from(10 - k + i) / f64::from(i));
    let mean: f64 = (0..=10).map(|k| choose(k) / 1024.0 * (f64::from(k) / 10.0 - 0.5).abs()).sum();
    assert!((found.mean_if_calibrated - mean).abs() < 0.003, "{found:?}");
}

#[test]
fn certain_forecasts_that_come_true_have_no_error_in_any_draw() {
    let confidence = [1.0, 1.0, 0.0, 0.0, 1.0].map(probability);
    let outcomes = vec![true, true, false, false, true];
    let found = test(&(confidence.to_vec(), outcomes, vec![1, 1, 2, 2, 3]), 500, 1).unwrap();
    assert_eq!((found.mean_if_calibrated, found.excess, found.p_value), (0.0, 0.0, 1.0));
}

#[test]
fn the_order_of_rows_and_the_names_of_tasks_do_not_matter() {
    let design = Design { runs: 3, sees_runs: true, ..PLAIN };
    let (confidence, outcomes, tasks) = sample(design, 5);
    let order: Vec<usize> = (0..tasks.len()).map(|row| row * 41 % tasks.len()).collect();
    let found = test(&(confidence.clone(), outcomes.clone(), tasks.clone()), 300, 9).unwrap();
    let shuffled = (
        order.iter().map(|&row| confidence[row]).collect(),
        order.iter().map(|&row| outcomes[row]).collect(),
        order.iter().map(|&row| tasks[row]).collect(),
    );
    assert_eq!(test(&shuffled, 300, 9).unwrap(), found);
    assert_ne!(test(&shuffled, 300, 10).unwrap().mean_if_calibrated, found.mean_if_calibrated);
}

#[test]
fn rows_of_weight_0_do_not_count_and_the_scale_of_weights_does_not_either() {
    let design = Design { runs: 2, ..PLAIN };
    let (confidence, outcomes, tasks) = sample(design, 6);
    let mut generator = ChaCha8Rng::seed_from_u64(2);
    let weights: Vec<f64> =
        tasks.iter().map(|_| f64::from(generator.random_range(0..4_u32))).collect();
    let of = |rows: &[usize], scale: f64| {
        let weights: Vec<Weight> =
            rows.iter().map(|&row| Weight::new(scale * weights[row]).unwrap()).collect();
        let confidence: Vec<Probability> = rows.iter().map(|&row| confidence[row]).collect();
        let outcomes: Vec<bool> = rows.iter().map(|&row| outcomes[row]).collect();
        let tasks: Vec<usize> = rows.iter().map(|&row| tasks[row]).collect();
        let seed = Seed(1);
        CalibrationTest::new(&confidence, &outcomes, Some(&weights), &tasks, TENTHS, 200, seed)
            .unwrap()
    };
    let all: Vec<usize> = (0..tasks.len()).collect();
    let counted: Vec<usize> = all.iter().copied().filter(|&row| weights[row] > 0.0).collect();
    assert!(counted.len() < all.len());
    assert_eq!(of(&all, 1.0), of(&counted, 1.0));
    assert_eq!(of(&all, 1.0), of(&all, 0.25));
}

#[test]
fn a_single_task_no_draws_and_other_lengths_are_refused() {
    use scoring_rules::Error::{Length, Setting, TooFew};

    let (confidence, outcomes, tasks) = sample(PLAIN, 7);
    let one = (confidence.clone(), outcomes.clone(), vec![0; 30]);
    assert!(matches!(
        test(&one, 100, 1),
        Err(Error::ScoringRules(TooFew { what: "clusters", found: 1, .. }))
    ));
    let rows = (confidence.clone(), outcomes.clone(), tasks);
    assert!(matches!(test(&rows, 0, 1), Err(Error::ScoringRules(Setting { name: "draws", .. }))));
    let short = (confidence, outcomes, vec![0; 29]);
    assert!(matches!(
        test(&short, 100, 1),
        Err(Error::ScoringRules(Length { what: "clusters", .. }))
    ));
}
