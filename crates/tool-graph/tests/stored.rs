//! Stored values are restored, and values that no run or search can produce are errors.
#![cfg(feature = "serde")]
#![allow(clippy::unwrap_used)]

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tool_graph::{
    CallRecord, CallStatus, EnvironmentRules, Episode, Error, Event, GreedyRule, PathCoverage,
    Plan, Problem, RunMeans, RunScores, Scenario, Search, State, Tool, ToolGraph, Transcript,
};
use trajectory_metrics::ExactMean;

fn graph() -> ToolGraph {
    ToolGraph::new(vec![
        Tool::new("search", ["query"], ["hits"], 4.0),
        Tool::new("ask", ["query"], ["hits"], 7.1),
        Tool::new("pick", ["hits"], ["choice"], 2.0),
    ])
    .unwrap()
}

fn scenario() -> Scenario {
    let problem = graph().problem(&["query"], &["choice"]).unwrap();
    Scenario::new(graph(), problem).unwrap().with_events(vec![Event::BanTool]).unwrap()
}

/// A run with every kind of call status.
fn run() -> (Vec<CallRecord>, Transcript) {
    let scenario = scenario();
    let mut episode = Episode::new(&scenario);
    let mut replies: Vec<CallRecord> =
        ["buy", "pick", "search", "search", "ask", "ask", "pick", "pick"]
            .iter()
            .map(|name| episode.call(name).unwrap())
            .collect();
    replies.push(episode.call_with("ask", &["query", "page"]).unwrap());
    replies.push(episode.call_with("ask", &[""; 0]).unwrap());
    (replies, episode.finish(true))
}

fn assert_restored<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) -> Value {
    let text = serde_json::to_string(value).unwrap();
    assert_eq!(serde_json::from_str::<T>(&text).unwrap(), *value, "{text}");
    let json: Value = serde_json::from_str(&text).unwrap();
    if let Value::Object(fields) = &json {
        let mut extra = fields.clone();
        extra.insert("extra".into(), json!(1));
        assert!(serde_json::from_value::<T>(extra.into()).is_err(), "an unknown field");
        let twice = text.replacen('{', &format!("{{{},", text.trim_matches(['{', '}'])), 1);
        assert!(serde_json::from_str::<T>(&twice).is_err(), "{twice}");
    }
    json
}

fn assert_invalid<T: DeserializeOwned>(json: &Value, path: &str, value: Value) {
    let mut changed = json.clone();
    *changed.pointer_mut(path).unwrap() = value.clone();
    assert!(serde_json::from_value::<T>(changed).is_err(), "{path} as {value}");
}

#[test]
fn a_transcript_is_restored_and_impossible_transcripts_are_errors() {
    let (replies, run) = run();
    let kinds = |status: &CallStatus| std::mem::discriminant(status);
    let seen: std::collections::HashSet<_> = replies.iter().map(|r| kinds(&r.status)).collect();
    assert_eq!(seen.len(), 7, "every status occurs once");
    assert_eq!(run.calls(), replies);
    for reply in &replies {
        let json = assert_restored(reply);
        assert_invalid::<CallRecord>(&json, "/cost", json!(-1.0));
    }
    let json = assert_restored(&run);
    assert_eq!(json["calls"][2]["status"], json!("banned"));
    for (path, value) in [
        ("/events_fired", json!(2)),
        ("/events_planned", json!(0)),
        ("/goal_reached", json!(false)),
        ("/calls/0/cost", json!(3.0)),
        ("/calls/0/tool", json!(1)),
        ("/calls/0/event", json!(0)),
        ("/calls/2/event", json!(null)),
        ("/calls/4/cost", json!(-7.0)),
        ("/calls/4/tool", json!(null)),
        ("/calls/4/after_goal", json!(true)),
        ("/calls/5/event", json!(0)),
        ("/calls/0/status", json!("lost")),
        ("/calls/4/status/done", json!({"advanced": true, "new": 1})),
    ] {
        assert_invalid::<Transcript>(&json, path, value);
    }
}

