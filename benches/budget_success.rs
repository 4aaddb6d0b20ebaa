//! The chance of success: forecasts after 10,000 runs, and learning them.
//!
//! `cargo bench --bench budget_success`.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use budget_estimation::{AbortLimit, Rollouts, SuccessForecaster};
use criterion::{Criterion, criterion_group, criterion_main};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Runs of 11 turns with a cap; expensive ones fail more often.
fn runs(n: usize) -> Rollouts {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let names = ["input_tokens", "output_tokens"];
    let mut rollouts = Rollouts::new(names).unwrap().with_keys(["model"]).unwrap();
    let output = rollouts.resource("output_tokens").unwrap();
    rollouts.set_cap(output, 8_000.0).unwrap();
    for i in 0..n {
        let scale = rng.next_u32() % 900 + 100;
        let costs: Vec<f64> = (0..11)
            .flat_map(|turn| [f64::from(1_000 * turn + 500), f64::from(rng.next_u32() % scale + 1)])
            .collect();
        let run = rollouts.push(&costs, rng.next_u32() % 1_000 > scale).unwrap();
        rollouts.set_key(run, "model", ["large", "small", "old"][i % 3]).unwrap();
        rollouts.set_key(run, "task", format!("task {}", i % 500)).unwrap();
    }
    rollouts
}

fn success(c: &mut Criterion) {
    let rollouts = runs(10_000);
    let output = rollouts.resource("output_tokens").unwrap();
    let learned = || {
        let mut forecaster = SuccessForecaster::new(AbortLimit::default());
        rollouts.iter().for_each(|rollout| forecaster.learn(&rollout, output).unwrap());
        forecaster
    };
    let mut group = c.benchmark_group("budget_success_10_000_runs");
    group.sample_size(10);
    group.bench_function("learn", |b| b.iter(|| black_box(learned())));
    let mut forecaster = learned();
    group.bench_function("forecast_10_000_prefixes", |b| {
        b.iter(|| {
            for rollout in rollouts.iter().take(1_000) {
                for prefix in rollout.replay(output).unwrap() {
                    black_box(forecaster.forecast(&prefix).unwrap());
                }
            }
        });
    });
    group.finish();
}

criterion_group!(benches, success);
criterion_main!(benches);
