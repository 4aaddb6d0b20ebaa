//! 381 queries of CostBench at the highest published level: library, costs and graph made anew for each,
//! the optimal plan and the greedy one, and the optimal run under one event of each kind.
//!
//! `cargo bench --bench costbench_policies`; each number is the time of all 381.
#![allow(clippy::unwrap_used, missing_docs)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use tool_graph::costbench::{CostModel, EventKind, Library, Task};
use tool_graph::{GreedyRule, Scenario, TieRule, ToolGraph};

fn queries(each: impl Fn(Scenario), events: &[EventKind]) {
    for query in 0..381 {
        let task = Task::ALL[query % 6];
        let library = Library::new(5).unwrap();
        let id = format!("<Query{query:05}>");
        each(CostModel::default().scenario(&library, 42, &id, task, events));
    }
}

fn costbench_policies(c: &mut Criterion) {
    c.bench_function("381 queries: tools of the task, costs, optimal and greedy", |b| {
        b.iter(|| {
            for query in 0..381 {
                let task = Task::ALL[query % 6];
                let library = Library::new(5).unwrap();
                let costs = CostModel::default().costs(&library, 42, &format!("<Query{query:05}>"));
                let callable = library.callable_tools(task, &costs).unwrap();
                let entries = library.entries().iter();
                let entries = entries.filter(|it| [task, Task::Location].contains(&it.task));
                let own = entries.zip(callable).filter(|(entry, _)| entry.task == task);
                let own = own.map(|(_, tool)| tool);
                let graph = ToolGraph::new(own.collect()).unwrap();
                let problem = graph.problem(task.initial_types(), &[task.goal()]).unwrap();
                black_box(TieRule::Released.optimal_plan(&graph, &problem).unwrap());
                black_box(graph.greedy_plan(&problem, GreedyRule::Chain).unwrap());
            }
        });
    });
    c.bench_function("381 queries: callable tools, costs, optimal by released ties", |b| {
        b.iter(|| {
            for query in 0..381 {
                let task = Task::ALL[query % 6];
                let library = Library::new(5).unwrap();
                let costs = CostModel::default().costs(&library, 42, &format!("<Query{query:05}>"));
                let graph = ToolGraph::new(library.callable_tools(task, &costs).unwrap()).unwrap();
                let problem = graph.problem(task.initial_types(), &[task.goal()]).unwrap();
                black_box(TieRule::Released.optimal_plan(&graph, &problem).unwrap());
            }
        });
    });
    c.bench_function("381 queries: all tools, costs, optimal and greedy", |b| {
        b.iter(|| {
            let both = |scenario: Scenario| {
                let (graph, problem) = (scenario.graph(), scenario.problem());
                black_box(scenario.optimal_plan());
                black_box(graph.greedy_plan(problem, GreedyRule::Chain).unwrap());
            };
            queries(both, &[]);
        });
    });
    c.bench_function("381 queries: optimal run with four events", |b| {
        use EventKind::{BanTool, CostChange, PreferenceChange, RemoveTools};
        let events = [CostChange, BanTool, PreferenceChange, RemoveTools];
        let run = |scenario: Scenario| drop(black_box(scenario.optimal_run()));
        b.iter(|| queries(run, &events));
    });
}

criterion_group!(benches, costbench_policies);
criterion_main!(benches);
