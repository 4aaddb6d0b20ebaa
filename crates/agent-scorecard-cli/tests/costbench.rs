//! The program as its users run it: figures out, or one line on standard error and exit code 2.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

mod program;

use std::{collections::BTreeMap, fs};

use agent_scorecard::{
    costbench::{Query, SweepOptions, sweep},
    options::Named,
    tool_graph::RuleVersion,
};
use program::{names_field, noted, refusal, refused, run, write};
use serde_json::{Value, json};

fn json(arguments: &[&str]) -> Value {
    program::plain(&[arguments].concat())
}

/// The report on these queries.
fn report(name: &str, queries: &Value, arguments: &[&str]) -> Value {
    let path = write(name, &serde_json::to_string_pretty(queries).unwrap());
    json(&[&["--queries", &path], arguments].concat())
}

fn golden(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn published() -> Value {
    golden(include_str!("../../tool-graph/tests/golden/costbench/published.json"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

/// To as many decimals as are printed.
fn rounded(value: &Value, scale: f64, decimals: i32) -> f64 {
    let unit = 10f64.powi(decimals);
    (value.as_f64().unwrap() * scale * unit).round() / unit
}

/// The benchmark's own queries, which this project does not ship.
fn recorded() -> Option<String> {
    program::recorded("golden/costbench/queries.json")
}

#[test]
fn greedy_rows_of_tables_3_and_4_come_out_as_published() {
    let Some(queries) = recorded() else { return };
    for row in list(&published()["greedy_policy"]) {
        let level = row["refinement_level"].to_string();
        let found = json(&["--queries", &queries, "--refinement-level", &level]);
        assert_eq!(found["queries"], 381);
        assert_eq!(json!(rounded(&found["cost_gap"], 1.0, 3)), row["cost_gap"]);
        assert_eq!(json!(rounded(&found["aed"], 1.0, 3)), row["aed"]);
        assert_eq!(json!(rounded(&found["aned"], 100.0, 2)), row["aned_percent"]);
        assert_eq!(json!(rounded(&found["emr"], 100.0, 2)), row["emr_percent"]);
        assert_eq!(found["notes"], json!([]));
    }
}

#[test]
fn mean_distances_under_one_event_come_out_as_published() {
    let Some(queries) = recorded() else { return };
    let still = json(&["--queries", &queries]);
    for (kind, figure) in published()["mean_gt_ned_one_blocking_level_2"].as_object().unwrap() {
        let kind = kind.replace('_', "-");
        let found = json(&["--queries", &queries, "--block", &kind]);
        assert_eq!(json!(rounded(&found["gt_ned"], 1.0, 3)), *figure, "{kind}");
        assert_eq!(found["blocked"]["queries"], 381, "{kind}");
        // The other figures are those of the world as it is at the start.
        for name in ["cost_gap", "aed", "aned", "emr", "mean_optimal_cost"] {
            assert_eq!(found[name], still[name], "{kind} {name}");
        }
    }
}

#[test]
fn without_a_file_120_queries_over_all_tasks_are_made() {
    let found = json(&["--paths"]);
    let paths = list(&found["paths"]);
    assert_eq!((&found["queries"], paths.len()), (&120.into(), 120));
    let counts = |field: &str| {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for path in paths {
            *counts.entry(path[field].as_str().unwrap()).or_default() += 1;
        }
        counts.into_values().collect::<Vec<_>>()
    };
    assert_eq!(counts("query_id"), [1; 120]);
    assert_eq!(counts("task"), [20; 6]);
}

#[test]
fn figures_are_means_of_the_paths() {
    let found = json(&["--paths", "--block", "ban-tool"]);
    let paths = list(&found["paths"]);
    let mean = |of: &dyn Fn(&Value) -> f64| paths.iter().map(of).sum::<f64>() / paths.len() as f64;
    let number = |value: &Value| value.as_f64().unwrap();
    let expected = [
        ("cost_gap", mean(&|path| number(&path["greedy_cost"]) - number(&path["optimal_cost"]))),
        ("emr", mean(&|path| f64::from(path["greedy"] == path["optimal"]))),
        ("mean_optimal_cost", mean(&|path| number(&path["optimal_cost"]))),
    ];
    for (name, value) in expected {
        assert!((number(&found[name]) - value).abs() < 1e-9, "{name}: {found:#} {value}");
    }
    // A ban falls on a call of the optimal plan, which stays in the run and is not made again.
    for path in paths {
        let run = list(&path["blocked_optimal"]);
        let plan = list(&path["optimal"]);
        assert_ne!(run, plan);
        let same = run.iter().zip(plan).take_while(|(a, b)| a == b).count();
        assert!(same >= 1, "{path}");
        assert!(!run[same..].contains(&run[same - 1]), "{path}");
    }
}

#[test]
fn bad_queries_are_one_line_that_names_file_line_and_field_and_exit_code_2() {
    let cases = [
        ("unknown_task", "{\n\"query_id\": \"c\",\n\"task\": \"sleeping\"}", 8, "[2].task"),
        ("task_of_a_number", r#"{"query_id": "c", "task": 3}"#, 6, "[2].task"),
        ("task_null", r#"{"query_id": "c", "task": null}"#, 6, "[2].task"),
        ("task_as_object", r#"{"query_id": "c", "task": {"dining": null}}"#, 6, "[2].task"),
        ("no_task", "{\n\"query_id\": \"c\"\n}", 8, "[2].task"),
        ("no_id", r#"{"task": "dining"}"#, 6, "[2].query_id"),
        ("id_of_a_number", "{\n\"query_id\": 7, \"task\": \"dining\"}", 7, "[2].query_id"),
        ("id_twice", r#"{"query_id": "c", "query_id": "d", "task": "dining"}"#, 6, "[2].query_id"),
        ("note_twice", r#"{"query_id": "c", "task": "dining", "x": 1, "x": 2}"#, 6, "[2].x"),
        ("list", r#"["c", "dining"]"#, 6, "[2]"),
        ("text", r#""c""#, 6, "[2]"),
    ];
    for (name, query, line, field) in cases {
        let path = write(
            &format!("{name}.json"),
            &format!(
                "[\n  {{\"query_id\": \"a\", \"task\": \"dining\"}},\n  {{\n    \"query_id\": \"b\", \"task\": \"location\"\n  }},\n  {query}\n]\n"
            ),
        );
        let error = refusal(&run(&["--queries", &path, "--json"]), name);
        assert!(names_field(&error, &path, line, field), "{name}: {error}");
    }
}

#[test]
fn what_is_no_array_no_file_or_empty_is_refused_alike() {
    let cases = [
        ("prose", "this is not JSON\n", "prose.json:1: "),
        ("empty", "", "empty.json:1: "),
        ("none", "[]", "none.json: holds no query"),
        ("object", r#"{"query_id": "a", "task": "dining"}"#, "object.json:1: is not a JSON array"),
        ("cut", "[\n{\"query_id\": \"a\"", "cut.json:2: "),
        ("more", "[{\"query_id\": \"a\", \"task\": \"dining\"}]\n[]", "more.json:2: goes on"),
    ];
    for (name, content, expected) in cases {
        let path = write(&format!("{name}.json"), content);
        refused(&run(&["--queries", &path]), expected);
    }
}

#[test]
fn by_the_released_rules_the_greedy_policy_keeps_to_its_chain_after_an_event_and_never_gets_stuck()
{
    let blocked = |rules| json(&["--block", "remove-tools", "--rules", rules])["blocked"].clone();
    let (paper, released) = (blocked("paper"), blocked("released"));
    let number = |value: &Value| value.as_f64().unwrap();
    assert!(number(&paper["completed"]) < 1.0, "{paper}");
    assert_eq!(number(&released["completed"]), 1.0, "{released}");
    let gt_ned = |rules| json(&["--block", "cost-change", "--rules", rules])["gt_ned"].clone();
    assert_eq!(gt_ned("paper"), gt_ned("released"));
}

#[test]
fn as_many_bans_as_leave_a_way_for_sure_are_taken() {
    for (level, most) in [("1", "2"), ("2", "3"), ("3", "4")] {
        let found = json(&["--refinement-level", level, "--block", "ban-tool", "--blocks", most]);
        assert!(found["gt_ned"].as_f64().unwrap() > 0.5, "{found:#}");
    }
}

#[test]
fn undefined_figures_are_null_and_say_why() {
    let found = json(&["--block", "cost-change", "--blocks", "20"]);
    assert_eq!(found["gt_ned"], Value::Null);
    assert_eq!(found["blocked"]["aed"], Value::Null);
    assert!(found["cost_gap"].is_number());
    for figure in ["gt_ned: undefined", "blocked: undefined"] {
        let says = |note: &Value| note.as_str().unwrap().starts_with(figure);
        assert!(list(&found["notes"]).iter().any(says), "{figure}: {found:#}");
    }
    // Some of the queries have all three events.
    let found = json(&["--block", "remove-tools", "--blocks", "3"]);
    assert!(found["gt_ned"].is_number(), "{found:#}");
    noted(&found, "of 120 queries left out");
}

#[test]
fn a_query_that_stands_twice_is_noted_and_counts_twice() {
    let row = json!({"query_id": "a", "task": "dining"});
    let other = json!({"query_id": "a", "task": "location"});
    let found = report("twice.json", &json!([row, row, other]), &[]);
    assert_eq!(found["queries"], 3);
    noted(&found, "of 3 queries, only 2 are different");
    let found = report("once.json", &json!([row, other]), &[]);
    assert!(!found["notes"].to_string().contains("different ones"), "{found:#}");
}

#[test]
fn seed_noise_and_bounds_change_costs_as_they_should() {
    let cost = |arguments: &[&str]| json(arguments)["mean_optimal_cost"].as_f64().unwrap();
    assert_ne!(cost(&["--seed", "43"]), cost(&[]));
    // With no noise and one cost for all, every plan of five steps costs five times that.
    let same = ["--min-cost", "20", "--max-cost", "20", "--noise-std", "0"];
    let found = json(&same);
    assert_eq!((&found["mean_optimal_cost"], &found["cost_gap"]), (&json!(100.0), &json!(0.0)));
    // Nor is there a gap of some 1e-15 left over from sums of costs in cents.
    assert_eq!(json(&["--noise-std", "0"])["cost_gap"], json!(0.0));
    assert!((cost(&["--min-cost", "30", "--max-cost", "50"]) - 2.0 * cost(&[])).abs() < 2.0);
}

#[test]
fn a_sweep_has_the_exact_matches_of_figure_6_and_says_how_many_queries_it_leaves_out() {
    let Some(queries) = recorded() else { return };
    let queries = Query::read(&queries, fs::read(&queries).unwrap().as_slice()).unwrap();
    let mut options = SweepOptions {
        levels: vec![4],
        noises: vec![0.1],
        seeds: vec![42],
        ..SweepOptions::default()
    };
    options.base.rules = RuleVersion::named("released").unwrap();
    let found = serde_json::to_value(sweep(&queries, &options).unwrap()).unwrap();
    let blocks = &list(&found["groups"])[3];
    for (kind, percent, left_out) in [("cost-change", 0.92, 72), ("remove-tools", 3.08, 75)] {
        let is_row = |row: &&Value| row["block"] == kind && row["blocks"] == 3;
        let row = list(&blocks["rows"]).iter().find(is_row).unwrap();
        assert_eq!(rounded(&row["emr"]["value"], 100.0, 2), percent, "{row}");
        assert_eq!(row["left_out_by_reason"]["last_event"], left_out, "{row}");
        assert!(row["cost_gap"]["value"].is_null());
    }
}

#[test]
fn copies_of_a_query_do_not_narrow_an_interval() {
    let tasks = ["location", "transportation", "accommodation", "attraction", "dining", "shopping"];
    let query = |at: usize| json!({"query_id": format!("q{at}"), "task": tasks[at % 6]});
    let once: Vec<Value> = (0..30).map(query).collect();
    let often: Vec<Value> = once.iter().flat_map(|query| vec![query.clone(); 4]).collect();
    let aed = |name: &str, queries: Vec<Value>| {
        let queries = write(name, &Value::Array(queries).to_string());
        let found = program::json(&["--queries", &queries]);
        ["value", "ci_low", "ci_high"].map(|end| found["aed"][end].as_f64().unwrap())
    };
    let (once, often) = (aed("once.json", once), aed("often.json", often));
    for (once, often) in once.into_iter().zip(often) {
        assert!((once - often).abs() < 1e-9, "{once} {often}");
    }
}

#[cfg(unix)]
#[test]
fn files_without_an_end_are_refused() {
    let checkout = program::fresh("endless-checkout");
    let folder = std::path::Path::new(&checkout).join("env/data/runtime/queries");
    std::fs::create_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink("/dev/zero", folder.join("queries.json")).unwrap();
    refused(
        &run(&["--results", "/dev/null", "--checkout", &checkout]),
        "queries.json: is a pipe, a socket or a device",
    );
    let published = [
        "costbench",
        "--published",
        &checkout,
        "--model",
        "m",
        "--base-url",
        "http://127.0.0.1:9/v1",
        "--out",
        &checkout,
    ];
    refused(&program::run_other("run", &published), "--published: ");
}

#[test]
fn costs_and_triggers_follow_the_papers_text_where_that_is_asked_for() {
    let cost = |more: &[&str]| {
        let report = json(&[&["--block", "ban-tool"], more].concat());
        (
            report["mean_optimal_cost"].clone(),
            report["gt_ned"].clone(),
            report["trigger_rule"].clone(),
        )
    };
    let (usual, costs, trigger) =
        (cost(&[]), cost(&["--costs", "paper"]), cost(&["--trigger", "paper"]));
    assert_ne!(usual.0, costs.0);
    assert_eq!(usual.0, trigger.0);
    assert_ne!(usual.1, trigger.1);
    assert_eq!((&usual.2, &trigger.2), (&Value::Null, &Value::from("paper")));
}

#[test]
fn paths_and_costs_are_those_of_the_reference_runs_to_the_cent() {
    let runs = golden(include_str!("../../tool-graph/tests/golden/costbench/reference_runs.json"));
    let mut compared = 0;
    for level in [2, 5] {
        let rows: Vec<&Value> =
            list(&runs).iter().filter(|row| row["refinement_level"] == level).collect();
        let queries: Value = rows
            .iter()
            .map(|row| json!({"query_id": row["query_id"], "task": row["task"]}))
            .collect();
        let name = format!("reference_{level}.json");
        let level = level.to_string();
        let found = report(&name, &queries, &["--refinement-level", &level, "--paths"]);
        assert_eq!(list(&found["paths"]).len(), rows.len(), "{name}");
        for (ours, theirs) in list(&found["paths"]).iter().zip(rows) {
            for field in ["query_id", "task", "optimal", "greedy"] {
                assert_eq!(ours[field], theirs[field], "{field} of {theirs}");
            }
            // Costs in cents are whole cents here; theirs have the rounding errors of their sum.
            for field in ["optimal_cost", "greedy_cost"] {
                assert_eq!(
                    ours[field],
                    json!(rounded(&theirs[field], 1.0, 2)),
                    "{field} of {theirs}"
                );
            }
            assert!(ours.get("blocked_optimal").is_none(), "no event was asked for");
            compared += 1;
        }
    }
    assert_eq!(compared, 24);
}

#[test]
fn runs_under_events_are_those_of_another_program() {
    let runs = golden(include_str!("../../tool-graph/tests/golden/costbench/blocked_runs.json"));
    let mut worlds: BTreeMap<(String, String, String), Vec<&Value>> = BTreeMap::new();
    for row in list(&runs["runs"]) {
        let events = list(&row["events"]);
        if row["rule"] == "released" && events.windows(2).all(|two| two[0] == two[1]) {
            let kind = events[0].as_str().unwrap().replace('_', "-");
            let world = (row["level"].to_string(), kind, events.len().to_string());
            worlds.entry(world).or_default().push(row);
        }
    }
    assert!(worlds.len() >= 4, "{:?}", worlds.keys());
    for ((level, kind, blocks), rows) in worlds {
        let queries: Value = rows
            .iter()
            .map(|row| json!({"query_id": row["query_id"], "task": row["task"]}))
            .collect();
        let name = format!("{kind}_{blocks}_{level}.json");
        let settings =
            ["--refinement-level", &level, "--block", &kind, "--blocks", &blocks, "--paths"];
        let found = report(&name, &queries, &settings);
        assert_eq!(list(&found["paths"]).len(), rows.len(), "{name}");
        for (ours, theirs) in list(&found["paths"]).iter().zip(rows) {
            assert_eq!(ours["blocked_optimal"], theirs["optimal"], "{theirs}");
            assert_eq!(ours["blocked_greedy"], theirs["greedy"], "{theirs}");
        }
    }
}
