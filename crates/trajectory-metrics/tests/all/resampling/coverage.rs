//! What intervals of rates, pass@k and differences of rates are worth, simulated: tables for docs/findings.md.

use std::{fmt::Debug, sync::Mutex, thread};

use rand::{Rng, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Beta, Distribution};
use trajectory_metrics::{
    Arm, Error,
    estimates::{self, ANY, Difference, SHARE},
    tool_calls::{pass_at_k, pass_hat_k},
};

use crate::common::{level_of, uniform};

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

/// Prints and checks the coverage of intervals by number of tasks: for each cell, how many of a hundred samples have an interval
/// that holds the truth, of one quantity or several.
fn check<C: Copy + Debug + Send + Sync>(
    of: &str,
    least_coverage: f64,
    cells: &[C],
    once: impl Fn(C, usize, &mut ChaCha8Rng) -> Vec<bool> + Sync,
) {
    println!(
        "| {of}, tasks | cells | mean coverage | least | below 93 % |\n|---|---:|---:|---:|---:|"
    );
    let mut all = Vec::new();
    for tasks in TASKS {
        let found = simulate(cells, |cell, mut rng| {
            let mut covered: Vec<usize> = Vec::new();
            for _ in 0..SAMPLES {
                let holds = once(cell, tasks, &mut rng);
                covered.resize(holds.len(), 0);
                covered.iter_mut().zip(holds).for_each(|(n, holds)| *n += usize::from(holds));
            }
            covered.into_iter().map(percent).collect::<Vec<f64>>()
        });
        let [least, below] = summary(&tasks.to_string(), &found.concat());
        for (cell, covered) in cells.iter().zip(&found) {
            if covered.iter().any(|it| *it < 93.0) {
                println!("{tasks} tasks, {cell:?}: {covered:?}");
            }
        }
        assert!(tasks < 15 || least >= least_coverage);
        if tasks >= 15 {
            all.push(below);
        }
    }
    let below = all.iter().sum::<f64>() / all.len() as f64;
    assert!(below <= 2.0, "{below} % of the cells from 15 tasks on are below 93 %");
}

/// Success rates, mean scores with partial credit, and overconfidence.
#[test]
#[ignore = "simulates some minutes"]
fn intervals_of_rates_scores_and_overconfidence_cover() {
    let mut cells = Vec::new();
    for runs in [Runs::Each(1), Runs::Each(4), Runs::Each(8), Runs::OneToEight, Runs::Skewed] {
        for rate in RATES {
            let all = if runs == Runs::Each(1) { &CORRELATIONS[..1] } else { &CORRELATIONS };
            cells.extend(all.iter().map(|&correlation| (runs, rate, correlation)));
        }
    }
    let level = level_of(0.95);
    let drawn = |(runs, rate, correlation): (Runs, f64, f64), tasks, rng: &mut ChaCha8Rng| {
        let (mut outcomes, mut hard, mut own) = (Vec::new(), Vec::new(), Vec::new());
        for (task, chance) in chances(tasks, rate, correlation, rng).into_iter().enumerate() {
            for _ in 0..runs.of(task) {
                outcomes.push(f64::from(uniform(rng) < chance));
                hard.push(chance);
                own.push(task);
            }
        }
        (outcomes, hard, own)
    };
    let holds = |values: &[f64], own: &[usize], truth: f64| {
        let found = estimates::mean(values, None, own, SHARE, level).unwrap();
        found.interval.unwrap().contains(truth)
    };
    check("success rate", 91.0, &cells, |cell, tasks, rng| {
        let (outcomes, _, own) = drawn(cell, tasks, rng);
        vec![holds(&outcomes, &own, cell.1)]
    });
    check("mean score", 91.0, &cells, |cell, tasks, rng| {
        let (outcomes, _, own) = drawn(cell, tasks, rng);
        // A third of the failures have half the score.
        let score = |outcome: &f64| outcome.max(0.5 * f64::from(uniform(rng) < 1.0 / 3.0));
        let scores: Vec<f64> = outcomes.iter().map(score).collect();
        vec![holds(&scores, &own, cell.1 + (1.0 - cell.1) / 6.0)]
    });
    check("overconfidence", 91.0, &cells, |cell, tasks, rng| {
        let (outcomes, hard, own) = drawn(cell, tasks, rng);
        let stated: Vec<f64> =
            hard.iter().map(|chance| 0.25 + 0.5 * chance + 0.25 * uniform(rng)).collect();
        let found = estimates::overconfidence(&stated, &outcomes, &own, level).unwrap();
        vec![found.interval.unwrap().contains(0.375 - 0.5 * cell.1)]
    });
}

