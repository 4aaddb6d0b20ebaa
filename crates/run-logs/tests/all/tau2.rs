//! Results that tau2-bench wrote, read as its own reader reads them (`golden/tau2/make.py`).

use std::{collections::BTreeMap, fs, path::Path};

use crate::common::{Folder, calls, compare, fault, lines, runs_at, table_at, used};
use censoring::StopReason;
use run_logs::{
    AtLimit, Caller, FactRules, Format, Problem, ReadOptions, Run, json_lines::json_value,
    read_path,
};
use serde_json::{Value as Json, json};
use trajectory_metrics::tool_calls::Value;

fn runs(path: &Path) -> Vec<Run> {
    runs_at(path, Format::Tau2)
}

/// The run under the names of what the benchmark's reader says.
fn shown(run: &Run) -> Json {
    let turns = run.turns.iter().map(|turn| {
        let reply = turn.reply.as_ref().unwrap();
        let role = match turn.caller {
            Caller::User => "user",
            Caller::Agent => "assistant",
            _ => "another one",
        };
        let mut shown = used(&reply.usage.clone().unwrap_or_default());
        (shown["role"], shown["text"]) = (role.into(), reply.text.as_str().into());
        shown["calls"] = calls(reply);
        shown
    });
    let expected = run.expected_calls.iter().map(|it| {
        let (name, arguments) = (&it.call.name, json_value(&it.call.arguments));
        json!({"name": name, "arguments": arguments, "user": it.caller == Caller::User,
            "compared": it.compared, "matched": it.matched})
    });
    // Domains number their tasks alike.
    let task = run.task.as_deref().map(|task| match run.metadata.get("domain") {
        Some(Value::Text(domain)) => task.strip_prefix(&format!("{domain}/")).unwrap(),
        _ => task,
    });
    // A reward between 0 and 1 is no success there.
    let grade = FactRules::default().judgement(run).unwrap().grade;
    json!({
        "id": run.id, "task": task, "trial": run.trial, "model": run.model,
        "success": grade.map(|grade| grade == 1.0), "excluded": run.excluded.is_some(),
        "reward": run.scores.get("reward").map(|score| json_value(&score.value)),
        "error": run.error, "cost": run.usage.cost_usd,
        "ended": json_value(&run.metadata["termination_reason"]),
        "turns": turns.collect::<Vec<_>>(), "expected": expected.collect::<Vec<_>>(),
    })
}

/// Compares a run with what the benchmark's reader says; returns how many values were compared.
fn compare_run(run: &Run, expected: &Json) -> usize {
    let at = format!("{} of {}", expected["id"], expected["task"]);
    let ended = expected["ended"].as_str().unwrap();
    assert_eq!(run.stop, Some(StopReason::from(ended.to_owned())), "{at}");
    let limit = run.limit.as_ref().map(|limit| (limit.kind.as_str(), limit.limit));
    match ended {
        "max_steps" => assert_eq!(limit, Some((ended, expected["max_steps"].as_f64())), "{at}"),
        "timeout" | "context_window_exceeded" => assert_eq!(limit, Some((ended, None)), "{at}"),
        _ => assert_eq!(limit, None, "{at}"),
    }
    let mut shown = shown(run);
    shown["max_steps"] = expected["max_steps"].clone();
    compare(&shown, expected, &at, 0.0).unwrap()
}

#[test]
fn results_in_one_file_and_in_a_folder_are_read_as_the_benchmark_reads_them() {
    let folder = Folder::new("tau2-golden");
    folder.unpack("tau2/tau2.jsonl.gz");
    let mut read = runs(&folder.0.join("single.json"));
    assert_eq!(read.len(), 200);
    read.extend(runs(&folder.0.join("folder")));
    let expected = lines("tau2/tau2.expected.jsonl.gz");
    assert!(expected[0]["origin"].as_str().unwrap().contains("tau2-bench 1.0.1"));
    assert_eq!(read.len(), expected.len() - 1);
    let compared: usize =
        read.iter().zip(&expected[1..]).map(|(run, expected)| compare_run(run, expected)).sum();
    println!("{compared} fields of {} simulations", read.len());
    assert!(compared > 8_000, "{compared}");
    // The cases that the script makes are all there.
    let mut ends: BTreeMap<String, usize> = BTreeMap::new();
    for run in &read {
        let Value::Text(ended) = &run.metadata["termination_reason"] else { panic!("{run:?}") };
        *ends.entry(ended.clone()).or_default() += 1;
    }
    assert!(ends.len() == 10 && ends.values().all(|&count| count >= 5), "{ends:?}");
    // The results file in the folder stands for the whole folder.
    let both = runs(&folder.0);
    assert_eq!(both.len(), read.len());
    assert_eq!(runs(&folder.0.join("folder/results.json")), read[200..]);
}

