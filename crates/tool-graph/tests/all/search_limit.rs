//! Searches for plans that end at a limit.

use std::time::{Duration, Instant};

use tool_graph::{Episode, Error, Event, Scenario, Tool, ToolGraph};

use crate::random_tools::Draw;

/// Tools that each yield some of many data types, all of which are the goal: a covering problem, hard if
/// all costs are equal.
fn covering(tools: usize, outputs: usize, costs: usize, seed: u64) -> (Vec<Tool>, Vec<String>) {
    let mut draw = Draw(seed);
    let types: Vec<String> = (0..tools).map(|number| format!("t{number}")).collect();
    let list = (0..tools).map(|tool| {
        let mut yields = vec![types[tool].clone()];
        for _ in 1..outputs {
            let other = types[draw.below(tools)].clone();
            if !yields.contains(&other) {
                yields.push(other);
            }
        }
        Tool::new(format!("tool{tool}"), ["start"], yields, 1.0 + draw.below(costs) as f64)
    });
    (list.collect(), types)
}

#[test]
fn covering_problems_with_200_tools_end_with_bounds_or_an_error() {
    for (tools, outputs, seed) in [(200, 5, 11), (200, 8, 12), (150, 8, 13)] {
        let (tools, types) = covering(tools, outputs, 1, seed);
        let graph = ToolGraph::new(tools).unwrap();
        let problem = graph.problem(&["start"], &types).unwrap();
        let steps = 20_000_000;
        let found = graph.optimal_plan_within(&problem, steps).unwrap().unwrap();
        assert!(graph.is_plan(&problem, &found.plan.tools).unwrap());
        assert!(0.0 < found.lower_bound && found.lower_bound <= found.plan.cost);
        assert_eq!(graph.optimal_plan_within(&problem, steps).unwrap().unwrap(), found);
        assert!(!found.is_best);
        match Scenario::with_search_steps(graph, problem, steps).unwrap_err() {
            Error::PlanLimit { steps: limit, lowest, highest, .. } => {
                assert_eq!((limit, lowest), (steps, found.lower_bound));
                assert_eq!(highest, found.plan.cost);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_plan_is_found_without_any_steps_and_more_steps_never_loosen_the_bounds() {
    let (tools, types) = covering(60, 4, 9, 7);
    let graph = ToolGraph::new(tools).unwrap();
    let problem = graph.problem(&["start"], &types).unwrap();
    let best = graph.optimal_plan(&problem).unwrap().unwrap();
    let mut last = (0.0, f64::INFINITY);
    for steps in [0, 10_000, 1_000_000, 1_000_000_000] {
        let found = graph.optimal_plan_within(&problem, steps).unwrap().unwrap();
        let (lowest, highest) = (found.lower_bound, found.plan.cost);
        assert!(
            last.0 <= lowest && lowest <= best.cost && best.cost <= highest && highest <= last.1
        );
        last = (lowest, highest);
        assert_eq!(found.is_best, found.plan == best);
    }
    assert_eq!(last, (best.cost, best.cost));
}

#[test]
fn a_run_whose_later_plans_take_too_long_goes_on_with_the_best_known_ones_and_says_so() {
    let (mut tools, types) = covering(150, 8, 1, 13);
    // Until it is removed, one call reaches the goal.
    tools.push(Tool::new("all", ["start"], types.clone(), 1.0));
    let graph = ToolGraph::new(tools).unwrap();
    let problem = graph.problem(&["start"], &types).unwrap();
    let scenario = Scenario::with_search_steps(graph, problem, 20_000_000).unwrap();
    assert!(scenario.optimal_run().has_exact_plans);
    let mut events = vec![Event::BanTool];
    events.extend(vec![Event::PreferenceChange; 50]);
    let scenario = scenario.with_events(events).unwrap();
    let start = Instant::now();
    let mut episode = Episode::new(&scenario);
    episode.call("all").unwrap();
    let run = episode.finish(false);
    assert_eq!(run.events_fired, 1);
    assert!(!run.has_exact_plans);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}
