//! The best plan is that of Dijkstra's algorithm: with costs of any size, many ties, equal tools, composites, bans, goals
//! that are present at the start or unreachable, and plans with many calls.

use tool_graph::{Error, Plan, Problem, Tool, ToolGraph};

use crate::graph_of;
use crate::random_tools::{Draw, dijkstra, random_tools};

const KINDS_OF_COST: usize = 14;

fn cost(draw: &mut Draw, kind: usize) -> f64 {
    let mut of = |list: &[f64]| list[draw.below(list.len())];
    match kind {
        0 => of(&[0.0]),
        1 => of(&[0.0, -0.0, 1.0]),
        2 => of(&[0.1, 0.2, 0.3, 0.1 + 0.2, 0.4, 0.5, 0.7, 0.8]),
        3 => of(&[0.0, 1e-12, 2e-12, 3e-12, 1.0, 1e12, 1e12 + 1.0]),
        4 => of(&[0.0, 5e-324, 1e-323]),
        5 => of(&[0.0, f64::MAX, f64::MAX / 2.0]),
        6 => of(&[0.0, 0.0, 0.123_456_789_012_3, 1e-13]),
        7 => of(&[1e15, 1e15 + 1.0, 1e15 + 2.0]),
        8 => of(&[1.0, 2.0, 4.0, 7.0, 1e9, 0.01]),
        9 => draw.below(300) as f64 / 100.0,
        10 => (1 + draw.below(9)) as f64 * 1e-300,
        11 => (1 + draw.below(9)) as f64 * 1e300,
        12 => (1 << draw.below(12)) as f64,
        _ => draw.below(1 << 30) as f64 / (1 << 30) as f64,
    }
}

/// The plan that both searches find.
fn plan(graph: &ToolGraph, problem: &Problem, seed: u64) -> Option<Plan> {
    let found = graph.optimal_plan(problem).unwrap();
    let calls = found.as_ref().map(|plan| &plan.tools[..]);
    assert_eq!(calls, dijkstra(graph, problem).as_deref(), "{seed}");
    found
}

/// Adds equal tools, tools that differ only in cost, and composites that cost less than, as much as or more
/// than their components.
fn with_more_tools(draw: &mut Draw, tools: &mut Vec<Tool>, kind: usize) {
    for number in 0..draw.below(5) {
        let one = tools[draw.below(tools.len())].clone();
        let other = tools[draw.below(tools.len())].clone();
        let name = format!("more{number}");
        let at = draw.below(tools.len() + 1);
        let more = match draw.below(4) {
            0 => Tool { name, ..one },
            1 => Tool { name, cost: cost(draw, kind), ..one },
            _ if one.name == other.name => continue,
            both => {
                let is_given = |it: &String| one.outputs.contains(it) || one.inputs.contains(it);
                let missing = other.inputs.iter().filter(|&input| !is_given(input));
                let inputs = one.inputs.iter().chain(missing).cloned().collect();
                let yielded = if both == 2 { &[][..] } else { &one.outputs };
                let more = yielded.iter().filter(|&output| !other.outputs.contains(output));
                let outputs = other.outputs.iter().chain(more).cloned().collect();
                let cost = match draw.below(3) {
                    0 if (one.cost + other.cost).is_finite() => one.cost + other.cost,
                    1 => one.cost.max(other.cost),
                    _ => cost(draw, kind),
                };
                Tool { name, inputs, outputs, cost, components: vec![one.name, other.name] }
            }
        };
        tools.insert(at, more);
    }
}

