//! The feature vectors of one million prefixes, and the growth and predictions of quantile forests, on one
//! thread.
//!
//! `cargo bench --bench budget_forest`; nanoseconds a feature vector are the time in milliseconds.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use budget_estimation::{
    Resource, Rollouts,
    forest::{ForestSettings, PrefixFeatures, QuantileForest, TrainingRows},
};
use criterion::{Criterion, criterion_group, criterion_main};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Runs of 41 turns, so that each has 40 prefixes.
fn runs(n: usize) -> (Rollouts, Resource) {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let rollouts = Rollouts::new(["input_tokens", "output_tokens"]).unwrap();
    let mut rollouts = rollouts.with_features(["tool_errors", "tests"]).unwrap();
    let output = rollouts.resource("output_tokens").unwrap();
    rollouts.set_cap(output, 24_000.0).unwrap();
    let mut costs = Vec::new();
    for run in 0..n {
        costs.clear();
        let scale = rng.next_u32() % 900 + 100;
        for turn in 0..41 {
            costs.push((1_000 * turn + 500) as f64);
            costs.push(f64::from(rng.next_u32() % scale + 1));
        }
        rollouts.push(&costs, true).unwrap();
        for turn in 1..=41 {
            let errors = f64::from(rng.next_u32() % 3);
            rollouts.set_feature(run, turn, "tool_errors", errors).unwrap();
        }
    }
    (rollouts, output)
}

/// The rows and targets of the prefixes of all runs.
fn rows(rollouts: &Rollouts, resource: Resource) -> (PrefixFeatures, Vec<f64>, Vec<f64>) {
    let features = PrefixFeatures::new(&rollouts.get(0).unwrap(), resource).unwrap();
    let (mut rows, mut targets) = (Vec::new(), Vec::new());
    for rollout in rollouts.iter() {
        for prefix in rollout.replay(resource).unwrap() {
            features.append_to(&mut rows, &prefix).unwrap();
            targets.push(rollout.remaining(resource, prefix.turns()).unwrap());
        }
    }
    (features, rows, targets)
}

fn feature_vectors(c: &mut Criterion) {
    let (rollouts, output) = runs(25_000);
    let features = PrefixFeatures::new(&rollouts.get(0).unwrap(), output).unwrap();
    let mut group = c.benchmark_group("budget_features_1e6");
    group.sample_size(10);
    group.bench_function("20_columns", |b| {
        let mut row = Vec::new();
        b.iter(|| {
            let mut sum = 0.0;
            for rollout in black_box(&rollouts).iter() {
                for prefix in rollout.replay(output).unwrap() {
                    row.clear();
                    features.append_to(&mut row, &prefix).unwrap();
                    sum += row[3];
                }
            }
            sum
        });
    });
    group.finish();
}

fn forests(c: &mut Criterion) {
    let mut group = c.benchmark_group("budget_forest");
    group.sample_size(10);
    for (n, trees) in [(4_000, 50), (10_000, 100)] {
        let (rollouts, output) = runs(n / 40);
        let (features, rows, targets) = rows(&rollouts, output);
        let logs: Vec<f64> = targets.iter().map(|target| target.ln_1p()).collect();
        let rows = TrainingRows {
            columns: features.len(),
            features: &rows,
            targets: &targets,
            split_targets: &logs,
            weights: &vec![1.0; n],
            censored: &vec![false; n],
            cluster_ends: &Vec::from_iter(1..=n),
        };
        let settings = ForestSettings { trees, ..ForestSettings::default() };
        group.bench_function(format!("grow_{n}_rows_{trees}_trees"), |b| {
            b.iter(|| QuantileForest::fit(black_box(&rows), &settings));
        });
        let forest = QuantileForest::fit(&rows, &settings);
        let (mut space, mut at) = (Vec::new(), 0);
        group.bench_function(format!("interval_{n}_rows_{trees}_trees"), |b| {
            b.iter(|| {
                at = (at + 37) % n;
                let row = &rows.features[at * rows.columns..(at + 1) * rows.columns];
                let distribution = forest.distribution(black_box(row), &mut space);
                distribution.quantile(0.9) - distribution.quantile(0.1)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, feature_vectors, forests);
criterion_main!(benches);
