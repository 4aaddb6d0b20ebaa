//! The rules of the greedy policy, and of ties between plans.

use tool_graph::{Error, GreedyRule, Plan, Problem, Scenario, TieRule, Tool, ToolGraph};

use crate::{graph_of, links, scenario_of};

fn greedy(graph: &ToolGraph, problem: &Problem, rule: GreedyRule) -> Option<Plan> {
    graph.greedy_plan(problem, rule).unwrap()
}

/// Two searches feed one join, and the chain rule has no way from one search to the other.
fn join() -> Scenario {
    let tools = vec![
        Tool::new("left", ["start"], ["l"], 1.0),
        Tool::new("right", ["start"], ["r"], 2.0),
        Tool::new("join", ["l", "r"], ["goal"], 3.0),
    ];
    scenario_of(tools, &["start"], &["goal"])
}

#[test]
fn before_a_join_the_chain_rule_is_stuck_and_the_other_rules_are_not() {
    let scenario = join();
    let (graph, problem) = (scenario.graph(), scenario.problem());
    for rule in [GreedyRule::Any, GreedyRule::default()] {
        let plan = greedy(graph, problem, rule).unwrap();
        assert_eq!((plan.tools, plan.cost), (vec![0, 1, 2], 6.0));
        assert!(scenario.greedy_run(rule).goal_reached);
    }
    assert_eq!(greedy(graph, problem, GreedyRule::Chain), None);
    let stuck = scenario.greedy_run(GreedyRule::Chain);
    assert_eq!((stuck.goal_reached, stuck.path()), (false, vec![0]));
}

#[test]
fn costs_are_not_compared_with_those_of_a_reference_that_stopped_short() {
    let scenario = join();
    let best = scenario.optimal_run();
    let short = scenario.greedy_run(GreedyRule::Chain);
    assert!(!short.goal_reached && short.total_cost() < best.total_cost());
    let scores = best.scores(&short).unwrap();
    assert_eq!((scores.cost_gap, scores.cost_gap_without_redundant), (None, None));
    assert_eq!(scores.regret_to_replanned, None);
    assert_eq!(scores.cost_gap_undefined, Some("the reference did not reach the goal"));
    let whole = best.scores(&scenario.greedy_run(GreedyRule::Any)).unwrap();
    assert_eq!((whole.cost_gap, whole.regret_to_replanned), (Some(0.0), Some(0.0)));
}

#[test]
fn a_composite_of_composites_counts_as_the_number_of_its_atomic_tools() {
    let (graph, problem) = graph_of(
        vec![
            Tool::new("a", ["0"], ["1"], 10.0),
            Tool::new("b", ["1"], ["2"], 10.0),
            Tool::new("c", ["2"], ["3"], 10.0),
            Tool::new("ab", ["0"], ["2"], 19.0).with_components(["a", "b"]),
            // 9.4 per atomic tool; by its two components it would be 14.1.
            Tool::new("abc", ["0"], ["3"], 28.2).with_components(["ab", "c"]),
        ],
        &["0"],
        &["3"],
    );
    let plan = greedy(&graph, &problem, GreedyRule::Chain).unwrap();
    assert_eq!(graph.tool_names(&plan.tools), ["abc"]);
}

#[test]
fn ties_go_to_the_first_tool_and_useless_tools_are_not_considered() {
    let (graph, problem) = graph_of(
        vec![
            Tool::new("cheap_and_useless", ["0"], ["x"], 0.0),
            Tool::new("pair", ["0"], ["2"], 20.0).with_components(["one", "two"]),
            Tool::new("one", ["0"], ["1"], 10.0),
            Tool::new("two", ["1"], ["2"], 10.0),
        ],
        &["0"],
        &["2"],
    );
    for rule in [GreedyRule::Chain, GreedyRule::Any] {
        let plan = greedy(&graph, &problem, rule).unwrap();
        assert_eq!(graph.tool_names(&plan.tools), ["pair"]);
    }
}

#[test]
fn the_greedy_plan_is_empty_at_the_goal_and_missing_if_the_goal_is_unreachable() {
    let (graph, there) = graph_of(vec![Tool::new("a", ["0"], ["1"], 1.0)], &["1"], &["1"]);
    assert!(greedy(&graph, &there, GreedyRule::Chain).unwrap().tools.is_empty());
    let never = graph.problem(&[""; 0], &["1"]).unwrap();
    assert_eq!(greedy(&graph, &never, GreedyRule::Chain), None);
    let other = ToolGraph::new(vec![Tool::new("a", ["0", "2"], ["1"], 1.0)]).unwrap();
    assert_eq!(other.greedy_plan(&there, GreedyRule::Chain), Err(Error::OtherGraph));
}

#[test]
fn the_released_tie_rule_compares_rounded_sums_and_leaves_ties_to_the_heap() {
    let both = |tools: &[(&str, &str, &str, f64)]| {
        let (graph, problem) = graph_of(links(tools), &["0"], &["3"]);
        let rules = [TieRule::FewestCalls, TieRule::Released];
        rules.map(|rule| rule.optimal_plan(&graph, &problem).unwrap().unwrap())
    };
    // As f64 numbers, 0.1 + 0.2 is 0.30000000000000004 and 0.05 + 0.05 + 0.15 + 0.05 is 0.3.
    let [few, released] = both(&[
        ("a", "0", "1", 0.1),
        ("b", "1", "3", 0.2),
        ("c", "0", "2", 0.05),
        ("d", "2", "4", 0.05),
        ("e", "4", "5", 0.15),
        ("f", "5", "3", 0.05),
    ]);
    assert_eq!((&few.tools[..], &released.tools[..]), (&[0, 1][..], &[2, 3, 4, 5][..]));
    assert_eq!((few.cost, released.cost), (0.3, 0.3));

    let tools =
        [("a", "0", "1", 1.0), ("b", "0", "2", 1.0), ("c", "2", "3", 1.0), ("d", "1", "3", 1.0)];
    let [few, released] = both(&tools);
    // The heap of the released solver returns the state of `b` before that of `a`.
    assert_eq!((&few.tools[..], &released.tools[..]), (&[0, 3][..], &[1, 2][..]));
}
