//! The mean trajectory proper score of 10^6 steps in traces of about ten, linear-front weights, by
//! rule, and what the same work costs in plainer ways.
//!
//! `cargo bench --bench tps`; nanoseconds a step are the time in milliseconds, as there are 10^6
//! steps. `python3 benches/rivals.py` does the same work with numba, NumPy and SciPy.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use benches::random_traces;
use criterion::{
    BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use scoring_rules::AnyRule;
use statrs::function::beta::{beta, beta_reg};
use trajectory_metrics::{
    BetaScore, BrierScore, ExactMean, LogScore, OnlineTps, Probability, ScoringRule, Tps, Trace,
    Traces, Weight, WeightSchedule, from_fn,
};

const STEPS: usize = 1_000_000;

fn group<'a>(c: &'a mut Criterion, name: &str, traces: &Traces) -> BenchmarkGroup<'a, WallTime> {
    let mut group = c.benchmark_group(name);
    group.throughput(Throughput::Elements(traces.steps() as u64)).sample_size(30);
    group
}

fn mean<R: ScoringRule>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    rule: R,
    traces: &Traces,
) {
    let tps = Tps::new(rule, WeightSchedule::LinearFront);
    group.bench_function(name, |b| b.iter(|| tps.mean(black_box(traces), None).unwrap()));
}

fn mean_scores(c: &mut Criterion) {
    let traces = random_traces(STEPS, 7);
    let mut group = group(c, "mean_tps", &traces);
    mean(&mut group, "log_clipped", LogScore::clipped(1e-6).unwrap(), &traces);
    mean(&mut group, "brier", BrierScore, &traces);
    mean(&mut group, "beta_2_4", BetaScore::new(2.0, 4.0).unwrap(), &traces);
    mean(&mut group, "beta_0.5_1.7", BetaScore::new(0.5, 1.7).unwrap(), &traces);
    group.finish();
}

/// The same scores as a user would write them: one logarithm, one library call a step.
fn plain_rules(c: &mut Criterion) {
    let traces = random_traces(STEPS, 7);
    let mut group = group(c, "mean_tps_of_a_plain_rule", &traces);
    let log = from_fn(|p: Probability, outcome: bool| {
        let given = if outcome { p } else { p.complement() };
        given.get().clamp(1e-6, 1.0 - 1e-6).ln()
    });
    mean(&mut group, "log_clipped", log, &traces);
    let (success, failure) = (beta(2.7, 0.5), beta(1.5, 1.7));
    let statrs = from_fn(move |p: Probability, outcome: bool| {
        if outcome {
            -success * beta_reg(2.7, 0.5, p.complement().get())
        } else {
            -failure * beta_reg(1.5, 1.7, p.get())
        }
    });
    mean(&mut group, "beta_0.5_1.7_by_statrs", statrs, &traces);
    group.finish();
}

/// Inside an agent's loop: one push a step.
fn online(c: &mut Criterion) {
    let traces = random_traces(STEPS, 7);
    let mut group = group(c, "online_tps", &traces);
    let custom = WeightSchedule::custom(&[Weight::ONE; 64]).unwrap();
    let [front, uniform, exponential, _] = WeightSchedule::NAMED;
    for schedule in [front, uniform, exponential, custom] {
        for rule in ["log:1e-6", "brier"] {
            let tps = Tps::new(rule.parse::<AnyRule>().unwrap(), schedule.clone());
            group
                .bench_function(format!("{rule}_{schedule}"), |b| b.iter(|| pushed(&tps, &traces)));
        }
    }
    let tps = Tps::new(LogScore::clipped(1e-6).unwrap(), WeightSchedule::LinearFront);
    group.bench_function("log_clipped", |b| b.iter(|| pushed(&tps, &traces)));
    let tps = Tps::new(BrierScore, WeightSchedule::LinearFront);
    group.bench_function("brier", |b| b.iter(|| pushed(&tps, &traces)));
    group.finish();
}

fn pushed<R: ScoringRule + Clone>(tps: &Tps<R>, traces: &Traces) -> f64 {
    let score = |trace: Trace<'_>| {
        let mut online = OnlineTps::new(tps.clone());
        trace.forecasts().iter().for_each(|&forecast| online.push(forecast));
        online.finish(trace.outcome()).unwrap_or(0.0)
    };
    black_box(traces).iter().map(score).sum()
}

/// What it costs to read the forecasts at all.
fn streaming_limit(c: &mut Criterion) {
    let values: Vec<f64> = random_traces(STEPS, 7)
        .iter()
        .flat_map(|trace| Probability::as_f64_slice(trace.forecasts()).to_vec())
        .collect();
    let mut group = c.benchmark_group("streaming_limit");
    group.throughput(Throughput::Elements(values.len() as u64));
    group.bench_function("sum", |b| {
        b.iter(|| {
            let lanes = black_box(&values).as_chunks::<8>().0;
            lanes
                .iter()
                .fold([0.0; 8], |sums: [f64; 8], lane| std::array::from_fn(|i| sums[i] + lane[i]))
        });
    });
    group.finish();
}

/// What comes once a trace and once a rule.
fn parts(c: &mut Criterion) {
    let scores: Vec<f64> = (1..=100_000).map(|i| -1.0 / f64::from(i)).collect();
    c.bench_function("exact_mean/1e5_values", |b| {
        b.iter(|| black_box(&scores).iter().copied().collect::<ExactMean>().finish().unwrap());
    });
    c.bench_function("beta_score_new/0.5_1.7", |b| {
        b.iter(|| BetaScore::new(black_box(0.5), 1.7).unwrap());
    });
}

criterion_group!(benches, mean_scores, plain_rules, online, streaming_limit, parts);
criterion_main!(benches);
