//! Plans and removals of the released benchmark for all of its queries, and ties in small graphs.

use serde_json::Value;
use tool_graph::costbench::{CostModel, EventKind, Library, QuerySeed, Task};
use tool_graph::{
    CallStatus, EnvironmentRules, Episode, GreedyRule, Scenario, TieRule, Tool, ToolGraph,
};

use crate::{golden, graph_of, names, played, query_scenario};

/// A file of the benchmark's figures that is not part of this project.
fn recorded(name: &str) -> Option<Value> {
    let Some(folder) = std::env::var_os("REAL_RUNS") else {
        println!("skipped: REAL_RUNS does not name the folder of {name}");
        return None;
    };
    let path = std::path::Path::new(&folder).join("golden/costbench").join(name);
    Some(serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())
}

/// The library and the seed of each setting of a file, with its rows by query.
fn settings<'a>(
    file: &'a Value,
    rows: &'a str,
) -> impl Iterator<Item = (Library, u64, &'a serde_json::Map<String, Value>)> {
    file["settings"].as_array().unwrap().iter().map(move |setting| {
        let word = |field: &str| setting[field].as_u64().unwrap();
        let library = Library::new(word("refinement_level") as usize).unwrap();
        (library, word("global_seed"), setting[rows].as_object().unwrap())
    })
}

#[test]
fn all_1524_recorded_plans_of_levels_2_to_5_are_those_of_the_released_solver() {
    let Some(file) = recorded("optimal_paths.json") else { return };
    let mut compared = 0;
    for (library, seed, paths) in settings(&file, "paths") {
        let level = library.task_length() - 3;
        for (query, path) in paths {
            let path = names(path);
            let is_own = |task: &Task| path[0].to_lowercase().contains(task.name());
            let task = Task::ALL.into_iter().find(is_own).unwrap();
            let scenario = CostModel::default().scenario(&library, seed, query, task, &[]);
            let plan = scenario.optimal_plan();
            assert_eq!(scenario.graph().tool_names(&plan.tools), path, "{level} {query}");

            // Tools of other tasks cannot be called, except those that choose a location.
            let costs = CostModel::default().costs(&library, seed, query);
            let graph = ToolGraph::new(library.callable_tools(task, &costs).unwrap()).unwrap();
            let problem = graph.problem(task.initial_types(), &[task.goal()]).unwrap();
            let plan = TieRule::Released.optimal_plan(&graph, &problem).unwrap().unwrap();
            assert_eq!(graph.tool_names(&plan.tools), path, "{level} {query}");
            compared += 1;
        }
    }
    assert_eq!(compared, 1524);
}

#[test]
fn reference_runs_have_the_released_seeds_costs_and_paths_to_the_bit() {
    let (levels, level_0) = (golden("reference_runs"), golden("level0_runs"));
    let runs = [&levels, &level_0["runs"]].map(|runs| runs.as_array().unwrap());
    assert_eq!(runs.map(Vec::len), [24, 12]);
    let (model, mut compared) = (CostModel::default(), 0);
    for run in runs.into_iter().flatten() {
        let query = run["query_id"].as_str().unwrap();
        assert_eq!(Value::from(QuerySeed::new(42, query).0), run["query_seed"], "{query}");
        if run.get("global_seed").is_some() {
            let number = |field: &str| run[field].as_f64().unwrap();
            let [min, max] = ["min_atomic_cost", "max_atomic_cost"].map(number);
            assert_eq!(CostModel::new(min, max, number("noise_std")), Ok(model));
            assert_eq!(run["global_seed"], 42);
        }
        let library = Library::new(run["refinement_level"].as_u64().unwrap() as usize).unwrap();
        let costs = model.costs(&library, 42, query);
        assert_eq!(costs.len(), run["costs"].as_object().unwrap().len());
        for (name, cost) in library.names().zip(&costs) {
            let theirs = run["costs"][name].as_f64().unwrap();
            assert_eq!(cost.to_bits(), theirs.to_bits(), "{query} {name}");
            compared += 1;
        }
        let task = run["task"].as_str().unwrap().parse().unwrap();
        let scenario = query_scenario(&library, query, task, &[]);
        let (graph, problem) = (scenario.graph(), scenario.problem());
        assert!(graph.tools().iter().map(|tool| tool.cost).eq(costs));
        let greedy = graph.greedy_plan(problem, GreedyRule::Chain).unwrap().unwrap();
        assert_eq!(scenario.greedy_run(GreedyRule::Chain).path(), greedy.tools);
        for (path, cost, plan) in [
            ("optimal", "optimal_cost", scenario.optimal_plan()),
            ("optimal", "optimal_cost", graph.optimal_plan(problem).unwrap().unwrap()),
            ("greedy", "greedy_cost", greedy),
        ] {
            // The runs of level 0 are optimal runs.
            if let Some(theirs) = run.get(path) {
                assert_eq!(graph.tool_names(&plan.tools), names(theirs), "{query} {path}");
                let cents = (run[cost].as_f64().unwrap() * 100.0).round() / 100.0;
                assert_eq!(plan.cost, cents, "{query} {path}");
            }
        }
    }
    assert_eq!(compared, 12 * (84 + 210 + 30));
}

