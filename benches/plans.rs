//! The best plan in the first ten random graphs of typed tools that need 15 calls or more, and along a
//! chain of eight steps whose costs change.
//!
//! `cargo bench --bench plans`
#![allow(missing_docs, clippy::unwrap_used)]

use std::{hint::black_box, time::Duration};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tool_graph::{Problem, Tool, ToolGraph};

/// 60 data types, of which 4 are there from the start, and 200 tools that need one to three of the eight
/// types before the one they yield, and yield another one now and then. The goals are the last two types.
fn random_graph(seed: u64) -> (ToolGraph, Problem) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut below = |bound: u32| ((u64::from(rng.next_u32()) * u64::from(bound)) >> 32) as u32;
    let name = |number: u32| format!("type{number}");
    let tools = (0..200)
        .map(|tool| {
            let output = if tool < 56 { 4 + tool } else { 4 + below(56) };
            let needs = 1 + below(3);
            let mut outputs = vec![name(output)];
            if below(4) == 0 {
                outputs.push(name(4 + below(output - 3)));
            }
            Tool {
                name: format!("tool{tool}"),
                inputs: (0..needs).map(|_| name(output - 1 - below(output.min(8)))).collect(),
                outputs,
                cost: f64::from(500 + below(1500)) / 100.0,
                components: vec![],
            }
        })
        .collect();
    let graph = ToolGraph::new(tools).unwrap();
    let start: Vec<String> = (0..4).map(name).collect();
    let problem = graph.problem(&start, &[name(58), name(59)]).unwrap();
    (graph, problem)
}

/// A chain of eight steps with a tool for each stretch of it but the whole: 35 tools.
fn chain() -> (Vec<Tool>, ToolGraph, Problem) {
    let mut tools = Vec::new();
    for length in 1..8usize {
        for start in 0..=8 - length {
            tools.push(Tool {
                name: format!("from{start}to{}", start + length),
                inputs: vec![format!("step{start}"), "time".into()],
                outputs: vec![format!("step{}", start + length)],
                cost: 20.0 * length as f64,
                components: if length == 1 {
                    vec![]
                } else {
                    (start..start + length)
                        .map(|step| format!("from{step}to{}", step + 1))
                        .collect()
                },
            });
        }
    }
    let graph = ToolGraph::new(tools.clone()).unwrap();
    let problem = graph.problem(&["step0", "time"], &["step8"]).unwrap();
    (tools, graph, problem)
}

fn plans(c: &mut Criterion) {
    let mut group = c.benchmark_group("random_graph");
    group.sample_size(10).measurement_time(Duration::from_secs(2));
    let mut long = 0;
    for seed in 0.. {
        let (graph, problem) = random_graph(seed);
        let plan = graph.optimal_plan(&problem).unwrap().unwrap();
        let calls = plan.tools().len();
        if calls >= 15 {
            group.bench_function(format!("seed_{seed}/{calls}_calls"), |b| {
                b.iter(|| graph.optimal_plan(black_box(&problem)).unwrap());
            });
            long += 1;
        }
        if long == 10 {
            break;
        }
    }
    group.finish();

    let mut group = c.benchmark_group("chain_of_8");
    group.sample_size(20).measurement_time(Duration::from_secs(2));
    let (tools, graph, problem) = chain();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let costs: Vec<Vec<f64>> = (0..381)
        .map(|_| {
            let noise = |tool: &Tool| f64::from(rng.next_u32() % 1000) / 100.0 + tool.cost;
            tools.iter().map(noise).map(|cost| (cost * 100.0).round() / 100.0).collect()
        })
        .collect();
    group.throughput(Throughput::Elements(381));
    group.bench_function("381_times_new_costs_and_plan", |b| {
        b.iter(|| {
            let plan = |costs: &Vec<f64>| {
                let graph = graph.with_costs(costs).unwrap();
                graph.optimal_plan(&problem).unwrap().unwrap().cost()
            };
            black_box(&costs).iter().map(plan).sum::<f64>()
        });
    });
    group.bench_function("381_times_new_library_and_plan", |b| {
        b.iter(|| {
            let plan = |_| {
                let graph = ToolGraph::new(tools.clone()).unwrap();
                let problem = graph.problem(&["step0", "time"], &["step8"]).unwrap();
                graph.optimal_plan(&problem).unwrap().unwrap().cost()
            };
            (0..381).map(plan).sum::<f64>()
        });
    });
}

criterion_group!(benches, plans);
criterion_main!(benches);
