//! The mean trajectory proper score of 10^6 steps in traces of about ten, by rule.
//!
//! `cargo bench --bench tps`; the time a step is the inverse of the throughput that it prints.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use benches::random_traces;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use trajectory_metrics::{BetaScore, BrierScore, LogScore, ScoringRule, Tps, WeightSchedule};

fn mean_scores(c: &mut Criterion) {
    let traces = random_traces(1_000_000, 7);
    let mut group = c.benchmark_group("mean_tps_1e6_steps");
    group.throughput(Throughput::Elements(traces.steps() as u64));
    group.sample_size(30);
    fn add<R: ScoringRule>(
        group: &mut criterion::BenchmarkGroup<'_, criterion::measurement::WallTime>,
        name: &str,
        rule: R,
        traces: &trajectory_metrics::Traces,
    ) {
        let tps = Tps::new(rule, WeightSchedule::LinearFront);
        group.bench_function(name, |b| b.iter(|| tps.mean(black_box(traces), None).unwrap()));
    }
    add(&mut group, "log_clipped", LogScore::clipped(1e-6).unwrap(), &traces);
    add(&mut group, "brier", BrierScore, &traces);
    add(&mut group, "beta_2_4", BetaScore::new(2.0, 4.0).unwrap(), &traces);
    add(&mut group, "beta_0.5_1.7", BetaScore::new(0.5, 1.7).unwrap(), &traces);
    group.finish();
}

criterion_group!(benches, mean_scores);
criterion_main!(benches);
