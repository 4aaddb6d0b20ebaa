//! The default estimator: 10^6 prefixes estimated, scored and learnt from, and one estimate after 10,000 runs.
//!
//! `cargo bench --bench default_estimator`.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use budget_estimation::{BudgetEstimator, Estimator, Level, Metrics, Resource, Rollouts, Weight};
use criterion::{Criterion, criterion_group, criterion_main};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Runs of 6 to 16 turns, 11 on average, of five models and 100 tasks.
fn runs(n: usize) -> (Rollouts, Resource) {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let rollouts = Rollouts::new(["output_tokens", "input_tokens"]).unwrap();
    let mut rollouts = rollouts.with_keys(["model"]).unwrap();
    let output = rollouts.resource("output_tokens").unwrap();
    rollouts.set_cap(output, 8_000.0).unwrap();
    let mut costs = Vec::new();
    for run in 0..n {
        costs.clear();
        let (model, task) = (rng.next_u32() % 5, rng.next_u32() % 100);
        let scale = 100 * (model + 1) + task;
        for turn in 0..6 + rng.next_u32() % 11 {
            costs.push(f64::from(rng.next_u32() % scale + 1));
            costs.push(f64::from(1_000 * turn + 500));
        }
        rollouts.push(&costs, rng.next_u32() % 4 > 0).unwrap();
        rollouts.set_key(run, "model", model.to_string()).unwrap();
        rollouts.set_key(run, "task", task.to_string()).unwrap();
    }
    (rollouts, output)
}

fn whole_replay(c: &mut Criterion) {
    let mut group = c.benchmark_group("default_estimator_replay");
    group.sample_size(10);
    for n in [1_000, 10_000, 100_000] {
        let (rollouts, output) = runs(n);
        group.bench_function(format!("{n}_runs"), |b| {
            b.iter(|| {
                let mut estimator = BudgetEstimator::default();
                let level = Level::new(0.8).unwrap();
                let mut scores = Metrics::default().with_coverage(level);
                for rollout in rollouts.iter() {
                    rollout
                        .score(output, &mut estimator, |it| scores.update(it, Weight::ONE))
                        .unwrap();
                }
                scores.finish().unwrap()
            });
        });
    }
    group.finish();
}

fn one_estimate(c: &mut Criterion) {
    let (rollouts, output) = runs(10_000);
    let mut estimator = BudgetEstimator::default();
    rollouts.iter().for_each(|rollout| estimator.learn(&rollout, output).unwrap());
    let prefixes: Vec<_> = rollouts
        .iter()
        .take(100)
        .flat_map(|rollout| rollout.replay(output).unwrap().collect::<Vec<_>>())
        .collect();
    let mut next = prefixes.iter().cycle();
    c.bench_function("default_estimator_one_estimate_after_10_000_runs", |b| {
        b.iter(|| estimator.estimate(black_box(next.next().unwrap())).unwrap());
    });
}

criterion_group!(benches, whole_replay, one_estimate);
criterion_main!(benches);
