//! The oracle for items of equal value, a pool of 30 with token costs, another pool at each call so that
//! nothing of one is learnt for the next; and the staircase over all budgets of one pool.
//!
//! `cargo bench --bench unit_oracle`.
#![allow(missing_docs, clippy::unwrap_used)]

use std::{hint::black_box, time::Duration};

use criterion::{Criterion, criterion_group, criterion_main};
use knapsack_oracle::{BudgetStaircase, KnapsackItem, most_solved};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const POOLS: usize = 512;

fn unit_oracle(c: &mut Criterion) {
    let mut group = c.benchmark_group("unit_oracle");
    group.sample_size(30).measurement_time(Duration::from_secs(2));
    group.warm_up_time(Duration::from_millis(300));
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for solved_tenths in [6, 10] {
        let mut pool = || -> (Vec<(u64, bool)>, u64) {
            let mut item =
                || (rng.random_range(1_000..100_000), rng.random_range(0..10) < solved_tenths);
            let items: Vec<(u64, bool)> = (0..30).map(|_| item()).collect();
            let budget = items.iter().map(|item| item.0).sum::<u64>() / 2;
            (items, budget)
        };
        let pools: Vec<_> = (0..POOLS).map(|_| pool()).collect();
        let mut next = 0;
        group.bench_function(format!("30_items/solved_{}", f64::from(solved_tenths) / 10.0), |b| {
            b.iter(|| {
                next = (next + 1) % POOLS;
                let (items, budget) = &pools[next];
                most_solved(items.iter().copied(), black_box(*budget))
            });
        });
    }
    for (name, highest_value) in [("equal", 1), ("up_to_10", 10), ("up_to_1e6", 1_000_000)] {
        let costs: Vec<u64> = (0..30).map(|_| rng.random_range(1_000..100_000)).collect();
        let item =
            |&weight: &u64| KnapsackItem { profit: rng.random_range(1..=highest_value), weight };
        let items: Vec<KnapsackItem> = costs.iter().map(item).collect();
        group.bench_function(format!("staircase_30/values_{name}"), |b| {
            b.iter(|| BudgetStaircase::new(black_box(&items)).unwrap());
        });
    }
    group.finish();
}

criterion_group!(benches, unit_oracle);
criterion_main!(benches);