#[test]
fn a_limit_and_an_infrastructure_error_are_no_failures_unless_the_policy_says_so() {
    let folder = Folder::new("tau2-policy");
    let simulation = |id: &str, ended: &str, reward: Json| json!({"id": id, "task_id": "t", "termination_reason": ended, "reward_info": reward});
    let results = json!({
        "info": {"num_trials": 4, "max_steps": 30, "agent_info": {"llm": "m"}},
        "tasks": [],
        "simulations": [
            simulation("a", "user_stop", json!({"reward": 1.0})),
            simulation("b", "max_steps", json!({"reward": 0.0})),
            simulation("c", "infrastructure_error", Json::Null),
            simulation("d", "agent_error", json!({"reward": 0.0})),
            simulation("e", "infrastructure_error", json!({"reward": 0.0})),
        ],
    });
    let path = folder.write("results.json", results.to_string());
    let outcomes = |at_limit| {
        let table = table_at(&path, &FactRules { at_limit, ..FactRules::default() });
        table.rows().iter().map(|row| row.outcome).collect::<Vec<_>>()
    };
    let failed = Some(false);
    assert_eq!(outcomes(Some(AtLimit::Graded)), [Some(true), failed, None, failed, None]);
    assert_eq!(outcomes(Some(AtLimit::Unknown)), [Some(true), None, None, failed, None]);
    let excluded: Vec<_> = runs(&path).into_iter().map(|run| run.excluded.is_some()).collect();
    assert_eq!(excluded, [false, false, true, false, true]);
}

#[test]
fn simulations_that_were_planned_and_are_missing_are_counted_in_each_file() {
    let results = |trials: u64, ids: &[&str]| {
        let task = |id: &str| json!({"id": id, "user_scenario": {}, "evaluation_criteria": null});
        let simulation = |id: &&str| json!({"id": id, "task_id": "1", "trial": 0, "termination_reason": "user_stop", "reward_info": {"reward": 1.0}});
        json!({"timestamp": "2026-11-22", "info": {"num_trials": trials, "agent_info": {"llm": "m"}, "environment_info": {"domain_name": "airline"}},
            "tasks": [task("1"), task("2"), task("3")], "simulations": ids.iter().map(simulation).collect::<Vec<_>>()})
    };
    let planned = |folder: &Folder| {
        let account = table_at(&folder.0, &FactRules::default()).account("");
        (account.n_found, account.n_planned, account.n_missing, account.evaluations)
    };
    let folder = Folder::new("tau2-planned");
    folder.write("a.json", results(2, &["a", "b"]).to_string());
    let (found, n_planned, missing, evaluations) = planned(&folder);
    assert_eq!((found, n_planned, missing), (2, Some(6), 4));
    let of = &evaluations[0];
    let texts = [&of.task, &of.model, &of.created].map(|text| text.as_deref().unwrap());
    assert_eq!(texts, ["airline", "m", "2026-11-22"]);
    // Results have no name, so that no file is a retry of another one; one without a simulation has a head too.
    folder.write("b.json", results(1, &["c"]).to_string());
    folder.write("c.json", results(1, &[]).to_string());
    let (found, n_planned, missing, _) = planned(&folder);
    assert_eq!((found, n_planned, missing), (3, Some(12), 9));
}

