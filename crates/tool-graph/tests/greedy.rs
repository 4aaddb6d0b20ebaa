//! The greedy policy: the reference runs of the released benchmark, and its rules.
#![cfg(feature = "costbench")]
#![allow(clippy::unwrap_used)]

mod one_output;

use one_output::tool;
use serde_json::Value;
use tool_graph::costbench::{CostModel, Library};
use tool_graph::{Error, GreedyRule, Scenario, TieRule, ToolGraph};

#[test]
fn all_reference_runs_have_the_released_optimal_and_greedy_paths_and_costs() {
    let runs: Vec<Value> =
        serde_json::from_str(include_str!("golden/costbench/reference_runs.json")).unwrap();
    assert_eq!(runs.len(), 24);
    for run in &runs {
        let text = |field: &str| run[field].as_str().unwrap();
        let library = Library::new(run["refinement_level"].as_u64().unwrap() as usize).unwrap();
        let task = text("task").parse().unwrap();
        let scenario = CostModel::default().scenario(&library, 42, text("query_id"), task, &[]);
        let (graph, problem) = (scenario.graph(), scenario.problem());
        let plans = [
            ("optimal", "optimal_cost", scenario.optimal_plan()),
            ("optimal", "optimal_cost", graph.optimal_plan(problem).unwrap().unwrap()),
            (
                "greedy",
                "greedy_cost",
                graph.greedy_plan(problem, GreedyRule::Chain).unwrap().unwrap(),
            ),
        ];
        for (path, cost, plan) in plans {
            let expected: Vec<&str> =
                run[path].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
            assert_eq!(graph.tool_names(plan.tools()), expected, "{} {path}", text("query_id"));
            let cents = (run[cost].as_f64().unwrap() * 100.0).round() / 100.0;
            assert_eq!(plan.cost(), cents, "{} {path}", text("query_id"));
        }
        let run = scenario.greedy_run(GreedyRule::Chain);
        let plan = graph.greedy_plan(problem, GreedyRule::Chain).unwrap().unwrap();
        assert_eq!(run.path(), plan.tools());
    }
}

#[test]
fn without_the_chain_rule_a_call_need_not_use_the_previous_call() {
    let graph = ToolGraph::new(vec![
        tool("left", &["start"], "l", 1.0, &[]),
        tool("right", &["start"], "r", 2.0, &[]),
        tool("join", &["l", "r"], "goal", 3.0, &[]),
    ])
    .unwrap();
    let problem = graph.problem(&["start"], &["goal"]).unwrap();
    let plan = graph.greedy_plan(&problem, GreedyRule::Any).unwrap().unwrap();
    assert_eq!((plan.tools(), plan.cost()), (&[0, 1, 2][..], 6.0));
    // No callable tool needs the output of the first call.
    assert_eq!(graph.greedy_plan(&problem, GreedyRule::Chain).unwrap(), None);
}

#[test]
fn a_composite_of_composites_counts_as_the_number_of_its_atomic_tools() {
    let graph = ToolGraph::new(vec![
        tool("a", &["0"], "1", 10.0, &[]),
        tool("b", &["1"], "2", 10.0, &[]),
        tool("c", &["2"], "3", 10.0, &[]),
        tool("ab", &["0"], "2", 19.0, &["a", "b"]),
        // 9.4 per atomic tool; by its two components it would be 14.1.
        tool("abc", &["0"], "3", 28.2, &["ab", "c"]),
    ])
    .unwrap();
    let problem = graph.problem(&["0"], &["3"]).unwrap();
    let plan = graph.greedy_plan(&problem, GreedyRule::Chain).unwrap().unwrap();
    assert_eq!(graph.tool_names(plan.tools()), ["abc"]);
}

#[test]
fn ties_go_to_the_first_tool_and_useless_tools_are_not_considered() {
    let graph = ToolGraph::new(vec![
        tool("cheap_and_useless", &["0"], "x", 0.0, &[]),
        tool("pair", &["0"], "2", 20.0, &["one", "two"]),
        tool("one", &["0"], "1", 10.0, &[]),
        tool("two", &["1"], "2", 10.0, &[]),
    ])
    .unwrap();
    let problem = graph.problem(&["0"], &["2"]).unwrap();
    for rule in [GreedyRule::Chain, GreedyRule::Any] {
        let plan = graph.greedy_plan(&problem, rule).unwrap().unwrap();
        assert_eq!(graph.tool_names(plan.tools()), ["pair"]);
    }
}

