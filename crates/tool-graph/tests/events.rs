//! Events: when they come, what they do, and the published figures about them.
#![cfg(feature = "costbench")]
#![allow(clippy::unwrap_used)]

use serde_json::Value;
use tool_graph::costbench::{CostModel, EventKind, Library, Task};
use tool_graph::{GreedyRule, RunMeans, Scenario};
use trajectory_metrics::ExactMean;
use trajectory_metrics::tool_calls::normalized_edit_distance;

/// The benchmark's own queries, which this project does not ship.
fn queries() -> Option<Vec<(String, Task)>> {
    let Some(folder) = std::env::var_os("REAL_RUNS") else {
        println!("skipped: REAL_RUNS does not name the folder of the benchmark's queries");
        return None;
    };
    let path = std::path::Path::new(&folder).join("golden/costbench/queries.json");
    let rows: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let row = |row: &Value| {
        let text = |field: &str| row[field].as_str().unwrap();
        (text("query_id").to_owned(), Task::from_name(text("task")).unwrap())
    };
    assert_eq!(rows.len(), 381);
    Some(rows.iter().map(row).collect())
}

fn published() -> Value {
    serde_json::from_str(include_str!("golden/costbench/published.json")).unwrap()
}

fn scenario(library: &Library, query: &str, task: Task, events: &[EventKind]) -> Scenario {
    CostModel::default().scenario(library, 42, query, task, events).unwrap()
}

fn rounded(value: f64, places: i32) -> f64 {
    let scale = 10f64.powi(places);
    (value * scale).round() / scale
}

#[test]
fn greedy_rows_of_tables_3_and_4_are_the_published_ones() {
    let Some(queries) = queries() else { return };
    for row in published()["greedy_policy"].as_array().unwrap() {
        let library = Library::new(row["refinement_level"].as_u64().unwrap() as usize).unwrap();
        let mut means = RunMeans::default();
        for (query, task) in &queries {
            let scenario = scenario(&library, query, *task, &[]);
            let plan = scenario.optimal_plan().unwrap().unwrap();
            let run = scenario.greedy_run(GreedyRule::Chain).unwrap();
            means.update(&run, plan.tools(), plan.cost()).unwrap();
        }
        let found = [
            rounded(means.cost_gap().unwrap(), 3),
            rounded(means.paths().mean_edit_distance().unwrap(), 3),
            rounded(means.paths().mean_normalized_edit_distance().unwrap() * 100.0, 2),
            rounded(means.paths().exact_match_rate().unwrap() * 100.0, 2),
        ];
        let expected = ["cost_gap", "aed", "aned_percent", "emr_percent"]
            .map(|field| row[field].as_f64().unwrap());
        println!("{found:?}");
        assert_eq!(found, expected);
        // The greedy policy makes no redundant call: the value in parentheses is the same.
        assert_eq!(means.cost_gap_without_redundant(), means.cost_gap());
        assert_eq!(means.task_completion_ratio(), Ok(1.0));
        assert_eq!((means.runs(), means.failures().invalid()), (381, 0));
    }
}

#[test]
fn mean_distances_of_blocked_from_unblocked_optimal_paths_are_the_published_ones() {
    let Some(queries) = queries() else { return };
    let library = Library::new(2).unwrap();
    let figures = &published()["mean_gt_ned_one_blocking_level_2"];
    for (kind, name) in [
        (EventKind::CostChange, "cost_change"),
        (EventKind::BanTool, "ban_tool"),
        (EventKind::PreferenceChange, "preference_change"),
        (EventKind::RemoveTools, "remove_tools"),
    ] {
        let mut mean = ExactMean::default();
        for (query, task) in &queries {
            let scenario = scenario(&library, query, *task, &[kind]);
            let plan = scenario.optimal_plan().unwrap().unwrap();
            let run = scenario.optimal_run().unwrap();
            assert!(run.goal_reached() && run.all_events_fired(), "{query} {name}");
            mean.update(normalized_edit_distance(&run.path(), plan.tools()));
        }
        println!("{name}: {}", mean.finish().unwrap());
        assert_eq!(rounded(mean.finish().unwrap(), 3), figures[name].as_f64().unwrap(), "{name}");
    }
}