#[test]
fn a_folder_that_does_not_agree_with_its_index_is_an_error() {
    let folder = Folder::new("tau2-index");
    let results = json!({"info": {"num_trials": 1}, "tasks": [],
        "simulation_index": [{"id": "a", "task_id": "t", "trial": 0}]});
    let simulation = |id: &str| {
        let simulation = json!({"id": id, "task_id": "t", "termination_reason": "agent_stop"});
        simulation.to_string()
    };
    let path = folder.write("results.json", results.to_string());
    let first = |path: &Path| {
        read_path(path, Format::Auto, &ReadOptions::default()).unwrap().next().unwrap()
    };
    let problem = || {
        let (place, problem) = fault(first(&path));
        assert!(place.file.as_ref().unwrap().ends_with(".json"), "{place}");
        (place.field, problem)
    };
    let (field, missing) = problem();
    assert_eq!(field, "simulations");
    assert_eq!(missing, Problem::Missing);
    folder.write("simulations/b.json", simulation("b"));
    let (field, dangling) = problem();
    assert_eq!(field, "simulation_index");
    assert!(matches!(dangling, Problem::Dangling { what } if what.contains("simulation a")));
    folder.write("simulations/a.json", simulation("a"));
    let (_, extra) = problem();
    assert!(matches!(extra, Problem::Value { value, .. } if value == "b"));
    fs::remove_file(folder.0.join("simulations/b.json")).unwrap();
    assert_eq!(first(&path).unwrap().id, "a");
    // A simulation alone is a run without the model that the results name.
    let alone = runs(&folder.0.join("simulations/a.json"));
    assert_eq!((alone.len(), alone[0].model.as_deref()), (1, None));
    // An error in a file of the folder names that file.
    folder.write("simulations/a.json", r#"{"id": "a", "task_id": "t", "trial": "first"}"#);
    let error = first(&path).unwrap_err().to_string();
    assert!(error.contains("simulations/a.json: sample a: trial: expected a number"), "{error}");
}

#[test]
fn the_id_of_a_simulation_may_end_like_the_name_of_a_file() {
    let folder = Folder::new("tau2-names");
    let results = json!({"info": {"num_trials": 1}, "tasks": [],
        "simulation_index": [{"id": "a.json", "task_id": "t", "trial": 0}]});
    let simulation = json!({"id": "a.json", "task_id": "t", "termination_reason": "agent_stop"});
    folder.write("simulations/a.json.json", simulation.to_string());
    let read = runs(&folder.write("results.json", results.to_string()));
    assert_eq!(read.iter().map(|run| run.id.as_str()).collect::<Vec<_>>(), ["a.json"]);
}

#[test]
fn hostile_results_are_errors_with_the_simulation_and_the_field() {
    let folder = Folder::new("tau2-errors");
    let head = r#"{"info": {"num_trials": 1}, "tasks": [], "simulations": [{"id": "s", "task_id": "t", "termination_reason": "user_stop"#;
    let first = |tail: &str| {
        let path = folder.write("results.json", format!("{head}{tail}"));
        let mut runs = read_path(&path, Format::Auto, &ReadOptions::default()).unwrap();
        let (place, problem) = fault(runs.next().unwrap());
        assert!(place.file.as_ref().unwrap().ends_with("results.json"), "{place}");
        assert_eq!(place.sample.as_deref(), Some("s"), "{place}");
        (place.field, problem)
    };
    let call =
        r#"", "messages": [{"role": "assistant", "tool_calls": [{"name": "f", "arguments": "#;
    type Case<'a> = (String, &'a str, fn(&Problem) -> bool);
    let cases: [Case<'_>; 7] = [
        (format!("{call}3}}]}}]}}]}}"), "messages[0].tool_calls[0].arguments", |it| {
            matches!(it, Problem::Type { expected: "an object", found: "a number" })
        }),
        (
            format!("{call}{{\"a\": 1, \"a\": 2}}}}]}}]}}]}}"),
            "",
            |it| matches!(it, Problem::DuplicateKey { key } if key == "a"),
        ),
        (format!("{call}{{\"a\": {}", "[".repeat(100_000)), "", |it| {
            matches!(it, Problem::TooDeep { .. })
        }),
        ("\", \"agent_cost\": NaN}]}".to_owned(), "agent_cost", |it| {
            matches!(it, Problem::Value { .. })
        }),
        ("\", \"messages\": [".to_owned(), "", |it| *it == Problem::Truncated),
        ("\", \"trial\": -1}]}".to_owned(), "trial", |it| matches!(it, Problem::Value { .. })),
        (
            "\", \"messages\": [{\"role\": \"robot\"}]}]}".to_owned(),
            "messages[0].role",
            |it| matches!(it, Problem::Value { value, .. } if value == "robot"),
        ),
    ];
    for (tail, expected, is_it) in cases {
        let (field, problem) = first(&tail);
        assert!(is_it(&problem), "{tail:.80}: {problem}");
        let is_there = expected.is_empty() || field == format!("simulations[0].{expected}");
        assert!(is_there, "{tail:.80}: {field}");
    }
}
