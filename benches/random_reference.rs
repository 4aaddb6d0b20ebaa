//! The random reference of a pool of 30 items with token costs: 1,000 shuffles by either rule, and the
//! exact expectation; also exact at 40 items, and by counting sums at 200.
//!
//! `cargo bench --bench random_reference`.
#![allow(missing_docs, clippy::unwrap_used)]

use std::{hint::black_box, time::Duration};

use criterion::{Criterion, criterion_group, criterion_main};
use knapsack_oracle::{FitRule, Item, Pool, Seed};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn token_pool(items: usize, highest_cost: u64) -> Pool {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let lowest = highest_cost.div_ceil(100);
    let costs: Vec<u64> = (0..items).map(|_| rng.random_range(lowest..=highest_cost)).collect();
    let solved: Vec<bool> = (0..items).map(|_| rng.random_range(0..10) < 6).collect();
    let items = costs.iter().zip(solved).enumerate();
    let item = |(i, (&cost, solved))| Item::new(format!("{i}"), 1.0, cost, solved).unwrap();
    Pool::new(items.map(item).collect()).unwrap()
}

fn random_reference(c: &mut Criterion) {
    let mut group = c.benchmark_group("random_reference");
    group.sample_size(20).measurement_time(Duration::from_secs(2));
    group.warm_up_time(Duration::from_millis(300));
    let pool = token_pool(30, 100_000);
    for quarters in 1..=3 {
        let budget = pool.total_cost() / 4 * quarters;
        let alpha = quarters as f64 / 4.0;
        for (name, rule) in [("stop", FitRule::StopAtFirst), ("skip", FitRule::SkipWhatDoesNotFit)]
        {
            group.bench_function(format!("30x1000_{name}/alpha_{alpha}"), |b| {
                b.iter(|| pool.random_sampled(black_box(budget), rule, 1_000, Seed(7)));
            });
        }
        group.bench_function(format!("30_exact/alpha_{alpha}"), |b| {
            b.iter(|| pool.random_exact(black_box(budget)));
        });
    }
    group.sample_size(10);
    for (name, items, highest) in [("40_exact", 40, 100_000), ("200_exact_small_costs", 200, 20)] {
        let pool = token_pool(items, highest);
        let budget = pool.total_cost() / 2;
        group.bench_function(name, |b| b.iter(|| pool.random_exact(black_box(budget)).unwrap()));
    }
    group.finish();
}

criterion_group!(benches, random_reference);
criterion_main!(benches);
