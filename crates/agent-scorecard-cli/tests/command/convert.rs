//! `convert`: what it writes is read by the subcommand that it is for, with the same figures.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::program::{exchange, has, in_folder, json_of, refused, run_other, shown, write};

fn run(arguments: &[&str]) -> std::process::Output {
    run_other("convert", arguments)
}

/// Two runs that state a confidence, and one that does not.
fn log() -> String {
    let used = r#""usage": {"prompt_tokens": 9, "completion_tokens": 4}, "#;
    let row = |id: &str, outcome: &str, turns: &[&str]| {
        exchange(&format!(r#""id": "{id}", "task": "t", "outcome": {outcome}"#), turns, used)
    };
    let sure = "<confidence>0.8</confidence>";
    let rows = [
        row("a", "true", &[sure, "<confidence>0.9</confidence>"]),
        row("b/1", "false", &["<confidence>0.4</confidence>"]),
        row("c", "true", &["no word on it"]),
        row("d", "null", &[sure]),
    ];
    write("log.jsonl", &rows.join("\n"))
}

/// Converts into a file.
fn converted(log: &str, kind: &str) -> (String, String) {
    // Tests run at the same time.
    let name = Path::new(log).file_stem().unwrap().to_str().unwrap();
    let path = in_folder(&format!("{name}.{kind}.jsonl"));
    let output = run(&[log, "--to", kind, "--output", &path]);
    let remarks = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{remarks}");
    (path, remarks)
}

#[test]
fn converted_traces_score_as_the_stream_of_the_log() {
    let log = log();
    let (traces, remarks) = converted(&log, "traces");
    assert_eq!(
        remarks,
        "1 of 4 runs lack the stream of confidence and are left out; their lines give the reason, and reports count them\n"
    );
    let of_log = json_of("traces", &[&log]);
    let of_traces = json_of("traces", &[&traces]);
    for key in ["n", "n_excluded", "tps_log", "tps_brier", "auroc", "base_rate"] {
        assert_eq!(of_traces[key], of_log["streams"]["stated_confidence"][key], "{key}");
    }
    assert_eq!((&of_traces["n"], &of_traces["n_excluded"]), (&2.into(), &1.into()));
}

/// A log of inspect_ai: 30 samples in two identical epochs.
fn epochs() -> String {
    let sample = |id: u32, epoch: u32| {
        let (confidence, value) =
            (0.2 + 0.02 * f64::from(id), if id.is_multiple_of(3) { "I" } else { "C" });
        let said = format!("<confidence>{confidence:.2}</confidence>");
        format!(
            r#"{{"id":"prime-{id}","epoch":{epoch},"scores":{{"match":{{"value":"{value}"}}}},"events":[{{"event":"model",
            "output":{{"choices":[{{"message":{{"content":"{said}"}}}}],"usage":{{"input_tokens":9,"output_tokens":4}}}}}}]}}"#
        )
    };
    let samples = (0..30).flat_map(|id| [sample(id, 1), sample(id, 2)]);
    let samples = samples.collect::<Vec<_>>().join(",");
    let eval = r#""version":2,"status":"success","eval":{"task":"arith","model":"m"}"#;
    write("epochs.json", &format!("{{{eval},\"samples\":[{samples}]}}"))
}

