//! Stored values are restored, and values that no run or search can produce are errors.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tool_graph::{Error, Event, RunMeans, Scenario, Transcript};
use trajectory_metrics::ExactMean;

use crate::{EMPTY, four_tools, plans::chain_of_twins, played, scenario_of};

fn scenario() -> Scenario {
    let scenario = scenario_of(four_tools(), &["query"], &["choice"]);
    scenario.with_events(vec![Event::BanTool]).unwrap()
}

/// A run that calls tools that exist, do not exist, are banned and lack an input.
fn run() -> Transcript {
    played(&scenario(), &["buy", "pick", "search", "search", "ask", "ask", "pick", "pick"])
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
fn results_are_written() {
    assert_eq!(
        serde_json::to_value(scenario().optimal_plan()).unwrap(),
        json!({"tools": [0, 2], "cost": 6.0})
    );
    let run = serde_json::to_value(run()).unwrap();
    assert_eq!(run["calls"][1]["status"], json!({"missing_input": "hits"}));
    assert_eq!(
        (&run["calls"][2]["status"], &run["goal_reached"]),
        (&json!("banned"), &json!(true))
    );
    let event: Event = serde_json::from_str(r#"{"remove_tools": [1, 2]}"#).unwrap();
    assert_eq!(event, Event::RemoveTools(vec![1, 2]));

    // More plans than 64 bits can hold.
    let (long, problem) = chain_of_twins(100, 2);
    let many = long.path_coverage(&problem, &[["search", "pick"]]).unwrap();
    let many = serde_json::to_value(many).unwrap();
    assert_eq!(many["possible"], json!((1u128 << 100).to_string()));
}

#[test]
fn errors_are_written_as_their_text_and_shared_errors_are_found_at_one_depth() {
    let error = scenario().graph().clone().ban(9).unwrap_err();
    let text = "tool 9 does not exist; the library has 4 tools, numbered from 0";
    assert_eq!(serde_json::to_value(&error).unwrap(), json!(text));
    let shared = trajectory_metrics::Error::ScoringRules(scoring_rules::Error::Empty);
    assert_eq!(Error::from(shared), EMPTY);
    let other = Error::from(trajectory_metrics::Error::Invalid("odd".to_owned()));
    assert!(matches!(other, Error::TrajectoryMetrics(_)), "{other:?}");
}

#[cfg(feature = "costbench")]
#[test]
fn cost_models_of_costbench_are_restored_and_checked() {
    use tool_graph::costbench::{CostModel, CostRule};

    let model = CostModel::new(0.1, 0.7, 0.3).unwrap().with_rule(CostRule::PaperText);
    let json = assert_restored(&model);
    assert_invalid::<CostModel>(&json, "/max", json!(0.05));
    assert_invalid::<CostModel>(&json, "/noise_std", json!(-0.05));
}

#[test]
fn means_over_runs_are_restored_continued_and_checked() {
    let best = scenario().optimal_run();
    let run = run();
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
