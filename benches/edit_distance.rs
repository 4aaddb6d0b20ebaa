//! Edit distance of one pair of paths: interned, generic, and by the rapidfuzz crate. Pairs are made
//! before; 40 tools, so that some calls agree. Numbers of calls start at 0, as an interner gives them, or
//! at 1,000 (`far`), where no table of 256 helps.
//!
//! `cargo bench --bench edit_distance`; each number is the time of 1,000 pairs of 5 to 20 calls
//! (microseconds are nanoseconds a pair), of 100 pairs of 60 to 64, or of one pair of 500.
#![allow(missing_docs, clippy::unwrap_used)]

use std::{hint::black_box, ops::RangeInclusive, time::Duration};

use criterion::{Criterion, criterion_group, criterion_main};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rapidfuzz::distance::levenshtein;
use trajectory_metrics::tool_calls::{Interner, edit_distance, interned_edit_distance};

type Pair = [Vec<u32>; 2];

fn pairs(count: usize, lengths: RangeInclusive<usize>, first: u32) -> Vec<Pair> {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut path = || {
        let length = rng.random_range(lengths.clone());
        (0..length).map(|_| first + rng.random_range(0..40)).collect()
    };
    (0..count).map(|_| [path(), path()]).collect()
}

fn each(c: &mut Criterion, name: &str, pairs: &[Pair], distance: impl Fn(&[u32], &[u32]) -> usize) {
    c.bench_function(name, |b| {
        b.iter(|| black_box(pairs).iter().map(|[a, b]| distance(a, b)).sum::<usize>());
    });
}

fn distances(c: &mut Criterion) {
    for (name, pairs) in [
        ("5_to_20", pairs(1_000, 5..=20, 0)),
        ("5_to_20_far", pairs(1_000, 5..=20, 1_000)),
        ("60_to_64", pairs(100, 60..=64, 0)),
        ("500", pairs(1, 500..=500, 0)),
        ("500_far", pairs(1, 500..=500, 1_000)),
    ] {
        each(c, &format!("edit_distance/{name}/interned"), &pairs, interned_edit_distance);
        each(c, &format!("edit_distance/{name}/generic"), &pairs, edit_distance);
        each(c, &format!("edit_distance/{name}/rapidfuzz"), &pairs, |a, b| {
            levenshtein::distance(a.iter().copied(), b.iter().copied())
        });
    }
}

/// What it costs to make numbers of names.
fn interning(c: &mut Criterion) {
    let pairs = pairs(1_000, 5..=20, 0);
    let names: Vec<Vec<String>> = pairs
        .iter()
        .flatten()
        .map(|path| path.iter().map(|call| format!("tool_number_{call}")).collect())
        .collect();
    c.bench_function("intern/5_to_20", |b| {
        b.iter(|| {
            let mut interner = Interner::default();
            black_box(&names)
                .iter()
                .map(|path| interner.intern_all(path.iter().map(String::as_str)).unwrap().len())
                .sum::<usize>()
        });
    });
}

fn settings() -> Criterion {
    Criterion::default()
        .sample_size(50)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
}

criterion_group!(name = benches; config = settings(); targets = distances, interning);
criterion_main!(benches);