#[test]
fn a_second_ban_that_the_calls_do_not_show_is_an_error() {
    let run = |rules: EnvironmentRules, events: usize| {
        let scenario = scenario().with_events(vec![Event::BanTool; events]).unwrap();
        let scenario = scenario.with_rules(rules);
        let mut episode = Episode::new(&scenario);
        for name in ["search", "search", "search", "ask", "pick"] {
            episode.call(name).unwrap();
        }
        assert_restored(&episode.finish(true))
    };
    // The first call is the only one with a ban, and the others are charged.
    let json = run(EnvironmentRules::RELEASED, 1);
    assert_eq!(
        (&json["calls"][1]["status"], &json["banned_twice"]),
        (&json!("banned"), &json!(false))
    );
    assert_invalid::<Transcript>(&json, "/banned_twice", json!(true));
    assert_invalid::<Transcript>(
        &run(EnvironmentRules::PAPER_TEXT, 1),
        "/banned_twice",
        json!(true),
    );
}

#[test]
fn scores_of_a_run_are_restored_and_checked() {
    let (_, run) = run();
    let scores = run.scores(&scenario().optimal_run()).unwrap();
    let json = assert_restored(&scores);
    for (path, value) in [
        ("/normalized_edit_distance", json!(1.5)),
        ("/invalid_tool_use_ratio", json!(-0.1)),
        ("/invalid_tool_use_ratio", json!(null)),
        ("/edit_distance", json!(null)),
        ("/failures/calls", json!(1)),
        ("/failures/extra", json!(usize::MAX)),
        ("/failures", json!({"calls": 10})),
    ] {
        assert_invalid::<RunScores>(&json, path, value);
    }
    let none = Episode::new(&scenario()).finish(false);
    assert_restored(&none.scores(&scenario().optimal_run()).unwrap());
}

#[test]
fn plans_coverage_and_settings_are_restored_and_checked() {
    let (graph, problem) = (graph(), scenario().problem().clone());
    let plan = graph.optimal_plan(&problem).unwrap().unwrap();
    let json = assert_restored(&plan);
    assert_invalid::<Plan>(&json, "/cost", json!(-1.0));
    assert_invalid::<Plan>(&json, "/tools", json!([0, 2, 0]));

    let listed = [["search", "pick"], ["search", "pick"], ["pick", "search"]];
    let coverage = graph.path_coverage(&problem, &listed).unwrap();
    let json = assert_restored(&coverage);
    assert_eq!(json["possible"], json!(2));
    assert_invalid::<PathCoverage>(&json, "/covered", json!(3));
    assert_invalid::<PathCoverage>(&json, "/covered", json!(0));
    assert_invalid::<PathCoverage>(&json, "/possible", json!("two"));

    // More plans than 64 bits can hold.
    let twins = (0..200).map(|number| {
        let step = number / 2;
        Tool::new(format!("{number}"), [format!("t{step}")], [format!("t{}", step + 1)], 1.0)
    });
    let long = ToolGraph::new(twins.collect()).unwrap();
    let many = long.path_coverage(&long.problem(&["t0"], &["t100"]).unwrap(), &listed).unwrap();
    assert_eq!(assert_restored(&many)["possible"], json!((1u128 << 100).to_string()));

    for search in [Search::Dijkstra, Search::BranchAndCut, Search::Chain] {
        assert_restored(&search);
    }
    assert_restored(&GreedyRule::Any);
}

