//! What every subcommand does with the files that it is given.

use crate::program::{self, fresh, json_of, refusal, refused, run_line, run_words, write};
use serde_json::Value;

/// The names of the columns of a report.
fn columns(report: &Value) -> Vec<&str> {
    let columns = report["files"].as_array().unwrap();
    columns.iter().map(|column| column["name"].as_str().unwrap()).collect()
}

/// Lines of two models in turn, made of a number and the model.
fn of_two_models(name: &str, line: impl Fn(usize, &str) -> String) -> String {
    let lines = (0..40).map(|at| line(at, if at % 2 == 0 { "x" } else { "y" }));
    write(name, &lines.collect::<Vec<_>>().join("\n"))
}

#[test]
fn each_model_of_a_file_has_a_column_whatever_estimates_or_plans() {
    let runs = of_two_models("models-runs.jsonl", |at, model| {
        let tokens = if model == "x" { 10 } else { 1000 };
        let turn = format!(r#"{{"output_tokens": {tokens}}}"#);
        format!(
            r#"{{"id": "r{at}", "task": "t{}", "model": "{model}", "success": true, "turns": [{turn}, {turn}]}}"#,
            at / 2
        )
    });
    let report = json_of("budget", &[&runs, "--resamples", "0"]);
    assert_eq!(columns(&report), ["x", "y"]);
    assert_eq!(report["files"][0]["n_rollouts"], 20);
    let problems = of_two_models("models-problems.jsonl", |at, model| {
        let solved = model == "x";
        format!(
            r#"{{"problem": "p{}", "model": "{model}", "solved": {solved}, "output_tokens": {}}}"#,
            at / 2,
            10 + at
        )
    });
    let words = [problems.as_str(), "--pool-size", "5", "--json"];
    let report = json_of("triage", &words);
    assert_eq!(columns(&report), ["x", "y"]);
    assert_eq!(
        (&report["files"][0]["solved"], &report["files"][1]["solved"]),
        (&20.into(), &0.into())
    );
    // Plans name the model of their pool.
    let line = |model: &str| {
        format!(r#"{{"pool": 0, {model}"answer": {{"plan": [{{"id": "p0"}}, {{"id": "p1"}}]}}}}"#)
    };
    let plans = write("models-plans.jsonl", &line(r#""model": "x", "#));
    let planned = json_of("triage", &[&words[..], &["--planner", &plans]].concat());
    assert_eq!(planned["files"][0]["alphas"][0]["planned_pools"], 1);
    assert_eq!(planned["files"][1]["alphas"][0]["planned_pools"], 0);
    let plans = write("models-plans-none.jsonl", &line(""));
    let output = run_words(&[&["triage"], &words[..], &["--planner", &plans]].concat());
    refused(&output, "field model: give the model of the pool, one of x, y");
}

#[cfg(unix)]
#[test]
fn a_pipe_or_a_device_is_refused_wherever_a_file_is_read() {
    let folder = fresh("no-regular-file");
    std::fs::create_dir_all(&folder).unwrap();
    let pipe = format!("{folder}/f");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let queries = format!("{folder}/env/data/runtime/queries");
    std::fs::create_dir_all(&queries).unwrap();
    std::fs::write(format!("{queries}/queries.json"), "[]").unwrap();
    // Nor is a part of a log absent that is one.
    let trial = format!("{folder}/job/trial");
    std::fs::create_dir_all(format!("{trial}/agent")).unwrap();
    let result = r#"{"task_name":"t","trial_name":"n","trial_uri":"u","agent_info":{"name":"a"},"verifier_result":{"rewards":{"reward":1.0}}}"#;
    std::fs::write(format!("{trial}/result.json"), result).unwrap();
    let part = format!("{trial}/agent/trajectory.json");
    assert!(std::process::Command::new("mkfifo").arg(&part).status().unwrap().success());
    let output = run_words(&["logs", &format!("{trial}/result.json")]);
    assert!(refusal(&output, "a part").contains("is a pipe, a socket or a device"));
    for file in [pipe.as_str(), "/dev/zero"] {
        for call in [
            "logs FILE",
            "traces FILE",
            "compare FILE",
            "cut-off FILE",
            "paths FILE",
            "caps FILE --at 9",
            "budget FILE",
            "budget bundled:/demo_rollouts.jsonl --estimator FILE",
            "triage --planner FILE",
            "logs bundled:/demo_log.jsonl --outcomes FILE",
            "costbench --results FILE --checkout FOLDER",
        ] {
            let call = call.replace("FILE", file).replace("FOLDER", &folder);
            let error = refusal(&run_line(&call), &call);
            let problem = "is a pipe, a socket or a device; give a regular file";
            assert!(error.contains(problem), "{error}");
        }
    }
}

#[test]
fn a_folder_keeps_the_ending_of_its_name_and_a_file_does_not() {
    let folder = fresh("endings");
    let content = r#"{"id": "a", "task": "t", "forecasts": [0.5], "outcome": true}"#;
    let paths = ["y.json", "z.eval"].map(|name| format!("{folder}/{name}"));
    let log = program::bundled("demo_log.jsonl");
    let text = json_of("logs", &[&log]);
    assert!(text["n_runs"].as_u64() > Some(0));
    std::fs::create_dir_all(&paths[0]).unwrap();
    std::fs::create_dir_all(&paths[1]).unwrap();
    let file = write("endings-file.jsonl", content);
    let inspect = r#"{"version": 2, "status": "success", "eval": {"task": "t", "model": "m"},
        "samples": [{"id": 1, "epoch": 1, "scores": {"match": {"value": "C"}}}]}"#;
    for path in &paths {
        std::fs::write(format!("{path}/log.json"), inspect).unwrap();
    }
    let report = json_of("compare", &[&paths[0], &paths[1], &file]);
    assert_eq!(columns(&report), ["y.json", "z.eval", "endings-file"]);
}

#[test]
fn a_value_may_begin_with_a_minus_sign() {
    let inspect = r#"{"version": 2, "status": "success", "eval": {"task": "t", "model": "m"},
        "samples": [{"id": 1, "epoch": 1, "scores": {"match": {"value": -0.5}}}]}"#;
    let path = write("minus.json", inspect);
    let report = json_of("compare", &[&path, "--score-range", "-1..1"]);
    assert_eq!(report["files"][0]["mean_score"]["value"], 0.25);
    let words = ["compare", &path, "--success-at", "-1", "--confidence-pattern", "-?([0-9.]+)"];
    assert_eq!(run_words(&words).status.code(), Some(0));
}
