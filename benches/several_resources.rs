//! The exact choice of 60 random items under several budgets of half of what all would take: profits
//! apart from weights, and profits that follow them. Ten instances each.
//!
//! `cargo bench --bench several_resources`.
#![allow(missing_docs, clippy::unwrap_used)]

use std::{hint::black_box, time::Duration};

use criterion::{Criterion, criterion_group, criterion_main};
use knapsack_oracle::{Knapsack, KnapsackItem};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

struct Instance<const R: usize> {
    capacities: [u64; R],
    items: Vec<KnapsackItem<[u64; R]>>,
}

fn instance<const R: usize>(rng: &mut ChaCha8Rng, items: usize, follow: bool) -> Instance<R> {
    let weights: Vec<[u64; R]> =
        (0..items).map(|_| std::array::from_fn(|_| rng.random_range(1..=1_000))).collect();
    let mut profit = |weights: &[u64; R]| {
        let own = rng.random_range(1..=if follow { 500 } else { 1_000 });
        if follow { weights.iter().sum::<u64>() / R as u64 + own } else { own }
    };
    let total = |r: usize| weights.iter().map(|weights| weights[r]).sum::<u64>();
    let item = |weight: &[u64; R]| KnapsackItem { profit: profit(weight), weight: *weight };
    let items = weights.iter().map(item).collect();
    Instance { capacities: std::array::from_fn(|r| total(r) / 2), items }
}

fn group<const R: usize>(c: &mut Criterion) {
    let mut group = c.benchmark_group(format!("several_resources/60x{R}"));
    group.sample_size(10).measurement_time(Duration::from_secs(2));
    group.warm_up_time(Duration::from_millis(300));
    for (name, follow) in [("apart", false), ("following", true)] {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let instances: Vec<Instance<R>> = (0..10).map(|_| instance(&mut rng, 60, follow)).collect();
        group.bench_function(format!("{name}_all_ten"), |b| {
            b.iter(|| {
                instances
                    .iter()
                    .map(|Instance { capacities, items }| {
                        let knapsack = Knapsack::several(*capacities, items).unwrap();
                        black_box(knapsack).solve().value
                    })
                    .sum::<u64>()
            });
        });
    }
    group.finish();
}

fn several_resources(c: &mut Criterion) {
    group::<2>(c);
    group::<3>(c);
    group::<5>(c);
}

criterion_group!(benches, several_resources);
criterion_main!(benches);