#[test]
fn states_and_problems_are_restored_for_their_graphs() {
    let (graph, problem) = (graph(), scenario().problem().clone());
    let state = graph.state(&["query", "choice"]).unwrap();
    let json = assert_restored(&state);
    assert_eq!(json["present"], json!("101"));
    assert_invalid::<State>(&json, "/present", json!("121"));
    assert_invalid::<State>(&json, "/graph_types", json!("+00000000000000f"));
    let json = assert_restored(&problem);
    assert_invalid::<Problem>(&json, "/goal/present", json!("1"));

    // The same number of data types with other names.
    let other = ToolGraph::new(vec![Tool::new("read", ["page"], ["text", "notes"], 1.0)]).unwrap();
    let read: Problem = serde_json::from_value(json).unwrap();
    assert!(graph.optimal_plan(&read).unwrap().is_some());
    assert_eq!(other.optimal_plan(&read).unwrap_err(), Error::OtherGraph);
}

#[test]
fn a_graph_is_restored_with_its_bans_and_costs() {
    let mut graph = graph().with_costs(&[0.1, 0.2, 0.3]).unwrap();
    assert!(assert_restored(&graph).is_array());
    graph.ban(1).unwrap();
    let json = assert_restored(&graph);
    assert_invalid::<ToolGraph>(&json, "/banned/0", json!("buy"));
    assert_invalid::<ToolGraph>(&json, "/tools/0/cost", json!(-1));
}

#[cfg(feature = "costbench")]
#[test]
fn libraries_and_cost_models_of_costbench_are_restored_and_checked() {
    use tool_graph::costbench::{CostModel, CostRule, Library, LibraryTool};

    for library in [Library::new(2).unwrap(), Library::with_full_pipelines(3).unwrap()] {
        let json = assert_restored(&library);
        assert_invalid::<Library>(&json, "/refinement_level", json!(101));
        assert_invalid::<Library>(&json, "/refinement_level", json!(usize::MAX));
        let json = assert_restored(&library.entries()[40]);
        assert_invalid::<LibraryTool>(&json, "/first", json!(99));
    }
    let model = CostModel::new(0.1, 0.7, 0.3).unwrap().with_rule(CostRule::PaperText);
    let json = assert_restored(&model);
    assert_invalid::<CostModel>(&json, "/max", json!(0.05));
    assert_invalid::<CostModel>(&json, "/noise_std", json!(-0.05));
}

#[test]
fn deserialization_always_checks() {
    use serde::Deserialize;

    // Called by the type's name, because an inherent function would take precedence over the trait's.
    let json = json!({"tools": [0, 0], "cost": -1.0});
    assert!(Plan::deserialize(&json).is_err());
    assert!(Transcript::deserialize(&json).is_err());
    let call = json!({
        "name": "a", "tool": 0, "status": "unavailable", "cost": 1.0, "after_goal": false, "event": null
    });
    assert!(CallRecord::deserialize(&call).is_err());
}

#[test]
fn means_over_runs_are_restored_continued_and_checked() {
    let best = scenario().optimal_run();
    let (_, run) = run();
    let mut means = RunMeans::default();
    assert_restored(&means);
    for run in [&run, &best, &run] {
        means.update(run, &best).unwrap();
    }
    let json = assert_restored(&means);
    let mut again: RunMeans = serde_json::from_value(json.clone()).unwrap();
    for all in [&mut means, &mut again] {
        all.update(&best, &best).unwrap();
    }
    assert_eq!(again, means);
    assert_eq!(again.runs(), 4);
    assert_eq!(again.finish(), means.finish());
    assert_restored(&means.finish().unwrap());

    let of = |values: &[f64]| {
        serde_json::to_value(values.iter().copied().collect::<ExactMean>()).unwrap()
    };
    for (path, value) in [
        ("/runs", json!(2)),
        ("/runs", json!(-1)),
        ("/cost_gap", of(&[1.0; 4])),
        ("/cost_gap", of(&[f64::INFINITY, 0.0, 0.0])),
        ("/lean_cost_gap", of(&[1.0; 4])),
        ("/completed", of(&[2.0; 3])),
        ("/completed", of(&[-1.0, 0.0, 0.0])),
        ("/paths/exact", of(&[1.0])),
        ("/failures/calls", json!(0)),
    ] {
        assert_invalid::<RunMeans>(&json, path, value);
    }
}
