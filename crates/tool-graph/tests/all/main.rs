//! Libraries, plans, runs and scores, and CostBench's files.
#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

#[cfg(feature = "costbench")]
mod costbench_costs;
#[cfg(feature = "costbench")]
mod costbench_library;
#[cfg(feature = "costbench")]
mod costbench_recorded;
mod environment;
mod environment_rules;
#[cfg(feature = "costbench")]
mod events;
mod greedy;
mod libraries;
mod nearest_plan;
mod plans;
mod published;
mod random_tools;
#[cfg(feature = "json")]
mod scenario_file;
mod search_agreement;
mod search_limit;
#[cfg(feature = "serde")]
mod stored;

use serde_json::Value;
#[cfg(feature = "costbench")]
use tool_graph::costbench::{CostModel, EventKind, Library, Task};
use tool_graph::{Episode, Error, Event, Problem, Scenario, Tool, ToolGraph, Transcript};

const EMPTY: Error = Error::ScoringRules(scoring_rules::Error::Empty);

fn length(expected: usize, found: usize) -> Error {
    Error::ScoringRules(scoring_rules::checks::length("costs", expected, found))
}

/// A file about CostBench.
fn golden(name: &str) -> Value {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/costbench");
    let text = std::fs::read_to_string(format!("{folder}/{name}.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[cfg(feature = "costbench")]
fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

fn graph_of(tools: Vec<Tool>, start: &[&str], goal: &[&str]) -> (ToolGraph, Problem) {
    let graph = ToolGraph::new(tools).unwrap();
    let problem = graph.problem(start, goal).unwrap();
    (graph, problem)
}

fn scenario_of(tools: Vec<Tool>, start: &[&str], goal: &[&str]) -> Scenario {
    let (graph, problem) = graph_of(tools, start, goal);
    Scenario::new(graph, problem).unwrap()
}

/// Tools with one input and one output each: the name, the two data types and the cost.
fn links(tools: &[(&str, &str, &str, f64)]) -> Vec<Tool> {
    tools.iter().map(|&(name, from, to, cost)| Tool::new(name, [from], [to], cost)).collect()
}

/// Two tools for the first step and one for the second, and a tool that no plan needs.
fn four_tools() -> Vec<Tool> {
    links(&[
        ("search", "query", "hits", 4.0),
        ("ask", "query", "hits", 7.0),
        ("pick", "hits", "choice", 2.0),
        ("chat", "query", "smile", 1.0),
    ])
}

/// A chain of `n` atomic tools `0 -> 1 -> … -> n` and a composite tool for every sequence of two or more
/// of them except the whole chain, with costs by length.
fn chain(n: usize, cost: impl Fn(f64) -> f64) -> Scenario {
    let mut tools = Vec::new();
    for length in 1..n {
        for first in 0..=n - length {
            let last = first + length;
            let [from, to] = [first, last].map(|step| step.to_string());
            let tool = Tool::new(format!("{from}-{to}"), [from], [to], cost(length as f64));
            let components = (first..last).map(|step| format!("{step}-{}", step + 1));
            tools.push(if length == 1 { tool } else { tool.with_components(components) });
        }
    }
    scenario_of(tools, &["0"], &[&n.to_string()])
}

/// The removal of all tools with so many components.
fn without_composites(graph: &ToolGraph, components: usize) -> Event {
    let has = |&tool: &usize| graph.components(tool).unwrap().len() == components;
    Event::RemoveTools((0..graph.tool_count()).filter(has).collect())
}

/// The cost that was paid for each call.
fn costs(run: &Transcript) -> Vec<f64> {
    run.calls.iter().map(|call| call.cost).collect()
}

/// The run with calls of these tools.
fn played(scenario: &Scenario, names: &[&str]) -> Transcript {
    let mut episode = Episode::new(scenario);
    names.iter().for_each(|name| drop(episode.call(name).unwrap()));
    episode.finish(true)
}

#[cfg(feature = "costbench")]
fn query_scenario(library: &Library, query: &str, task: Task, events: &[EventKind]) -> Scenario {
    CostModel::default().scenario(library, 42, query, task, events)
}

#[test]
fn all_public_types_are_send_and_sync() {
    fn assert_send_sync<T: Send + Sync>() {}
    assert_send_sync::<(Error, Scenario, Episode<'_>, Transcript, tool_graph::RunMeans)>();
}

#[cfg(feature = "serde")]
#[test]
fn the_scenario_file_of_the_readme_can_be_read() {
    let blocks = include_str!("../../README.md").split("```json\n").skip(1);
    let files: Vec<&str> = blocks.filter_map(|rest| rest.split("\n```").next()).collect();
    assert_eq!(files.len(), 1);
    let scenario = serde_json::from_str::<Scenario>(files[0]);
    assert!(scenario.is_ok_and(|scenario| scenario.events().len() == 4), "{}", files[0]);
}