#[test]
#[ignore = "simulates some minutes"]
fn intervals_of_pass_at_k_cover() {
    let mut cells = Vec::new();
    for rate in RATES {
        for correlation in CORRELATIONS {
            cells.extend([2, 4].map(|k| (rate, correlation, k)));
        }
    }
    check("pass@k and pass^k", 91.0, &cells, |(rate, correlation, k), tasks, rng| {
        // The chances of a run of k, by the moments of the chance of a task.
        let moment = |rate: f64| -> f64 {
            if correlation == 0.0 {
                return rate.powi(k);
            }
            let size = 1.0 / correlation - 1.0;
            (0..k).map(|i| (rate * size + f64::from(i)) / (size + f64::from(i))).product()
        };
        let solved: Vec<u64> = chances(tasks, rate, correlation, rng)
            .into_iter()
            .map(|chance| successes(8, chance, rng) as u64)
            .collect();
        let own: Vec<usize> = (0..tasks).collect();
        let holds = |pass: fn(u64, u64, u64) -> Result<f64, Error>, truth| {
            let values: Vec<f64> = solved.iter().map(|n| pass(8, *n, k as u64).unwrap()).collect();
            let found = estimates::mean(&values, None, &own, SHARE, level_of(0.95)).unwrap();
            found.interval.unwrap().contains(truth)
        };
        vec![holds(pass_at_k, 1.0 - moment(1.0 - rate)), holds(pass_hat_k, moment(rate))]
    });
}

/// Equal agents, with tasks that are shared in whole, in part or not at all. The worst of a thousand cells look worse than they
/// are, so that those over a limit are simulated again, with more samples that have no part in the choice.
#[test]
#[ignore = "simulates half an hour"]
fn equal_agents_are_rarely_told_apart() {
    const AGAIN: usize = 20_000;
    let pairs = [(1, 1), (4, 4), (8, 8), (1, 8), (20, 1)]
        .map(|(first, second)| [Runs::Each(first), Runs::Each(second)]);
    let pairs = pairs.into_iter().chain([[Runs::OneToEight; 2], [Runs::Skewed, Runs::Each(1)]]);
    let pairs: Vec<[Runs; 2]> = pairs.collect();
    println!(
        "| shared tasks | cells | beyond noise, mean | most | one side, most | simulated again |\n|---|---:|---:|---:|---:|---:|"
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
        let is_over = |[a, b]: [f64; 2]| a + b > 6.0 || a.max(b) > 3.5;
        let mut found =
            simulate(&cells, |cell, mut rng| told_apart(cell, share, SAMPLES, &mut rng));
        let again: Vec<usize> = (0..cells.len()).filter(|at| is_over(found[*at])).collect();
        let worst: Vec<_> = again.iter().map(|at| cells[*at]).collect();
        // Cells are seeded by their position; another number of samples draws others.
        let fresh = simulate(&worst, |cell, rng| {
            let mut rng = ChaCha8Rng::seed_from_u64(rng.clone().next_u64() ^ AGAIN as u64);
            told_apart(cell, share, AGAIN, &mut rng)
        });
        for (at, sides) in again.iter().zip(&fresh) {
            println!("| {:?} | {:?} then {sides:?} |", cells[*at], found[*at]);
            found[*at] = *sides;
        }
        let both: Vec<f64> = found.iter().map(|[a, b]| a + b).collect();
        let most = both.iter().copied().fold(0.0, f64::max);
        let one = found.iter().flatten().copied().fold(0.0, f64::max);
        let mean = both.iter().sum::<f64>() / both.len() as f64;
        println!(
            "| {name} | {} | {mean:.1} % | {most:.1} % | {one:.1} % | {} |",
            both.len(),
            again.len()
        );
        assert!(most <= 6.0 && one <= 3.5, "{name}: {most} {one}");
    }
}

/// In how many of a hundred samples either of two equal agents looks better.
fn told_apart(
    (tasks, runs, rate, correlation): (usize, [Runs; 2], f64, f64),
    share: f64,
    samples: usize,
    rng: &mut ChaCha8Rng,
) -> [f64; 2] {
    let level = level_of(0.95);
    let shared = (tasks as f64 * share).round() as usize;
    let mut sides = [0; 2];
    for _ in 0..samples {
        let all = chances(2 * tasks - shared, rate, correlation, rng);
        let (mut outcomes, mut arms, mut own) = (Vec::new(), Vec::new(), Vec::new());
        for (arm, runs, from) in [(Arm::First, runs[0], 0), (Arm::Second, runs[1], tasks - shared)]
        {
            for (task, chance) in all.iter().enumerate().skip(from).take(tasks) {
                for _ in 0..runs.of(task) {
                    outcomes.push(f64::from(uniform(rng) < *chance));
                    arms.push(arm);
                    own.push(task);
                }
            }
        }
        let found = Difference::new(&outcomes, &arms, &own, SHARE).unwrap();
        let ends = found.figure(level).interval.unwrap();
        sides[0] += usize::from(ends.low() > 0.0);
        sides[1] += usize::from(ends.high() < 0.0);
    }
    sides.map(|side| 100.0 * side as f64 / samples as f64)
}

