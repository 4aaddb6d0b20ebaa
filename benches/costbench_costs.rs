//! The CostBench library and its costs, made anew for each of 381 queries at refinement level 5.
//!
//! `cargo bench --bench costbench_costs`; each number is the time of all 381.
#![allow(clippy::unwrap_used, missing_docs)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use tool_graph::costbench::{CostModel, CostRule, Library};

fn costbench_costs(c: &mut Criterion) {
    let queries: Vec<String> = (1..=381).map(|query| format!("<Query{query:05}>")).collect();
    let model = CostModel::default();
    let mut group = c.benchmark_group("costbench_381_queries_level_5");
    group.sample_size(20);
    let library = || Library::new(black_box(5)).unwrap();
    group.bench_function("library", |b| {
        b.iter(|| queries.iter().map(|_| library().entries().len()).sum::<usize>());
    });
    let costs = |query: &String| model.costs(&library(), 42, query).iter().sum::<f64>();
    group.bench_function("library_and_costs", |b| {
        b.iter(|| queries.iter().map(costs).sum::<f64>());
    });
    let tools = |query: &String| {
        let library = library();
        library.tools(&model.costs(&library, 42, query)).unwrap().len()
    };
    group.bench_function("library_costs_and_tools", |b| {
        b.iter(|| queries.iter().map(tools).sum::<usize>());
    });
    let paper = model.with_rule(CostRule::PaperText);
    let costs = |query: &String| paper.costs(&library(), 42, query).iter().sum::<f64>();
    group.bench_function("library_and_costs_paper_text", |b| {
        b.iter(|| queries.iter().map(costs).sum::<f64>());
    });
    group.finish();
}

criterion_group!(benches, costbench_costs);
criterion_main!(benches);