#[test]
fn the_epochs_of_a_sample_are_one_task_in_a_log_and_in_what_it_is_converted_to() {
    let log = epochs();
    let read = |path: &str| -> Vec<Value> {
        let text = fs::read_to_string(path).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    for kind in ["traces", "rollouts"] {
        let (path, _) = converted(&log, kind);
        let rows = read(&path);
        assert_eq!(rows.len(), 60);
        let named = |row: usize| [&rows[row]["id"], &rows[row]["task"]];
        assert_eq!(named(0), ["prime-0#1", "arith/prime-0"], "{kind}");
        assert_eq!(named(1), ["prime-0#2", "arith/prime-0"], "{kind}");
    }
    let (traces, _) = converted(&log, "traces");
    for more in [&[][..], &["--cluster-by", "task-only"]] {
        let report = |path: &str| json_of("traces", &[&[path], more].concat());
        let (of_log, of_traces) = (report(&log), report(&traces));
        let of_log = &of_log["streams"]["stated_confidence"];
        assert_eq!(of_traces["n"], 60);
        for key in ["n", "tps_log", "auroc", "t_ece"] {
            assert_eq!(of_traces[key], of_log[key], "{key} {more:?}");
        }
    }
}

#[test]
fn a_run_without_a_task_is_a_task_of_its_own_for_the_commands_that_need_one() {
    let text = fs::read_to_string(log()).unwrap().replace(r#""task": "t", "#, "");
    let path = write("no_task.jsonl", &text);
    let (traces, _) = converted(&path, "traces");
    let first = fs::read_to_string(&traces).unwrap();
    let first: Value = serde_json::from_str(first.lines().next().unwrap()).unwrap();
    assert_eq!((&first["id"], &first["task"]), (&"a".into(), &"a".into()));
}

#[test]
fn converted_rollouts_and_problems_hold_what_the_log_counts() {
    let log = log();
    let (rollouts, remarks) = converted(&log, "rollouts");
    assert_eq!(
        remarks,
        "1 of 4 runs lack an outcome or a turn and are left out; their lines give the reason, and reports count them\n"
    );
    let first = fs::read_to_string(&rollouts).unwrap();
    let first: Value = serde_json::from_str(first.lines().next().unwrap()).unwrap();
    assert_eq!(first["turns"][1]["output_tokens"], 4);
    assert_eq!(first["turns"][1]["cost_usd"], Value::Null);
    // Requests of 9 tokens do not repeat what was sent and replied before.
    assert_eq!(first["turns"][1]["fresh_input_tokens"], 9);
    let (problems, _) = converted(&log, "problems");
    let report = json_of("triage", &[&problems, "--pool-size", "3", "--alpha", "1"]);
    assert_eq!((&report["problems"], &report["solved"]), (&3.into(), &2.into()));
}

#[test]
fn runs_that_are_left_out_on_the_way_are_counted_by_the_next_report_and_never_scored() {
    let before = fs::read_to_string(log()).unwrap();
    let silent = r#""id": "e", "task": "u", "outcome": null, "stop": "max_steps""#;
    let silent = exchange(silent, &["still at it"], "");
    let log = write("with_limit.jsonl", &format!("{before}\n{silent}"));
    let (traces, _) = converted(&log, "traces");
    let lines = fs::read_to_string(&traces).unwrap();
    let wanted =
        r#"{"id":"e","left_out":"no_confidence","outcome":null,"stop":"max_steps","task":"u"}"#;
    let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!(last, serde_json::from_str::<Value>(wanted).unwrap());

    let counted = |report: &Value| {
        let keys = ["n_runs", "n_succeeded", "n_failed", "n_unknown", "n_at_limit"];
        keys.map(|key| report[key].as_u64().unwrap())
    };
    // Two successes, of which one states no confidence; a failure; one not judged; one cut off.
    for resamples in ["0", "20"] {
        let report = json_of("traces", &[&traces, "--resamples", resamples]);
        assert_eq!(counted(&report), [5, 2, 1, 2, 1]);
        assert_eq!(report["left_out"], json!({"no_confidence": 2}));
        assert_eq!((&report["n"], &report["n_censored"]), (&2.into(), &0.into()));
        assert_eq!(report["success_rate"]["value"], 2.0 / 3.0);
        assert_eq!(report["success_rate_limits_failed"]["value"], 0.5);
    }
    let text = shown("traces", &[&traces]);
    let first = "5 runs: 2 succeeded, 1 failed, 2 unknown (1 cut off by a limit); success rate 0.667, \
                 0.500 if cut-off runs count as failed; left out before: 2 no_confidence";
    let conclusion: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).collect();
    assert_eq!(conclusion.last(), Some(&"Left out before: 2 runs (no confidence)."));
    let account = "with_limit.traces: 5 runs found, 2 kept; left out: 2 no_confidence, 1 unjudged; at a limit: 1 without a grade";
    assert_eq!(text.lines().nth(conclusion.len() + 1), Some(account));
    assert!(text.lines().any(|line| line == first), "{text}");
    let of_log = json_of("traces", &[&log]);
    assert_eq!(counted(&of_log), [5, 2, 1, 2, 1]);
    let cut_off = json_of("cut-off", &[&traces]);
    assert_eq!(counted(&cut_off["files"][0]), [5, 2, 1, 2, 1]);

    let (rollouts, _) = converted(&log, "rollouts");
    let report = json_of("budget", &[&rollouts]);
    assert_eq!(counted(&report), [5, 2, 1, 2, 1]);
    assert_eq!(report["left_out"], json!({"no_outcome": 2}));
    assert_eq!(report["n_rollouts"], 3);
}

#[test]
fn a_line_that_was_left_out_is_told_from_a_call_whose_arguments_have_the_word() {
    let call = r#"{"name": "f", "args": {"left_out": "x"}}"#;
    let run = format!(
        r#"{{"id": "a", "task": "t", "agent_calls": [{call}], "expected_calls": [{call}], "success": true}}"#
    );
    let left_out = r#"{"id": "b", "task": "t", "success": false, "left_out": "no_expected_calls"}"#;
    let paths = write("left_out_paths.jsonl", &format!("{run}\n{left_out}"));
    let report = json_of("paths", &[&paths]);
    let figures =
        json!({"exact_match": 1, "success_rate": 0.5, "n": 1, "n_runs": 2, "n_failed": 1});
    has(&report, figures);
    let wrong = write(
        "left_out_wrong.jsonl",
        &format!("{run}\n{{\"id\": \"b\", \"success\": 7, \"left_out\": \"x\"}}"),
    );
    refused(&run_other("paths", &[&wrong]), "left_out_wrong.jsonl:2");
}

#[test]
fn a_budget_of_total_tokens_counts_what_is_sent_again_once() {
    let turn = |input: u64, output: u64| {
        format!(
            r#"{{"response": {{"choices": [{{"message": {{"content": "a"}}}}], "usage": {{"prompt_tokens": {input}, "completion_tokens": {output}}}}}}}"#
        )
    };
    let turns = [turn(300, 50), turn(400, 100), turn(500, 100)].join(",");
    let row = |id: &str, outcome: bool| {
        format!(r#"{{"id": "{id}", "outcome": {outcome}, "turns": [{turns}]}}"#)
    };
    let log = write("repeated.jsonl", &[row("a", false), row("b", true)].join("\n"));
    let (rollouts, _) = converted(&log, "rollouts");
    for (resource, spent) in
        [("total_tokens", 600.0), ("fresh_input_tokens", 350.0), ("input_tokens", 1_200.0)]
    {
        let words = [&rollouts, "--json", "--resamples", "0", "--resource", resource];
        assert_eq!(json_of("budget", &words)["spent_by_failures"], spent, "{resource}");
    }
}

#[test]
fn trajectories_are_read_back_as_the_same_runs() {
    let log = log();
    let folder = in_folder("trajectories");
    let output = run(&[&log, "--to", "atif", "--output", &folder]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["00001-a.json", "00002-b_1.json", "00003-c.json", "00004-d.json"]);
    let [before, after] = [&log, &folder].map(|path| json_of("logs", &[path]));
    assert_eq!(after["format"], "atif");
    for (before, after) in
        before["runs"].as_array().unwrap().iter().zip(after["runs"].as_array().unwrap())
    {
        for key in ["id", "task", "outcome", "usage", "tool_calls", "n_model_calls"] {
            assert_eq!(before[key], after[key], "{key}");
        }
    }
}

#[test]
fn without_an_output_the_lines_go_to_standard_output_and_nothing_half_written_remains() {
    let log = log();
    let (path, _) = converted(&log, "traces");
    let shown = run(&[&log, "--to", "traces"]);
    assert_eq!(shown.stdout, fs::read(&path).unwrap());
    let folder = Path::new(&path).parent().unwrap();
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(names.into_iter().all(|name| !name.to_string_lossy().ends_with(".partial")));
}

#[test]
fn a_log_of_two_models_is_converted_one_model_at_a_time() {
    let row = |id: &str, model: &str| {
        let response = format!(
            r#""model": "{model}", "usage": {{"prompt_tokens": 3, "completion_tokens": 2}}, "#
        );
        let run = format!(r#""id": "{id}", "outcome": true"#);
        exchange(&run, &["<confidence>0.8</confidence>"], &response)
    };
    let log =
        write("two_models.jsonl", &[row("a", "m1"), row("b", "m2"), row("c", "m2")].join("\n"));
    for kind in ["traces", "rollouts", "problems"] {
        refused(&run(&[&log, "--to", kind]), "2 models … --model: m1, m2");
        let text = shown("convert", &[&log, "--to", kind, "--model", "m2"]);
        assert_eq!(text.lines().count(), 2, "{text}");
    }
    refused(&run(&[&log, "--to", "traces", "--model", "m3"]), "m3");
}
