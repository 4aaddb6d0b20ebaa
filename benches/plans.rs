//! The best plan in a random graph of typed tools, and along chains whose costs change.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tool_graph::{Problem, Search, Tool, ToolGraph};

/// 60 data types, of which 4 are there from the start, and 200 tools that need one to three of the eight
/// types before the one they yield, and yield another one now and then. The goals are the last two types.
fn random_graph(seed: u64) -> (ToolGraph, Problem) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut below = |bound: u32| (u64::from(rng.next_u32()) * u64::from(bound) >> 32) as u32;
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
    let graph = ToolGraph::new(tools).expect("a library without fault");
    let start: Vec<String> = (0..4).map(name).collect();
    let problem = graph.problem(&start, &[name(58), name(59)]).expect("a goal that is yielded");
    (graph, problem)
}

/// A chain of eight steps with a tool for each stretch of it but the whole: 35 tools.
fn chain() -> (ToolGraph, Problem) {
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
    let graph = ToolGraph::new(tools).expect("a library without fault");
    let problem = graph.problem(&["step0", "time"], &["step8"]).expect("a goal that is yielded");
    (graph, problem)
}

fn plans(c: &mut Criterion) {
    for seed in 0..40 {
        let (graph, problem) = random_graph(seed);
        let t = std::time::Instant::now();
        let plan = graph.optimal_plan(&problem).unwrap();
        let t = t.elapsed();
        eprintln!("{seed} {:?} {:?}", plan.map(|p| p.tools().len()), t);
    }
    let _ = c;
    let _ = (black_box(0), chain(), Search::Chain);
}

criterion_group!(benches, plans);
criterion_main!(benches);
