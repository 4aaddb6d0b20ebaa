//! What intervals of rates, pass@k and differences of rates are worth, simulated: tables for docs/findings.md.

use std::{sync::Mutex, thread};

use rand::{SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Beta, Distribution};
use trajectory_metrics::{
    Arm, ClusterEstimate,
    tool_calls::{pass_at_k, pass_hat_k},
};

use crate::{level_of, uniform};

const SAMPLES: usize = 2_000;
const TASKS: [usize; 5] = [8, 15, 30, 60, 200];
const RATES: [f64; 11] = [0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 0.98];
const CORRELATIONS: [f64; 4] = [0.0, 0.1, 0.4, 0.7];

/// How many runs each task has.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Runs {
    Each(usize),
    /// 1 to 8 in turn.
    OneToEight,
    /// 8 of every eighth task, and 1 of the others.
    Skewed,
}

impl Runs {
    fn of(self, task: usize) -> usize {
        match self {
            Self::Each(runs) => runs,
            Self::OneToEight => task % 8 + 1,
            Self::Skewed => {
                if task.is_multiple_of(8) {
                    8
                } else {
                    1
                }
            }
        }
    }
}

/// The chance to solve each task, of which runs of one task have this correlation.
fn chances(tasks: usize, rate: f64, correlation: f64, rng: &mut ChaCha8Rng) -> Vec<f64> {
    if correlation == 0.0 {
        return vec![rate; tasks];
    }
    let size = 1.0 / correlation - 1.0;
    let beta = Beta::new(rate * size, (1.0 - rate) * size).unwrap();
    (0..tasks).map(|_| beta.sample(rng)).collect()
}

fn successes(runs: usize, chance: f64, rng: &mut ChaCha8Rng) -> usize {
    (0..runs).filter(|_| uniform(rng) < chance).count()
}

/// Simulates cells on all cores.
fn simulate<C: Copy + Send + Sync, R: Send>(
    cells: &[C],
    of: impl Fn(C, ChaCha8Rng) -> R + Sync,
) -> Vec<R> {
    let next = Mutex::new(0..cells.len());
    let found = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let Some(at) = next.lock().unwrap().next() else { return };
                    let result = of(cells[at], ChaCha8Rng::seed_from_u64(at as u64));
                    found.lock().unwrap().push((at, result));
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap();
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, result)| result).collect()
}

/// "least 93.2, below 93: 0.4 %"
fn summary(of: &str, coverages: &[f64]) -> [f64; 2] {
    let least = coverages.iter().copied().fold(100.0, f64::min);
    let below = coverages.iter().filter(|it| **it < 93.0).count();
    let below = 100.0 * below as f64 / coverages.len() as f64;
    let mean = coverages.iter().sum::<f64>() / coverages.len() as f64;
    println!("| {of} | {} | {mean:.1} | {least:.1} | {below:.1} % |", coverages.len());
    [least, below]
}

fn percent(hits: usize) -> f64 {
    100.0 * hits as f64 / SAMPLES as f64
}

#[test]
#[ignore = "simulates some minutes"]
fn intervals_of_rates_cover() {
    let level = level_of(0.95);
    println!(
        "| success rate, tasks | cells | mean coverage | least | below 93 % |\n|---|---:|---:|---:|---:|"
    );
    for tasks in TASKS {
        let mut cells = Vec::new();
        for runs in [Runs::Each(1), Runs::Each(4), Runs::Each(8), Runs::OneToEight, Runs::Skewed] {
            for rate in RATES {
                let all = if runs == Runs::Each(1) { &CORRELATIONS[..1] } else { &CORRELATIONS };
                cells.extend(all.iter().map(|&correlation| (runs, rate, correlation)));
            }
        }
        let found = simulate(&cells, |(runs, rate, correlation), mut rng| {
            percent(
                (0..SAMPLES)
                    .filter(|_| {
                        let mut outcomes = Vec::new();
                        let mut own = Vec::new();
                        for (task, chance) in
                            chances(tasks, rate, correlation, &mut rng).into_iter().enumerate()
                        {
                            for _ in 0..runs.of(task) {
                                outcomes.push(f64::from(uniform(&mut rng) < chance));
                                own.push(task);
                            }
                        }
                        let found = ClusterEstimate::mean(&outcomes, None, &own).unwrap();
                        found.proportion_interval(level).unwrap().contains(rate)
                    })
                    .count(),
            )
        });
        let [least, below] = summary(&tasks.to_string(), &found);
        assert!(tasks < 15 || least >= 91.0 && below <= 2.0);
    }
}

