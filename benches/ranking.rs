//! Blocks of equal confidence, and AUROC, average precision and AURC of them, in one pass and one by one,
//! for confidences of two decimals and for confidences without ties; beside what it costs to read the rows,
//! to sort whole numbers of the same kind with the standard library, and to sort the rows as a user would.
//!
//! `cargo bench --bench ranking`; criterion prints elements a second, 1 G elem/s is 1 ns a row.
//! `python3 benches/rivals_ranking.py` does the same work with scikit-learn.
#![allow(missing_docs, clippy::unwrap_used)]

use std::{hint::black_box, time::Duration};

use benches::random_rows;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use trajectory_metrics::{
    Diagnostics, Figure, PositiveClass, Probability, TiedBlocks, Weight, aurc, auroc,
    average_precision,
};

const SIZES: [usize; 3] = [1_000, 100_000, 1_000_000];

fn all(blocks: &TiedBlocks) -> [f64; 3] {
    [
        auroc(blocks).unwrap(),
        average_precision(blocks, PositiveClass::Failure).unwrap(),
        aurc(blocks).unwrap(),
    ]
}

fn ranking(c: &mut Criterion) {
    for (name, decimals) in [("two_decimals", true), ("no_ties", false)] {
        for size in SIZES {
            let (mut values, outcomes) = random_rows(size, 7);
            if decimals {
                values.iter_mut().for_each(|p| *p = (100.0 * *p).round() / 100.0);
            }
            let confidence = Probability::from_slice(&values).unwrap();
            let mut group = c.benchmark_group(format!("{name}/{size}"));
            group.throughput(Throughput::Elements(size as u64));
            group.sample_size(20).measurement_time(Duration::from_secs(2));
            group.warm_up_time(Duration::from_millis(500));

            // Of the rows already, so that each measurement can be taken alone.
            let mut blocks = TiedBlocks::new(confidence, &outcomes, None).unwrap();
            group.bench_function("blocks_and_all_three", |b| {
                b.iter(|| {
                    blocks.rebuild(black_box(confidence), &outcomes, None).unwrap();
                    Diagnostics::of_ranks(&blocks)
                });
            });
            group.bench_function("blocks_and_three_functions", |b| {
                b.iter(|| {
                    blocks.rebuild(black_box(confidence), &outcomes, None).unwrap();
                    all(&blocks)
                });
            });
            group.bench_function("all_three", |b| {
                b.iter(|| Diagnostics::of_ranks(black_box(&blocks)));
            });
            group.bench_function("blocks", |b| {
                b.iter(|| blocks.rebuild(black_box(confidence), &outcomes, None).unwrap());
            });
            group.bench_function("blocks_without_scratch", |b| {
                b.iter(|| TiedBlocks::new(black_box(confidence), &outcomes, None).unwrap());
            });
            group.bench_function("auroc", |b| b.iter(|| auroc(black_box(&blocks))));
            group.bench_function("average_precision", |b| {
                b.iter(|| average_precision(black_box(&blocks), PositiveClass::Failure));
            });
            group.bench_function("aurc", |b| b.iter(|| aurc(black_box(&blocks))));

            group.bench_function("delong", |b| b.iter(|| Figure::auroc(black_box(&blocks))));

            let ones = vec![1.0; size];
            group.bench_function("blocks_of_weighted_rows", |b| {
                b.iter(|| {
                    let weights = Weight::from_slice(&ones).unwrap();
                    blocks.rebuild(black_box(confidence), &outcomes, Some(weights)).unwrap();
                });
            });
            group.bench_function("streaming_limit", |b| {
                b.iter(|| {
                    let rows = black_box(&values).iter().zip(&outcomes);
                    rows.fold(0_u64, |sum, (p, &y)| sum ^ (p.to_bits() << 1 | u64::from(y)))
                });
            });
            let mut keys: Vec<u64> = Vec::new();
            group.bench_function("sort_unstable_of_u64", |b| {
                b.iter(|| {
                    keys.clear();
                    let rows = black_box(&values).iter().zip(&outcomes);
                    keys.extend(rows.map(|(p, &y)| p.to_bits() << 1 | u64::from(y)));
                    keys.sort_unstable();
                });
            });
            let mut rows: Vec<(f64, bool)> = Vec::new();
            group.bench_function("sort_unstable_of_pairs", |b| {
                b.iter(|| {
                    rows.clear();
                    rows.extend(black_box(&values).iter().copied().zip(outcomes.iter().copied()));
                    rows.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
                });
            });
            group.finish();
        }
    }
}

criterion_group!(benches, ranking);
criterion_main!(benches);