/// Log-normal amounts of which runs of one task have a correlation of 0.5 on the log scale.
#[test]
#[ignore = "simulates some minutes"]
fn intervals_of_spending_cover() {
    let level = level_of(0.95);
    println!(
        "| sigma | tasks | runs of a task | mean | typical run | ratio of typical runs |\n|---:|---:|---:|---:|---:|---:|"
    );
    let mut cells = Vec::new();
    for sigma in [0.5, 1.0, 1.5] {
        for tasks in TASKS {
            cells.extend([1, 4].map(|runs| (sigma, tasks, runs)));
        }
    }
    let found = simulate(&cells, |(sigma, tasks, runs), mut rng| {
        let half = sigma * 0.5_f64.sqrt();
        let mut covered = [0; 3];
        for _ in 0..SAMPLES {
            let mut logs = [Vec::new(), Vec::new()];
            let mut own = Vec::new();
            for task in 0..tasks {
                let of_task = half * normal(&mut rng);
                for _ in 0..runs {
                    own.push(task);
                    for side in &mut logs {
                        side.push(of_task + half * normal(&mut rng));
                    }
                }
            }
            let spent: Vec<f64> = logs[0].iter().map(|log| log.exp()).collect();
            let range = [0.0, f64::INFINITY];
            let mean = estimates::mean(&spent, None, &own, range, level).unwrap();
            let typical = estimates::mean(&logs[0], None, &own, ANY, level).unwrap().exp();
            let arms: Vec<Arm> =
                (0..2 * own.len()).map(|at| Arm::second_if(at >= own.len())).collect();
            let twice = [&own[..], &own].concat();
            let ratio =
                Difference::new(&logs.concat(), &arms, &twice, ANY).unwrap().figure(level).exp();
            let truths = [(sigma * sigma / 2.0).exp(), 1.0, 1.0];
            for ((figure, truth), covered) in
                [mean, typical, ratio].iter().zip(truths).zip(&mut covered)
            {
                *covered += usize::from(figure.interval.unwrap().contains(truth));
            }
        }
        covered.map(percent)
    });
    for ((sigma, tasks, runs), [mean, typical, ratio]) in cells.iter().zip(&found) {
        println!("| {sigma} | {tasks} | {runs} | {mean:.1} | {typical:.1} | {ratio:.1} |");
        assert!((93.5..=96.5).contains(ratio));
        assert!(*tasks < 60 || *mean >= 90.0);
    }
}

/// Means of few independent rows of which most are at the end of their range: efficiencies of which four of five are 1 and the others
/// from -2 to 1, and costs beyond the optimum of which three of five are 0 and the others log-normal.
#[test]
#[ignore = "simulates a minute"]
fn intervals_of_means_of_few_rows_near_an_end_cover() {
    let level = level_of(0.95);
    println!("| rows | efficiency | cost gap | without an interval |\n|---:|---:|---:|---:|");
    let cells = [10, 15, 30, 60, 120];
    let found = simulate(&cells, |rows, mut rng| {
        let own: Vec<usize> = (0..rows).collect();
        let (mut covered, mut missing) = ([0; 2], [0; 2]);
        for _ in 0..SAMPLES {
            let draw = |share: f64, rng: &mut ChaCha8Rng, of: fn(&mut ChaCha8Rng) -> f64| {
                (0..rows).map(|_| if uniform(rng) < share { 0.0 } else { of(rng) }).collect()
            };
            let deficits: Vec<f64> = draw(0.8, &mut rng, |rng| 3.0 * uniform(rng));
            let gaps: Vec<f64> = draw(0.6, &mut rng, |rng| normal(rng).exp());
            let efficiencies: Vec<f64> = deficits.iter().map(|deficit| 1.0 - deficit).collect();
            let below_1 = [f64::NEG_INFINITY, 1.0];
            let of = |values: &[f64], range| {
                estimates::mean(values, None, &own, range, level).unwrap().interval
            };
            let means = [of(&efficiencies, below_1), of(&gaps, [0.0, f64::INFINITY])];
            for (at, truth) in [0.7, 0.4 * 0.5_f64.exp()].into_iter().enumerate() {
                match means[at] {
                    Ok(ends) => covered[at] += usize::from(ends.contains(truth)),
                    Err(_) => missing[at] += 1,
                }
            }
        }
        [0, 1].map(|at| (100.0 * covered[at] as f64 / (SAMPLES - missing[at]) as f64, missing[at]))
    });
    for (rows, [(efficiency, none), (gap, also)]) in cells.iter().zip(&found) {
        println!("| {rows} | {efficiency:.1} | {gap:.1} | {none}, {also} of {SAMPLES} |");
        assert!(*efficiency >= 91.0 && *gap >= 86.0);
    }
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    rand_distr::StandardNormal.sample(rng)
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
            let found = Difference::new(&outcomes, &arms, &own, SHARE).unwrap();
            found.figure(level).interval.unwrap().low() > 0.0
        });
        let power = percent(found.count());
        println!("| {shared} of 60 | {power:.0} % |");
        assert!(power >= 55.0);
    }
}