#[test]
#[ignore = "simulates some minutes"]
fn intervals_of_pass_at_k_cover() {
    let level = level_of(0.95);
    println!(
        "| pass@k and pass^k, tasks | cells | mean coverage | least | below 93 % |\n|---|---:|---:|---:|---:|"
    );
    for tasks in TASKS {
        let mut cells = Vec::new();
        for rate in RATES {
            for correlation in CORRELATIONS {
                cells.extend([2, 4].map(|k| (rate, correlation, k)));
            }
        }
        let found = simulate(&cells, |(rate, correlation, k), mut rng| {
            // The chances of a run of k, by the moments of the chance of a task.
            let moment = |rate: f64| -> f64 {
                if correlation == 0.0 {
                    return rate.powi(k);
                }
                let size = 1.0 / correlation - 1.0;
                (0..k).map(|i| (rate * size + f64::from(i)) / (size + f64::from(i))).product()
            };
            let truths = [1.0 - moment(1.0 - rate), moment(rate)];
            let mut covered = [0; 2];
            for _ in 0..SAMPLES {
                let solved: Vec<u64> = chances(tasks, rate, correlation, &mut rng)
                    .into_iter()
                    .map(|chance| successes(8, chance, &mut rng) as u64)
                    .collect();
                let own: Vec<usize> = (0..tasks).collect();
                let of = [
                    solved
                        .iter()
                        .map(|n| pass_at_k(8, *n, k as u64).unwrap())
                        .collect::<Vec<f64>>(),
                    solved.iter().map(|n| pass_hat_k(8, *n, k as u64).unwrap()).collect(),
                ];
                for ((values, truth), covered) in of.iter().zip(truths).zip(&mut covered) {
                    let found = ClusterEstimate::mean(values, None, &own).unwrap();
                    *covered +=
                        usize::from(found.proportion_interval(level).unwrap().contains(truth));
                }
            }
            covered.map(percent)
        });
        let found: Vec<f64> = found.into_iter().flatten().collect();
        let [least, below] = summary(&tasks.to_string(), &found);
        assert!(tasks < 15 || least >= 91.0 && below <= 2.0);
    }
}

/// Equal agents, with tasks that are shared in whole, in part or not at all.
#[test]
#[ignore = "simulates some minutes"]
fn equal_agents_are_rarely_told_apart() {
    let level = level_of(0.95);
    let pairs = [(1, 1), (4, 4), (8, 8), (1, 8), (20, 1)]
        .map(|(first, second)| [Runs::Each(first), Runs::Each(second)]);
    let pairs = pairs.into_iter().chain([[Runs::OneToEight; 2], [Runs::Skewed, Runs::Each(1)]]);
    let pairs: Vec<[Runs; 2]> = pairs.collect();
    println!(
        "| shared tasks | cells | beyond noise, mean | most | one side, most |\n|---|---:|---:|---:|---:|"
    );
    for (name, share) in [("all", 1.0), ("a third", 1.0 / 3.0), ("a tenth", 0.1), ("none", 0.0)] {
        let mut cells = Vec::new();
        for tasks in &TASKS[1..] {
            for runs in &pairs {
                for rate in RATES {
                    cells
                        .extend(CORRELATIONS.map(|correlation| (*tasks, *runs, rate, correlation)));
                }
            }
        }
        let found = simulate(&cells, |(tasks, runs, rate, correlation), mut rng| {
            let shared = (tasks as f64 * share).round() as usize;
            let mut sides = [0; 2];
            for _ in 0..SAMPLES {
                let all = chances(2 * tasks - shared, rate, correlation, &mut rng);
                let (mut outcomes, mut arms, mut own) = (Vec::new(), Vec::new(), Vec::new());
                for (arm, runs, from) in
                    [(Arm::First, runs[0], 0), (Arm::Second, runs[1], tasks - shared)]
                {
                    for (task, chance) in all.iter().enumerate().skip(from).take(tasks) {
                        for _ in 0..runs.of(task) {
                            outcomes.push(f64::from(uniform(&mut rng) < *chance));
                            arms.push(arm);
                            own.push(task);
                        }
                    }
                }
                let found = ClusterEstimate::proportion_difference(&outcomes, &arms, &own, level);
                let ends = found.unwrap().interval.unwrap();
                sides[0] += usize::from(ends.low() > 0.0);
                sides[1] += usize::from(ends.high() < 0.0);
            }
            sides.map(percent)
        });
        let both: Vec<f64> = found.iter().map(|[a, b]| a + b).collect();
        let most = both.iter().copied().fold(0.0, f64::max);
        let one = found.iter().flatten().copied().fold(0.0, f64::max);
        let mean = both.iter().sum::<f64>() / both.len() as f64;
        println!("| {name} | {} | {mean:.1} % | {most:.1} % | {one:.1} % |", both.len());
    }
}

#[test]
#[ignore = "simulates some minutes"]
fn partially_shared_tasks_find_what_all_runs_show() {
    let level = level_of(0.95);
    for shared in [6, 10, 20, 40, 60] {
        let mut rng = ChaCha8Rng::seed_from_u64(shared as u64);
        let tasks = 60;
        let found = (0..SAMPLES).filter(|_| {
            // A task is as hard for one as for the other.
            let hard: Vec<f64> =
                (0..2 * tasks - shared).map(|_| *[-0.3, 0.3].choose(&mut rng).unwrap()).collect();
            let (mut outcomes, mut arms, mut own) = (Vec::new(), Vec::new(), Vec::new());
            for (arm, rate, from) in [(Arm::First, 0.4, 0), (Arm::Second, 0.6, tasks - shared)] {
                for (task, hard) in hard.iter().enumerate().skip(from).take(tasks) {
                    outcomes.push(f64::from(uniform(&mut rng) < rate + hard));
                    arms.push(arm);
                    own.push(task);
                }
            }
            let found = ClusterEstimate::proportion_difference(&outcomes, &arms, &own, level);
            found.unwrap().interval.unwrap().low() > 0.0
        });
        let power = percent(found.count());
        println!("| {shared} of 60 | {power:.0} % |");
        assert!(power >= 55.0);
    }
}
