//! What it takes to replay runs for estimators that keep what past runs spent: 10^4 and 10^5 runs of ten turns.
//!
//! `cargo bench --bench past_runs`; `cargo bench --bench sizes -- PastQuantiles` goes on to 10^6 runs.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use budget_estimation::{
    AdaptiveConformal, Calibrated, Estimator, Level, LinearEstimator, PastQuantiles, Resource,
    Rollouts,
};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const TURNS: usize = 10;

fn runs(n: usize) -> (Rollouts, Resource) {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut rollouts = Rollouts::new(["tokens"]).unwrap();
    let tokens = rollouts.resource("tokens").unwrap();
    for _ in 0..n {
        let costs = [(); TURNS].map(|()| f64::from(rng.next_u32() % 1_000 + 1));
        rollouts.push(&costs, true).unwrap();
    }
    (rollouts, tokens)
}

/// Estimates at every prefix of every run, then learns from the run.
fn replay(rollouts: &Rollouts, tokens: Resource, mut estimator: impl Estimator) -> f64 {
    let mut sum = 0.0;
    for rollout in black_box(rollouts).iter() {
        rollout
            .score(tokens, &mut estimator, |sample| {
                sum += sample.estimate().ends().map_or(0.0, |ends| ends.low());
                Ok(())
            })
            .unwrap();
    }
    sum
}

fn past_runs(c: &mut Criterion) {
    let coverage = Level::new(0.8).unwrap();
    let linear = || LinearEstimator::new(10.0, 0.3).unwrap();
    let mut group = c.benchmark_group("past_runs_of_ten_turns");
    group.sample_size(10);
    for n in [10_000, 100_000] {
        let (rollouts, tokens) = runs(n);
        group.bench_function(BenchmarkId::new("past_quantiles", n), |b| {
            b.iter(|| replay(&rollouts, tokens, PastQuantiles::new(coverage)));
        });
        group.bench_function(BenchmarkId::new("adaptive_conformal", n), |b| {
            let adaptive = AdaptiveConformal::new(coverage, 0.002).unwrap();
            let calibrated = Calibrated::new(linear(), adaptive);
            b.iter(|| replay(&rollouts, tokens, calibrated.clone()));
        });
    }
    group.finish();
}

criterion_group!(benches, past_runs);
criterion_main!(benches);
