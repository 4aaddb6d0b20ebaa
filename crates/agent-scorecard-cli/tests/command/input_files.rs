//! What every subcommand does with the files that it is given.

use crate::program::{
    self, empty, fresh, json_of, names_field, refusal, refused, run_line, run_other, run_words,
    write,
};
use serde_json::Value;

/// What reads a file, a line after a good one and a blank one, the field that its error names, and a part of the error.
const LINES: &str = r#"
traces | {"id":"b","forecasts":[0.5,NaN],"outcome":true} | forecasts[1]
traces | {"id":"b","forecasts":[0.5,1.2],"outcome":true} | forecasts[1]
traces | {"id":"b","forecasts":[null],"outcome":true} | forecasts[0]
traces | {"id":"b","forecasts":[],"outcome":true} | forecasts
traces | {"id":"b","outcome":true} | forecasts
traces | {"id":"b","forecasts":[0.5]} | outcome
traces | {"id":"b","forecasts":[0.5],"outcome":7} | outcome
traces | {"forecasts":[0.5],"outcome":true} | id
traces | {"id":"b","forecasts":[0.5,0.5],"outcome":null,"stop":"max_steps","horizon":1} | horizon
traces | {"id":"b","forecasts":[0.5],"outcome":null,"stop":"max_steps","horizon":18446744073709551615} | horizon
traces | {"id":"b","forecasts":[0.5,0. | forecasts[1]
budget | {"turns":[{"output_tokens":1}],"success":true} | id
budget | {"id":null,"turns":[{"output_tokens":1}],"success":true} | id
budget | {"id":"b","success":true} | turns
budget | {"id":"b","turns":[],"success":true} | turns
budget | {"id":"b","turns":["x"],"success":true} | turns[0]
budget | {"id":"b","turns":[{"output_tokens":1},{"cost_usd":1}],"success":true} | turns[1].output_tokens
budget | {"id":"b","turns":[{"output_tokens":5},{"output_tokens":1e400}],"success":true} | turns[1].output_tokens
budget | {"id":"b","turns":[{"output_tokens":-5}],"success":true} | turns[0].output_tokens
budget | {"id":"b","turns":[{"output_tokens":"5"}],"success":true} | turns[0].output_tokens
budget | {"id":"b","turns":[{"output_tokens":5,"cost_usd":-1}],"success":true} | turns[0].cost_usd
budget | {"id":"b","turns":[{"output_tokens":5}]} | success
budget | {"id":"b","turns":[{"output_tokens":5}],"success":null} | success
budget | {"id":"b","turns":[{"output_tokens":5}],"success":"yes"} | success
budget | {"id":"b","caps":{"weeks":5},"turns":[{"output_tokens":5}],"success":true} | caps.weeks
budget | {"id":"b","turns":[{"output_tokens":5}],"success":true,"stop_reason":3} | stop_reason
estimates | {"id":"d","turn":1,"answer":"[1, 2]"} | id
estimates | {"id":"a","turn":3,"answer":"[1, 2]"} | turn
estimates | {"id":"a","turn":1,"answer":"[80, 100]"} | turn
estimates | {"id":"a","turn":-1,"answer":"[80, 100]"} | turn
estimates | {"id":"a","answer":"x"} | turn
estimates | {"id":"a","turn":2} | answer
estimates | {"id":"a","turn":2,"answer":[1,2]} | answer
estimates | {"id":["a"],"turn":2,"answer":"x"} | id
triage | {"problem":"z","solved":1,"output_tokens":0} | output_tokens
triage | {"problem":"z","solved":1,"output_tokens":-5} | output_tokens
triage | {"problem":"z","solved":1,"output_tokens":5.5} | output_tokens
triage | {"problem":"z","solved":1,"output_tokens":18446744073709551615} | output_tokens
triage | {"problem":"z","solved":1} | output_tokens
triage | {"problem":"z","solved":2,"output_tokens":5} | solved
triage | {"problem":"z","solved":null,"output_tokens":5} | solved
triage | {"problem":"z","solved":1,"output_tokens":5,"value":0} | value
triage | {"problem":"z","solved":1,"output_tokens":5,"value":null} | value
triage | {"problem":"a","solved":1,"output_tokens":5} | problem
paths | {"task":"t","agent_calls":[],"expected_calls":[],"success":1} | id
paths | {"id":"b","agent_calls":[],"expected_calls":[],"success":1} | task
paths | {"id":"b","task":"t","expected_calls":[],"success":1} | agent_calls
paths | {"id":"b","task":"t","agent_calls":[],"success":1} | expected_calls
paths | {"id":"b","task":"t","agent_calls":[],"expected_calls":[]} | success
paths | {"id":"b","task":"t","agent_calls":[],"expected_calls":[],"success":2} | success
paths | {"id":"b","task":"t","agent_calls":[],"expected_calls":[],"success":null} | success
paths | {"id":"b","task":"t","agent_calls":[{"name":"b"},{"args":{}}],"expected_calls":[],"success":1} | agent_calls[1].name
paths | {"id":"b","task":"t","agent_calls":[],"expected_calls":[{"args":{}}],"success":1} | expected_calls[0].name
paths | {"id":"b","task":"t","agent_calls":[],"expected_calls":[{"name":7}],"success":1} | expected_calls[0].name
paths | {"id":"b","task":"t","agent_calls":[{"name":"b","ok":"yes"}],"expected_calls":[],"success":1} | agent_calls[0].ok
paths | {"id":"b","task":"t","agent_calls":["b"],"expected_calls":[],"success":1} | agent_calls[0]
paths | {"id":"b","task":"t","agent_calls":[["b",{},true]],"expected_calls":[],"success":1} | agent_calls[0]
paths | {"id":"b","task":"t","agent_calls":[],"expected_calls":[{"name":"b"},["x",{}]],"success":1} | expected_calls[1]
paths | {"id":"b","task":"t","agent_calls":[{"name":"b","args":{"id":[123456789012345678901]}}],"expected_calls":[],"success":1} | agent_calls[0]
paths | {"id":"b","task":"t","agent_calls":[],"expected_calls":[{"name":"b","args":{"id":-9223372036854775809}}],"success":1} | expected_calls[0]
traces | {"id":"b","forecasts":[0.5,nan],"outcome":true} | forecasts[1] | nan is not JSON; give null for what is missing
traces | {"id":"b","forecasts":[0.5,-Infinity],"outcome":true} | forecasts[1] | -Infinity is not JSON
traces | {"id":"b","forecasts":[0.5,None],"outcome":true} | forecasts[1] | None is not JSON
traces --missing leave-out | {"id":"b","forecasts":[0.5,None],"outcome":true} | forecasts[1] | None is not JSON
traces --missing leave-out | {"id":"b","forecasts":[0.5],"outcome":NaN} | outcome | NaN is not JSON
traces --missing leave-out | {"id":"b","forecasts":["NaN"],"outcome":true} | forecasts[0] | invalid type
traces --missing leave-out | {"id":"b","forecasts":["NaN",NaN],"outcome":true} | forecasts[0] | invalid type
traces --missing leave-out | {"id":"b","forecasts":[{"bare":"NaN"}],"outcome":true} | forecasts[0] | invalid type
traces --missing leave-out | {"id":"b","forecasts":[NaN],"outcome":true,"x":1,"x":2} | forecasts[0] | NaN is not JSON
traces | {"id":"b","forecasts":[0.5],"outcome":true,"id":"c"} | id | duplicate; give each key once
traces | {"id":"b","forecasts":[0.5],"outcome":true,"outcome":false} | outcome | duplicate
traces | {"id":"b","forecasts":[0.5],"outcome":true,"x":1,"x":2} | x | duplicate
traces | {"id":"b","forecasts":[0.5],"outcome":true,"x":[{"y":1,"\u0079":2}]} | x[0].y | duplicate
traces --change | {"id":"b","forecasts":[0.5],"outcome":true,"x":1,"x":2} | x | duplicate
cut-off | {"id":"b","forecasts":[0.5],"outcome":true,"x":1,"x":2} | x | duplicate
cut-off | {"id":"c","forecasts":[0.8],"outcome":null,"stop":"max_steps","success_chance":1.2} | success_chance | 1.2
cut-off | {"id":"c","forecasts":[0.8],"outcome":null,"stop":"max_steps","success_chance":-0.1} | success_chance | -0.1
cut-off | {"id":"c","forecasts":[0.8],"outcome":null,"stop":"max_steps","success_chance":"high"} | success_chance | f64
budget | {"id":"b","turns":[{"output_tokens":5,"output_tokens":500}],"success":true} | turns[0].output_tokens | duplicate
budget | {"id":"b","turns":[{"output_tokens":5}],"success":true,"id":"c"} | id | duplicate
budget | {"id":"b","turns":[{"output_tokens":5}],"success":true,"caps":{"output_tokens":1,"output_tokens":9}} | caps.output_tokens | duplicate
budget | {"id":"b","turns":[{"output_tokens":5}],"success":true,"caps":{},"caps":{}} | caps | duplicate
budget | {"id":"b","turns":[{"output_tokens":5}],"success":true,"tags":{"k":1,"k":2}} | tags.k | duplicate
estimates | {"id":"a","turn":2,"answer":"x","usage":{"n":1,"n":2}} | usage.n | duplicate
triage | {"problem":"z","solved":1,"output_tokens":5,"output_tokens":500} | output_tokens | duplicate
triage | {"problem":"z","solved":1,"output_tokens":5,"model":1,"m\u006fdel":2} | model | duplicate
triage | {"problem":"z","solved":1,"output_tokens":5,"model":[{"k":1,"k":2}]} | model[0].k | duplicate
plans | {"pool":0,"pool":1,"answer":"[]"} | pool | duplicate
plans | {"pool":0,"alpha":1,"answer":{"plan":[{"id":"a","allocation":5,"allocation":500}]}} | answer.plan[0].allocation | duplicate
paths | {"id":"b","task":"t","agent_calls":[{"name":"pay","payload":{"amount":5}}],"expected_calls":[],"success":1} | agent_calls[0] | payload
paths | {"id":"b","task":"t","agent_calls":[],"expected_calls":[{"name":"pay","args":{"amount":5},"input":{"amount":6}}],"success":1} | expected_calls[0] | input
paths | {"id":"b","task":"t","agent_calls":[{"name":"pay","args":{"amount":5,"amount":500}}],"expected_calls":[],"success":1} | agent_calls[0].args.amount | duplicate
paths | {"id":"b","task":"t","agent_calls":[],"expected_calls":[{"name":"pay","ok":true,"ok":false}],"success":1} | expected_calls[0].ok | duplicate
"#;

#[test]
fn a_wrong_line_is_named_by_file_line_and_field() {
    let rollout = r#"{"id":"a","turns":[{"output_tokens":1},{"output_tokens":2},{"output_tokens":3}],"success":true}"#;
    let runs = write("estimated.jsonl", rollout);
    for (number, case) in LINES.lines().skip(1).enumerate() {
        let parts: Vec<&str> = case.split(" | ").collect();
        let [reader, line, field] = parts[..3].try_into().unwrap();
        let good = match reader {
            "budget" => rollout,
            "estimates" => r#"{"id":"a","turn":1,"answer":"[80, 100]"}"#,
            "triage" => r#"{"problem":"a","solved":1,"output_tokens":500,"note":"x"}"#,
            "plans" => r#"{"pool":0,"alpha":0.5,"answer":"[]"}"#,
            "paths" => {
                r#"{"id":"a","task":"t","agent_calls":[],"expected_calls":[],"success":true}"#
            }
            _ => r#"{"id":"a","forecasts":[0.5,0.7],"outcome":true,"stop":"completed"}"#,
        };
        let path = write(&format!("line_{number}.jsonl"), &format!("{good}\n\n{line}\n"));
        let error = match reader {
            "estimates" => run_other("budget", &[&runs, "--estimator", &path]),
            "plans" => run_other("triage", &["--planner", &path]),
            reader => run_other(reader, &[&path, "--json"]),
        };
        let error = refusal(&error, case);
        assert!(names_field(&error, &path, 3, field), "{case}: {error}");
        assert!(error.contains(parts.get(3).unwrap_or(&"")), "{case}: {error}");
    }
}

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
    assert_eq!([0, 1].map(|at| report["files"][at]["solved"].as_u64()), [Some(20), Some(0)]);
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
    let folder = empty("no-regular-file");
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
    refused(&output, "is a pipe, a socket or a device");
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