#[test]
fn the_greedy_plan_is_empty_at_the_goal_and_missing_if_the_goal_is_unreachable() {
    let graph = ToolGraph::new(vec![tool("a", &["0"], "1", 1.0, &[])]).unwrap();
    let there = graph.problem(&["1"], &["1"]).unwrap();
    assert!(graph.greedy_plan(&there, GreedyRule::Chain).unwrap().unwrap().tools().is_empty());
    let none: [&str; 0] = [];
    let never = graph.problem(&none, &["1"]).unwrap();
    assert_eq!(graph.greedy_plan(&never, GreedyRule::Chain).unwrap(), None);
    let other = ToolGraph::new(vec![tool("a", &["0", "2"], "1", 1.0, &[])]).unwrap();
    let error = other.greedy_plan(&there, GreedyRule::Chain);
    assert_eq!(error, Err(Error::OtherGraph));
}

#[test]
fn the_released_tie_rule_compares_rounded_sums_and_leaves_ties_to_the_heap() {
    // As f64 numbers, 0.1 + 0.2 is 0.30000000000000004 and 0.05 + 0.05 + 0.15 + 0.05 is 0.3.
    let rounded = ToolGraph::new(vec![
        tool("a", &["0"], "1", 0.1, &[]),
        tool("b", &["1"], "3", 0.2, &[]),
        tool("c", &["0"], "2", 0.05, &[]),
        tool("d", &["2"], "4", 0.05, &[]),
        tool("e", &["4"], "5", 0.15, &[]),
        tool("f", &["5"], "3", 0.05, &[]),
    ])
    .unwrap();
    let problem = rounded.problem(&["0"], &["3"]).unwrap();
    let few = TieRule::FewestCalls.optimal_plan(&rounded, &problem).unwrap().unwrap();
    let released = TieRule::Released.optimal_plan(&rounded, &problem).unwrap().unwrap();
    assert_eq!((few.tools(), released.tools()), (&[0, 1][..], &[2, 3, 4, 5][..]));
    assert_eq!((few.cost(), released.cost()), (0.3, 0.3));

    let places = ToolGraph::new(vec![
        tool("a", &["0"], "1", 1.0, &[]),
        tool("b", &["0"], "2", 1.0, &[]),
        tool("c", &["2"], "3", 1.0, &[]),
        tool("d", &["1"], "3", 1.0, &[]),
    ])
    .unwrap();
    let problem = places.problem(&["0"], &["3"]).unwrap();
    let few = TieRule::FewestCalls.optimal_plan(&places, &problem).unwrap().unwrap();
    let released = TieRule::Released.optimal_plan(&places, &problem).unwrap().unwrap();
    // The heap of the released solver returns the state of `b` before that of `a`.
    assert_eq!((few.tools(), released.tools()), (&[0, 3][..], &[1, 2][..]));
}

#[test]
fn the_default_rule_is_only_stuck_where_every_rule_is() {
    // Two searches feed one join, and the chain rule has no way from one search to the other.
    let graph = ToolGraph::new(vec![
        tool("hotels", &["query"], "rooms", 1.0, &[]),
        tool("flights", &["query"], "seats", 2.0, &[]),
        tool("bundle", &["rooms", "seats"], "trip", 3.0, &[]),
    ])
    .unwrap();
    let problem = graph.problem(&["query"], &["trip"]).unwrap();
    assert_eq!(graph.greedy_plan(&problem, GreedyRule::Chain).unwrap(), None);
    let plan = graph.greedy_plan(&problem, GreedyRule::default()).unwrap();
    assert_eq!(plan.map(|plan| plan.cost()), Some(6.0));

    let scenario = Scenario::new(graph, problem).unwrap();
    let stuck = scenario.greedy_run(GreedyRule::Chain);
    assert_eq!((stuck.is_stuck(), stuck.goal_reached(), stuck.path()), (true, false, vec![0]));
    let run = scenario.greedy_run(GreedyRule::default());
    assert_eq!((run.is_stuck(), run.goal_reached()), (false, true));
}