#[test]
fn all_2286_recorded_ranges_of_removed_lengths_are_drawn() {
    let Some(file) = recorded("removed_ranges.json") else { return };
    let mut compared = 0;
    for (library, seed, rows) in settings(&file, "ranges") {
        let level = library.task_length() - 3;
        for (query, ranges) in rows {
            let ranges: Vec<[usize; 2]> = serde_json::from_value(ranges.clone()).unwrap();
            let seed = QuerySeed::new(seed, query);
            let drawn = library.removed_lengths(seed, ranges.len() as u32).into_iter();
            let drawn: Vec<[usize; 2]> =
                drawn.map(|range| [*range.start(), *range.end()]).collect();
            assert_eq!(drawn, ranges, "{level} {query}");
            compared += 1;
        }
    }
    assert_eq!(compared, 2286);
}

#[test]
fn ties_in_small_graphs_are_decided_as_by_the_heap_of_cpython() {
    let golden = golden("released_ties");
    let mut tied = 0;
    for case in golden["cases"].as_array().unwrap() {
        let tool = |tool: &Value| {
            Tool::new(
                tool[0].as_str().unwrap(),
                names(&tool[1]),
                [tool[2].as_str().unwrap()],
                tool[3].as_f64().unwrap(),
            )
        };
        let tools = case["tools"].as_array().unwrap().iter().map(tool).collect();
        let (graph, problem) = graph_of(tools, &["t0"], &[case["goal"].as_str().unwrap()]);
        let plan = TieRule::Released.optimal_plan(&graph, &problem).unwrap().unwrap();
        assert_eq!(graph.tool_names(&plan.tools), names(&case["path"]), "{case}");
        let best = graph.best_plans(&problem, 2).unwrap();
        tied += usize::from(best.len() > 1 && best[0].cost == best[1].cost);
    }
    assert!(tied > 60, "{tied}");
}

/// The events and the scenario of a run in the released environment.
fn released_scenario(run: &Value) -> (Vec<EventKind>, Scenario) {
    let library = Library::new(run["level"].as_u64().unwrap() as usize).unwrap();
    let (query, task) = (run["query_id"].as_str().unwrap(), run["task"].as_str().unwrap());
    let kinds: Vec<EventKind> =
        names(&run["events"]).into_iter().map(|kind| kind.parse().unwrap()).collect();
    let scenario = query_scenario(&library, query, task.parse().unwrap(), &kinds);
    (kinds, scenario.with_rules(EnvironmentRules::RELEASED))
}

