//! One million prefixes replayed, estimated by linear extrapolation and scored, on one thread.
//!
//! `cargo bench --bench budget_replay`; nanoseconds a prefix are the time in milliseconds.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use budget_estimation::{
    Level, LinearEstimator, Metrics, ProgressMetrics, Resource, Rollouts, Weight,
};
use criterion::{Criterion, criterion_group, criterion_main};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Runs of 41 turns, so that each has 40 prefixes.
const RUNS: usize = 25_000;
const TURNS: usize = 41;

fn runs() -> (Rollouts, Resource) {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut rollouts = Rollouts::new(["input_tokens", "output_tokens"]).unwrap();
    let output = rollouts.resource("output_tokens").unwrap();
    rollouts.set_cap(output, 24_000.0).unwrap();
    let mut costs = Vec::new();
    for _ in 0..RUNS {
        costs.clear();
        for turn in 0..TURNS {
            costs.push((1_000 * turn + 500) as f64);
            costs.push(f64::from(rng.next_u32() % 1_000 + 1));
        }
        rollouts.push(&costs, rng.next_u32() % 4 != 0).unwrap();
    }
    (rollouts, output)
}

fn replay(c: &mut Criterion) {
    let (rollouts, output) = runs();
    let mut group = c.benchmark_group("budget_replay_1e6");
    group.sample_size(20);
    let linear = || LinearEstimator::new(40.0, 0.3).unwrap();

    group.bench_function("replay_and_estimate", |b| {
        b.iter(|| {
            let (mut linear, mut sum) = (linear(), 0.0);
            for rollout in black_box(&rollouts).iter() {
                rollout
                    .score(output, &mut linear, |sample| {
                        sum += sample.remaining();
                        Ok(())
                    })
                    .unwrap();
            }
            sum
        });
    });
    group.bench_function("all_metrics", |b| {
        b.iter(|| {
            let (mut linear, mut metrics) = (linear(), Metrics::default());
            for rollout in black_box(&rollouts).iter() {
                rollout
                    .score(output, &mut linear, |sample| metrics.update(sample, Weight::ONE))
                    .unwrap();
            }
            metrics.finish().unwrap()
        });
    });
    group.bench_function("evaluation_ten_bins_proper_losses", |b| {
        b.iter(|| {
            let coverage = Level::new(0.8).unwrap();
            let all = ProgressMetrics::new(10).unwrap();
            let (mut linear, mut all) = (linear(), all.with_coverage(coverage));
            for rollout in black_box(&rollouts).iter() {
                rollout
                    .score(output, &mut linear, |sample| all.update(sample, Weight::ONE))
                    .unwrap();
            }
            all.finish().unwrap()
        });
    });
    group.finish();
}

criterion_group!(benches, replay);
criterion_main!(benches);
