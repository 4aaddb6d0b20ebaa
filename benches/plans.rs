//! The best plan in random graphs of typed tools of several kinds, and in a large one.
//!
//! Before criterion's figures stands how the time of one plan is distributed over 30 graphs of each kind,
//! of those whose best plan has 15 calls or more.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

#[allow(dead_code, reason = "each benchmark uses a part of it")]
mod typed_graphs;

use std::{hint::black_box, time::Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use tool_graph::Error;
use typed_graphs::{KINDS, Kind, LARGE};

/// The lowest of three runs in milliseconds, unless the plan is short; infinite if the search reaches its limit.
fn time_of_plan(kind: &Kind, seed: u64) -> Option<f64> {
    let (graph, problem) = kind.graph(seed);
    let mut lowest = f64::INFINITY;
    for _ in 0..3 {
        let start = Instant::now();
        let plan = match graph.optimal_plan(&problem) {
            Err(Error::PlanLimit { .. }) => return Some(f64::INFINITY),
            found => found.unwrap()?,
        };
        lowest = lowest.min(start.elapsed().as_secs_f64() * 1e3);
        if plan.tools.len() < 15 {
            return None;
        }
    }
    Some(lowest)
}

fn print_times(name: &str, times: &mut [f64]) {
    times.sort_by(f64::total_cmp);
    let Some(last) = times.len().checked_sub(1) else { return };
    println!(
        "{name}: {} graphs, median {:.1} ms, 99 % {:.1} ms, most {:.1} ms",
        times.len(),
        times[last / 2],
        times[last * 99 / 100],
        times[last]
    );
}

fn plans(c: &mut Criterion) {
    let mut all = Vec::new();
    for kind in &KINDS {
        let mut times: Vec<f64> = (0..30).filter_map(|seed| time_of_plan(kind, seed)).collect();
        print_times(kind.name, &mut times);
        all.extend(times);
    }
    print_times("all", &mut all);
    let mut group = c.benchmark_group("optimal_plan");
    group.sample_size(10);
    for kind in KINDS.iter().chain([&LARGE]) {
        let (graph, problem) = kind.graph(4);
        group.bench_function(kind.name, |b| {
            b.iter(|| graph.optimal_plan(black_box(&problem)).unwrap());
        });
    }
}

criterion_group!(benches, plans);
criterion_main!(benches);