#[test]
fn scripted_agents_have_the_same_runs_as_in_the_released_environment() {
    let golden = golden("released_environment");
    let (mut calls, mut failed, mut references, mut greedy, mut left_out) = (0, 0, 0, 0, 0);
    for run in golden["runs"].as_array().unwrap() {
        let (kinds, scenario) = released_scenario(run);
        if run["mode"] == "mixed" {
            let query = run["query_id"].as_str().unwrap();
            assert_eq!(kinds, EventKind::mixed(QuerySeed::new(42, query), kinds.len()), "{query}");
        }
        // After a preference change and another event, the released reference still has the data types
        // from before the change, and calls tools that lack an input.
        let keeps_types = |pair: &[EventKind]| {
            pair[0] == EventKind::PreferenceChange && pair[1] != EventKind::PreferenceChange
        };
        if kinds.windows(2).any(keeps_types) {
            left_out += 1;
            continue;
        }
        let mut episode = Episode::new(&scenario);
        for call in run["calls"].as_array().unwrap() {
            let tool = call[0].as_u64().unwrap() as usize;
            let found = episode.call(scenario.graph().tool_names(&[tool])[0]).unwrap();
            let kind = match found.status {
                CallStatus::Done { .. } => "done",
                CallStatus::Banned => "banned",
                CallStatus::MissingInput(_) => "missing_input",
                _ => "unavailable",
            };
            let event = found.event.map_or(Value::Null, Value::from);
            assert_eq!((kind, event), (call[1].as_str().unwrap(), call[2].clone()), "{run}");
            assert_eq!(Some(found.cost), call[3].as_f64(), "{run}");
            calls += 1;
            failed += usize::from(kind != "done");
        }
        assert_eq!(Some(episode.goal_reached()), run["goal"].as_bool(), "{run}");
        if let Ok(optimal) = serde_json::from_value::<Vec<usize>>(run["optimal"].clone()) {
            assert_eq!(scenario.optimal_run().path(), optimal, "{run}");
            references += 1;
        }
        if let Ok(path) = serde_json::from_value::<Vec<usize>>(run["greedy"].clone()) {
            let own = scenario.greedy_run(GreedyRule::Chain);
            // The released policy ends at the goal, and an agent only after the event at that call.
            let last = own.calls[path.len() - 1].event;
            let ends_before = last.is_some_and(|event| kinds[event] != EventKind::BanTool);
            let calls = if ends_before { path.len() } else { own.path().len() };
            assert_eq!(own.path()[..calls], path, "{run}");
            greedy += usize::from(!ends_before);
        }
    }
    println!(
        "{calls} calls, {failed} of them failed, {references} optimal runs, {greedy} greedy ones, {left_out} left out"
    );
    assert!(calls > 1000 && failed > 200 && references > 300 && greedy > 80 && left_out < 30);
}

#[test]
fn two_hundred_random_agents_have_the_scores_of_the_released_evaluation_and_the_same_runs_count() {
    let golden = golden("released_random_agents");
    let runs = golden["runs"].as_array().unwrap();
    let mut counted = 0;
    for run in runs {
        let (_, scenario) = released_scenario(run);
        let (found, best) = (played(&scenario, &names(&run["calls"])), scenario.optimal_run());
        let counts = found.left_out(&best).is_none();
        assert_eq!(Value::from(counts), run["counts"], "{run}");
        counted += usize::from(counts);
        if run["cost"].is_null() || !best.all_events_fired() {
            continue;
        }
        let scores = found.scores(&best).unwrap();
        let close = |mine: f64, released: &Value| (mine - released.as_f64().unwrap()).abs() < 0.006;
        assert!(close(found.total_cost(), &run["cost"]), "{run}");
        assert!(close(best.total_cost(), &run["reference_cost"]), "{run}");
        assert_eq!(Value::from(found.goal_reached), run["reached"], "{run}");
        assert_eq!(Value::from(scores.edit_distance), run["edits"], "{run}");
        assert_eq!(Value::from(scores.normalized_edit_distance), run["share"], "{run}");
        assert_eq!(Value::from(scores.exact_match), run["match"], "{run}");
    }
    assert_eq!((runs.len(), counted), (200, 180));
}
