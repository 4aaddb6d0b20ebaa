//! Best plans, compared with an exhaustive search.

use tool_graph::{Error, Problem, State, TieRule, Tool, ToolGraph};

use crate::graph_of;
use crate::random_tools::{Draw, random_tools};

/// All plans in order, found by exhaustive search: every sequence of calls that reaches the goal with its
/// last call and from which no call can be left out.
fn all_plans(graph: &ToolGraph, problem: &Problem) -> Vec<(u64, Vec<usize>)> {
    let cents: Vec<u64> =
        graph.tools().iter().map(|tool| (tool.cost * 100.0).round() as u64).collect();
    let mut all = Vec::new();
    extend(graph, problem, &problem.initial, &mut Vec::new(), &mut all);
    let cost = |calls: &[usize]| calls.iter().map(|&tool| cents[tool]).sum();
    let mut all: Vec<_> = all.into_iter().map(|calls| (cost(&calls), calls)).collect();
    all.sort_by_key(|(cost, calls)| (*cost, calls.len(), calls.clone()));
    all
}

fn reaches(graph: &ToolGraph, problem: &Problem, calls: impl Iterator<Item = usize>) -> bool {
    let mut state = problem.initial.clone();
    for tool in calls {
        if !graph.can_call(tool, &state) {
            return false;
        }
        graph.apply(tool, &mut state).unwrap();
    }
    state.is_superset(&problem.goal)
}

fn extend(
    graph: &ToolGraph,
    problem: &Problem,
    state: &State,
    calls: &mut Vec<usize>,
    all: &mut Vec<Vec<usize>>,
) {
    if state.is_superset(&problem.goal) {
        let without = |skip| calls.iter().enumerate().filter(move |&(place, _)| place != skip);
        let needless = |skip| reaches(graph, problem, without(skip).map(|(_, &tool)| tool));
        if !(0..calls.len()).any(needless) {
            all.push(calls.clone());
        }
        return;
    }
    for tool in 0..graph.tool_count() {
        if calls.contains(&tool) || !graph.can_call(tool, state) {
            continue;
        }
        let mut next = state.clone();
        graph.apply(tool, &mut next).unwrap();
        calls.push(tool);
        extend(graph, problem, &next, calls, all);
        calls.pop();
    }
}

/// Compares everything about the plans of a problem with an exhaustive search, and returns all plans.
fn checked_plans(graph: &ToolGraph, problem: &Problem, seed: u64) -> Vec<(u64, Vec<usize>)> {
    let all = all_plans(graph, problem);
    let best = graph.optimal_plan(problem).unwrap();
    let cheapest = all.first().map(|(cost, calls)| (calls.clone(), *cost as f64 / 100.0));
    assert_eq!(best.map(|plan| (plan.tools, plan.cost)), cheapest, "{seed}");
    for most in [0, 1, 2, 4, all.len(), all.len() + 1] {
        let found = graph.best_plans(problem, most).unwrap();
        let found: Vec<&[usize]> = found.iter().map(|plan| &plan.tools[..]).collect();
        let want = all.iter().take(most).map(|(_, calls)| calls.as_slice());
        assert_eq!(found, want.collect::<Vec<_>>(), "{seed}");
    }
    assert!(all.iter().all(|(_, calls)| graph.is_plan(problem, calls).unwrap()), "{seed}");
    let fewest = all.iter().map(|(_, calls)| calls.len()).min();
    let shortest = all.iter().filter(|(_, calls)| Some(calls.len()) == fewest).count();
    assert_eq!(graph.count_shortest_plans(problem), Ok(shortest as u128), "{seed}");
    match graph.count_chain_plans(problem) {
        Err(Error::NotAChain) => {}
        count => assert_eq!(count, Ok(all.len() as u128), "{seed}"),
    }
    all
}

#[test]
fn plans_equal_those_of_an_exhaustive_search() {
    let (mut solved, mut many, mut chains) = (0, 0, 0);
    for seed in 0.. {
        if solved == 2000 {
            break;
        }
        // Small enough for an exhaustive search, and in one of four cases with a banned tool.
        let mut draw = Draw(seed);
        let (mut graph, problem) = random_tools(&mut draw, 6, 8);
        if draw.below(4) == 0 {
            graph.ban(draw.below(graph.tool_count())).unwrap();
        }
        let Ok(problem) = problem else { continue };
        let all = checked_plans(&graph, &problem, seed);
        solved += usize::from(all.first().is_some_and(|(_, calls)| calls.len() > 1));
        many += usize::from(all.len() > 3);
        let is_chain = graph.count_chain_plans(&problem) != Err(Error::NotAChain);
        chains += usize::from(is_chain && !all.is_empty());
    }
    assert!(many > 500 && chains > 200, "{many} {chains}");
}

