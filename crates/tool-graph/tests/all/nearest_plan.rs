//! Runs on graphs that are no chain, compared with the nearest of all optimal plans.

use proptest::prelude::*;
use tool_graph::{Episode, Error, Event, RunMeans, RunScores, Scenario, TieRule, Tool};
use trajectory_metrics::tool_calls::{edit_distance, normalized_edit_distance};

use crate::random_tools::{Draw, random_tools};
use crate::{played, scenario_of};

/// An optimal plan of the twelve tools, in another order than the reference.
const OTHER_ORDER: [&str; 7] =
    ["list_files", "read_issue", "draft", "lint", "run_tests", "review", "submit"];

/// Seven of these twelve tools are an optimal plan. Two pairs of its calls are independent, so that it
/// has four orders.
fn twelve_tools() -> Scenario {
    let tools = vec![
        Tool::new("read_issue", ["task"], ["issue"], 2.0),
        Tool::new("list_files", ["task"], ["files"], 1.5),
        Tool::new("draft", ["issue", "files"], ["patch"], 6.0),
        Tool::new("run_tests", ["patch"], ["tests"], 5.25),
        Tool::new("lint", ["patch"], ["style"], 1.0),
        Tool::new("review", ["tests", "style"], ["verdict"], 4.0),
        Tool::new("submit", ["verdict"], ["done"], 1.0),
        Tool::new("ask_author", ["task"], ["issue"], 9.0),
        Tool::new("clone", ["task"], ["files"], 3.0),
        Tool::new("rewrite", ["issue"], ["patch"], 14.0),
        Tool::new("run_all_tests", ["patch"], ["tests"], 8.0),
        Tool::new("audit", ["patch"], ["verdict"], 12.0),
    ];
    scenario_of(tools, &["task"], &["done"])
}

#[test]
fn an_optimal_run_in_another_order_of_independent_calls_matches_exactly() {
    let scenario = twelve_tools();
    let reference = scenario.optimal_run();
    assert_eq!((reference.path(), reference.total_cost()), (vec![0, 1, 2, 3, 4, 5, 6], 20.75));
    let scores = played(&scenario, &OTHER_ORDER).scores(&reference).unwrap();
    assert_eq!((scores.cost_gap, scores.completed), (Some(0.0), true));
    let RunScores { edit_distance, normalized_edit_distance, exact_match, .. } = scores;
    assert_eq!(
        (edit_distance, normalized_edit_distance, exact_match),
        (Some(0), Some(0.0), Some(true))
    );
    let mut means = RunMeans::default();
    means.update(&played(&scenario, &OTHER_ORDER), &reference).unwrap();
    let paths = means.finish().unwrap().paths.unwrap();
    assert_eq!((paths.edit_distance, paths.exact_match_rate), (0.0, 1.0));
}

#[test]
fn a_reference_that_stands_for_itself_is_compared_as_one_path_and_the_scores_say_so() {
    let scenario = twelve_tools();
    let scores = |scenario: &Scenario| {
        let scores = played(scenario, &OTHER_ORDER).scores(&scenario.optimal_run()).unwrap();
        (scores.edit_distance, scores.nearest_plan)
    };
    assert_eq!(scores(&scenario), (Some(0), true));
    assert!(!scores(&scenario.clone().with_tie_rule(TieRule::Released)).1);
    // After an event, the reference is one run.
    let change = Event::CostChange(vec![3.0; 12]);
    assert!(!scores(&scenario.with_events(vec![change]).unwrap()).1);
}

#[test]
fn more_optimal_plans_than_can_be_searched_leave_an_upper_bound_that_says_so() {
    // 40 independent calls: 2^40 sets of data types.
    let names: Vec<String> = (0..40).map(|number| format!("part{number}")).collect();
    let tools =
        names.iter().map(|name| Tool::new(format!("get {name}"), ["task"], [name.as_str()], 1.0));
    let mut tools: Vec<Tool> = tools.collect();
    tools.push(Tool::new("join", names.clone(), ["done"], 1.0));
    let scenario = scenario_of(tools, &["task"], &["done"]).with_call_limit(42);
    let scores = |tools: &[usize]| {
        let run = played(&scenario, &scenario.graph().tool_names(tools));
        let scores = run.scores(&scenario.optimal_run()).unwrap();
        (scores.cost_gap, scores.edit_distance, scores.nearest_plan)
    };
    let backwards: Vec<usize> = (0..40).rev().chain([40]).collect();
    assert_eq!(scores(&backwards), (Some(0.0), Some(0), true), "an optimal plan needs no search");
    let twice = [vec![39], backwards].concat();
    let (gap, edits, nearest) = scores(&twice);
    assert!(gap == Some(1.0) && edits > Some(1) && !nearest, "{edits:?}");
}

/// The fewest edits to any of these plans, and the lowest share among the plans with so few.
fn brute_force(path: &[usize], plans: &[Vec<usize>]) -> (usize, f64) {
    let edits = plans.iter().map(|plan| edit_distance(path, plan)).min().unwrap();
    let near = plans.iter().filter(|plan| edit_distance(path, plan) == edits);
    let shares = near.map(|plan| normalized_edit_distance(path, plan));
    (edits, shares.min_by(f64::total_cmp).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn the_distance_is_the_smallest_over_all_orders_of_all_optimal_plans(seed: u64) {
        let mut draw = Draw(seed);
        let (graph, problem) = random_tools(&mut draw, 7, 14);
        let Ok(problem) = problem else { return Ok(()) };
        // Tools that cost nothing have a rule of their own.
        let costs: Vec<f64> = graph.tools().iter().map(|tool| tool.cost + 0.01).collect();
        let graph = graph.with_costs(&costs).unwrap();
        let Ok(scenario) = Scenario::new(graph.clone(), problem.clone()) else { return Ok(()) };
        // On a chain, the reference stands for itself.
        if graph.count_chain_plans(&problem) != Err(Error::NotAChain) {
            return Ok(());
        }
        let mut plans = graph.best_plans(&problem, 2_000).unwrap();
        let lowest = plans[0].cost;
        plans.retain(|plan| plan.cost == lowest);
        if plans.len() == 2_000 {
            return Ok(());
        }
        let plans: Vec<Vec<usize>> = plans.iter().map(|plan| plan.tools.to_vec()).collect();
        let reference = scenario.optimal_run();
        let mut episode = Episode::new(&scenario);
        while !episode.goal_reached() && episode.calls_left() > 0 {
            episode.call(graph.tool_names(&[draw.below(graph.tool_count())])[0]).unwrap();
        }
        let run = episode.finish(true);
        if run.goal_reached {
            let scores = run.scores(&reference).unwrap();
            prop_assert!(scores.nearest_plan);
            let (edits, share) = brute_force(&run.path(), &plans);
            prop_assert_eq!(scores.edit_distance, Some(edits));
            prop_assert_eq!(scores.normalized_edit_distance, Some(share));
            prop_assert_eq!(scores.exact_match, Some(edits == 0));
        }
        // Every optimal plan is at distance 0.
        for plan in plans.iter().take(20) {
            let scores =
                played(&scenario, &graph.tool_names(plan)).scores(&reference).unwrap();
            prop_assert_eq!((scores.cost_gap, scores.exact_match), (Some(0.0), Some(true)));
        }
    }
}