#[test]
fn all_searches_find_the_same_plan_for_costs_of_any_size_and_tools_of_any_kind() {
    let (mut solved, mut unreachable) = (0, 0);
    for seed in 3_000_000.. {
        if solved == 3000 {
            break;
        }
        let mut draw = Draw(seed);
        let kind = seed as usize % KINDS_OF_COST;
        let (graph, _) = random_tools(&mut draw, 8, 14);
        let mut tools = graph.tools().to_vec();
        tools.iter_mut().for_each(|tool| tool.cost = cost(&mut draw, kind));
        with_more_tools(&mut draw, &mut tools, kind);
        let mut graph = match ToolGraph::new(tools) {
            Err(Error::Tool { problem, .. }) if problem.contains("added exactly") => continue,
            graph => graph.unwrap(),
        };
        if draw.below(4) == 0 {
            graph.ban(draw.below(graph.tool_count())).unwrap();
        }
        let some = |draw: &mut Draw, most: usize| -> Vec<String> {
            (0..1 + draw.below(most)).map(|_| format!("t{}", draw.below(9))).collect()
        };
        let mut start = vec!["t0".to_owned()];
        if draw.below(4) == 0 {
            start.extend(some(&mut draw, 2));
        }
        let Ok(problem) = graph.problem(&start, &some(&mut draw, 4)) else { continue };
        let plan = plan(&graph, &problem, seed);
        let plans = graph.best_plans(&problem, 2).unwrap();
        assert_eq!(plans.first(), plan.as_ref(), "{seed} best_plans");
        match plan {
            Some(plan) => solved += usize::from(plan.tools.len() > 1),
            None => unreachable += 1,
        }
    }
    assert!(unreachable > 100, "{unreachable}");
}

#[test]
fn all_searches_find_the_same_long_plans_for_costs_of_any_size() {
    let (mut solved, mut calls) = (0, 0);
    for seed in 1_000_000.. {
        if solved == 2000 {
            break;
        }
        let mut draw = Draw(seed);
        let (graph, problem) = random_tools(&mut draw, 14, 24);
        let Ok(problem) = problem else { continue };
        let plan = plan(&graph, &problem, seed);
        calls += plan.as_ref().map_or(0, |plan| plan.tools.len());
        solved += usize::from(plan.is_some());
    }
    assert!(calls > 3 * solved, "{calls}");
    (solved, calls) = (0, 0);
    for seed in 4_000_000.. {
        if solved == 700 {
            break;
        }
        let mut draw = Draw(seed);
        let (graph, problem) = random_tools(&mut draw, 16, 34);
        let Ok(problem) = problem else { continue };
        let kind = seed as usize % KINDS_OF_COST;
        let costs: Vec<f64> = (0..graph.tool_count()).map(|_| cost(&mut draw, kind)).collect();
        let Ok(graph) = graph.with_costs(&costs) else { continue };
        let Some(plan) = plan(&graph, &problem, seed) else { continue };
        solved += usize::from(plan.tools.len() > 2);
        calls += plan.tools.len();
    }
    assert!(calls > 3 * solved, "{calls}");
}

/// A chain of steps in reverse library order, with two tools per step; its last tool also needs a second
/// data type.
fn long_chain(steps: usize) -> (ToolGraph, Problem) {
    let tool = |name: String, inputs: &[String], outputs: &[String], cost| {
        Tool::new(name, inputs, outputs, cost)
    };
    let step = |number: usize| format!("step{number}");
    let side = "side".to_owned();
    let mut tools = vec![tool("last".into(), &[step(steps), side.clone()], &["goal".into()], 1.0)];
    for number in (0..steps).rev() {
        for (twin, way) in ["a", "b"].iter().enumerate() {
            let cost = [1.0 + (number % 7) as f64, 2.0 + (number % 5) as f64][twin];
            tools.push(tool(format!("{way}{number}"), &[step(number)], &[step(number + 1)], cost));
        }
    }
    tools.push(tool("first".into(), &["start".into()], &[step(0), side], 1.0));
    graph_of(tools, &["start"], &["goal"])
}

#[test]
fn all_searches_handle_type_sets_of_every_width_and_plans_of_hundreds_of_calls() {
    for steps in [50, 62, 63, 64, 100, 127, 200, 254, 255, 300] {
        let (graph, problem) = long_chain(steps);
        let plan = plan(&graph, &problem, steps as u64).unwrap();
        assert_eq!(plan.tools.len(), steps + 2);
    }
}
