//! The bootstrap: 10,000 replicates of a mean and of AUROC at 2,229 rows, one thread, by the paths made
//! for them and by a closure on counts; the same over 278 clusters of up to 9 rows.
//!
//! `cargo bench --bench bootstrap`; `python3 benches/rivals_bootstrap.py` does the same work with
//! SciPy and scikit-learn.
#![allow(missing_docs, clippy::unwrap_used)]

use std::time::Duration;

use benches::random_rows;
use criterion::{Criterion, criterion_group, criterion_main};
use trajectory_metrics::{Bootstrap, Probability, Ranking, Seed, TiedBlocks, Weight, auroc};

const ROWS: usize = 2_229;
const RESAMPLES: usize = 10_000;

fn replicates(c: &mut Criterion) {
    let (values, outcomes) = random_rows(ROWS, 7);
    let rounded: Vec<f64> = values.iter().map(|p| (p * 100.0).round() / 100.0).collect();
    let ranking =
        |values| Ranking::new(Probability::from_slice(values).unwrap(), &outcomes).unwrap();
    let (ranking, tied) = (ranking(&values), ranking(&rounded));
    let weights: Vec<f64> = outcomes.iter().map(|&y| if y { 1.0 } else { 2.0 }).collect();
    let rows = Bootstrap::rows(ROWS, Seed(7)).unwrap();
    let tasks: Vec<usize> = (0..ROWS).map(|row| row * 31 % 278).collect();
    let clusters = Bootstrap::clusters(&tasks, Seed(7)).unwrap();

    let mut group = c.benchmark_group("bootstrap/2229x10000");
    group.sample_size(10).measurement_time(Duration::from_secs(2));
    group.warm_up_time(Duration::from_millis(300));
    group.bench_function("mean", |b| b.iter(|| rows.mean(&values, None, RESAMPLES)));
    group.bench_function("mean_weighted", |b| {
        b.iter(|| rows.mean(&values, Some(Weight::from_slice(&weights).unwrap()), RESAMPLES));
    });
    group.bench_function("mean_clusters", |b| b.iter(|| clusters.mean(&values, None, RESAMPLES)));
    group.bench_function("mean_closure", |b| {
        b.iter(|| {
            rows.replicates(RESAMPLES, |counts| {
                let sum: f64 = values.iter().zip(counts).map(|(v, &n)| v * f64::from(n)).sum();
                [Ok(sum / ROWS as f64)]
            })
        });
    });
    group.bench_function("auroc", |b| b.iter(|| rows.auroc(&ranking, RESAMPLES)));
    group.bench_function("auroc_two_decimals", |b| b.iter(|| rows.auroc(&tied, RESAMPLES)));
    group.bench_function("auroc_clusters", |b| b.iter(|| clusters.auroc(&ranking, RESAMPLES)));
    group.bench_function("auroc_closure", |b| {
        b.iter(|| {
            rows.replicates(RESAMPLES, |counts| {
                let mut blocks = TiedBlocks::default();
                [ranking.resample(counts, &mut blocks).and_then(|()| auroc(&blocks))]
            })
        });
    });
    group.bench_function("draw", |b| {
        let mut counts = Vec::new();
        b.iter(|| (0..RESAMPLES as u64).for_each(|replicate| rows.draw(replicate, &mut counts)));
    });
    group.finish();
}

criterion_group!(benches, replicates);
criterion_main!(benches);
