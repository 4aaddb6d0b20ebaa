//! The exact oracle on a pool of 30 tasks with token costs.
//!
//! `cargo bench --bench knapsack_pool`
#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{Criterion, criterion_group, criterion_main};
use knapsack_oracle::{Knapsack, KnapsackItem};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn pools(c: &mut Criterion) {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut group = c.benchmark_group("knapsack_pool/30");
    for (name, top) in [("unit_values", 1_u64), ("values_1_to_10", 10)] {
        // 64 pools in turn, at a budget of half the cost of all, so that no one pool decides.
        let pools: Vec<(u64, Vec<KnapsackItem>)> = (0..64)
            .map(|_| {
                let values: Vec<u64> = (0..30).map(|_| rng.random_range(1..=top)).collect();
                let costs: Vec<u64> =
                    (0..30).map(|_| 10.0_f64.powf(rng.random_range(3.0..5.0)) as u64).collect();
                let budget = costs.iter().sum::<u64>() / 2;
                let items = values.into_iter().zip(costs);
                (budget, items.map(|(profit, weight)| KnapsackItem { profit, weight }).collect())
            })
            .collect();
        let mut next = 0;
        group.bench_function(name, |b| {
            b.iter(|| {
                next = (next + 1) % pools.len();
                let (budget, items) = &pools[next];
                Knapsack::new(*budget, items).unwrap().solve().value
            });
        });
    }
    group.finish();
}

criterion_group!(benches, pools);
criterion_main!(benches);