/// A chain of steps with `twins` tools for each step, which all cost the same.
pub(crate) fn chain_of_twins(steps: usize, twins: usize) -> (ToolGraph, Problem) {
    let tool = |number: usize| {
        let step = number / twins;
        let cost = 1.0 + (step % 7) as f64;
        Tool::new(format!("tool{number}"), [format!("t{step}")], [format!("t{}", step + 1)], cost)
    };
    graph_of((0..steps * twins).map(tool).collect(), &["t0"], &[&format!("t{steps}")])
}

#[test]
fn plans_of_a_chain_of_20_000_tools_are_counted_and_listed_in_linear_time() {
    // Quadratic time would take more than a minute.
    let (graph, problem) = chain_of_twins(20_000, 1);
    assert_eq!(graph.count_shortest_plans(&problem).unwrap(), 1);
    let best = graph.optimal_plan(&problem).unwrap().unwrap();
    for most in [1, 2] {
        assert_eq!(graph.best_plans(&problem, most).unwrap(), std::slice::from_ref(&best));
    }

    let (graph, problem) = chain_of_twins(10_000, 2);
    assert_eq!(graph.count_shortest_plans(&problem).unwrap_err(), Error::TooManyPlans);
    let plans = graph.best_plans(&problem, 5).unwrap();
    let last_calls: Vec<&[usize]> = plans.iter().map(|plan| &plan.tools[9_997..]).collect();
    let want = [
        [19_994, 19_996, 19_998],
        [19_994, 19_996, 19_999],
        [19_994, 19_997, 19_998],
        [19_994, 19_997, 19_999],
        [19_995, 19_996, 19_998],
    ];
    assert_eq!(last_calls, want);
}

/// Random edges from lower to higher data types, some of them repeated. Every path is a plan.
fn random_chain(draw: &mut Draw) -> (ToolGraph, Option<Problem>) {
    let types = 2 + draw.below(5);
    let tool = |number: usize, draw: &mut Draw| {
        let from = draw.below(types);
        let to = from + 1 + draw.below(types - from);
        let cost = draw.below(4) as f64 / 10.0;
        Tool::new(format!("tool{number}"), [format!("t{from}")], [format!("t{to}")], cost)
    };
    let tools = (0..4 + draw.below(5)).map(|number| tool(number, draw)).collect();
    let graph = ToolGraph::new(tools).unwrap();
    let problem = graph.problem(&["t0".to_owned()], &[format!("t{types}")]).ok();
    (graph, problem)
}

#[test]
fn plans_of_a_chain_equal_those_of_an_exhaustive_search() {
    let mut many = 0;
    for seed in 5_000_000.. {
        if many == 300 {
            break;
        }
        let (graph, problem) = random_chain(&mut Draw(seed));
        let Some(problem) = problem else { continue };
        many += usize::from(checked_plans(&graph, &problem, seed).len() > 3);
    }
}

#[test]
fn shortest_plans_of_a_long_sequence_that_is_not_a_chain_are_counted() {
    // Every step also needs a key, so the problem is not a chain. The first step and the key can be
    // obtained in either order.
    let mut tools = vec![
        Tool::new("first", ["start"], ["t0"], 1.0),
        Tool::new("unlock", ["start"], ["key"], 1.0),
    ];
    let step = |number: usize| {
        let inputs = [format!("t{number}"), "key".into()];
        Tool::new(format!("step{number}"), inputs, [format!("t{}", number + 1)], 1.0)
    };
    tools.extend((0..150).map(step));
    let (graph, problem) = graph_of(tools, &["start"], &["t150"]);
    assert_eq!(graph.count_chain_plans(&problem).unwrap_err(), Error::NotAChain);
    assert_eq!(graph.count_shortest_plans(&problem).unwrap(), 2);
    assert_eq!(graph.best_plans(&problem, 3).unwrap().len(), 2);
}

#[test]
fn a_search_by_the_released_rule_ends_at_its_limit_with_an_error() {
    // 40 cheap tools that can be called in any order, and a plan of two expensive calls.
    let cheap = (0..40).map(|i| {
        Tool::new(format!("cheap{i}"), ["query"], [format!("type{i}")], 1.0 + f64::from(i) / 100.0)
    });
    let mut tools: Vec<Tool> = cheap.collect();
    tools.push(Tool::new("search", ["query"], ["hits"], 50.0));
    tools.push(Tool::new("index", ["query"], ["index"], 50.0));
    tools.push(Tool::new("pick", ["hits", "index"], ["choice"], 50.0));
    let (graph, problem) = graph_of(tools, &["query"], &["choice"]);
    let plan = TieRule::Released.optimal_plan(&graph, &problem);
    assert!(matches!(plan, Err(Error::SearchLimit { sequences: 4_194_304, .. })), "{plan:?}");
    let plan = TieRule::FewestCalls.optimal_plan(&graph, &problem).unwrap().unwrap();
    assert_eq!(plan.cost, 150.0);
}
