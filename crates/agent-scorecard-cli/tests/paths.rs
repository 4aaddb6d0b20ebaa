//! The program as its users run it: figures out, or one line on standard error and exit code 2.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

mod program;

use program::{bundled_or_recorded, names_field, plain as json, refusal, run, write};
use serde_json::Value;

/// The report on a file of these lines.
fn report(name: &str, lines: &[&str], arguments: &[&str]) -> Value {
    let path = write(name, &lines.join("\n"));
    json(&[&[&path, "--json"], arguments].concat())
}

const GOOD: &str = r#"{"id":"a","task":"t","agent_calls":[{"name":"look","args":{"at":1},"ok":true}],"expected_calls":[{"name":"look","args":{"at":1}}],"success":true}"#;

#[test]
fn bad_input_is_one_line_that_names_file_line_and_field_and_exit_code_2() {
    let cases = [
        ("no_id", r#"{"task":"t","agent_calls":[],"expected_calls":[],"success":1}"#, "id"),
        ("no_task", r#"{"id":"a","agent_calls":[],"expected_calls":[],"success":1}"#, "task"),
        ("no_calls", r#"{"id":"a","task":"t","expected_calls":[],"success":1}"#, "agent_calls"),
        ("no_expected", r#"{"id":"a","task":"t","agent_calls":[],"success":1}"#, "expected_calls"),
        ("no_success", r#"{"id":"a","task":"t","agent_calls":[],"expected_calls":[]}"#, "success"),
        (
            "success_two",
            r#"{"id":"a","task":"t","agent_calls":[],"expected_calls":[],"success":2}"#,
            "success",
        ),
        (
            "success_null",
            r#"{"id":"a","task":"t","agent_calls":[],"expected_calls":[],"success":null}"#,
            "success",
        ),
        (
            "nameless_call",
            r#"{"id":"a","task":"t","agent_calls":[{"name":"b"},{"args":{}}],"expected_calls":[],"success":1}"#,
            "agent_calls[1].name",
        ),
        (
            "nameless_expected",
            r#"{"id":"a","task":"t","agent_calls":[],"expected_calls":[{"args":{}}],"success":1}"#,
            "expected_calls[0].name",
        ),
        (
            "name_of_a_number",
            r#"{"id":"a","task":"t","agent_calls":[],"expected_calls":[{"name":7}],"success":1}"#,
            "expected_calls[0].name",
        ),
        (
            "ok_of_text",
            r#"{"id":"a","task":"t","agent_calls":[{"name":"b","ok":"yes"}],"expected_calls":[],"success":1}"#,
            "agent_calls[0].ok",
        ),
        (
            "call_of_text",
            r#"{"id":"a","task":"t","agent_calls":["b"],"expected_calls":[],"success":1}"#,
            "agent_calls[0]",
        ),
        (
            "call_of_a_list",
            r#"{"id":"a","task":"t","agent_calls":[["b",{},true]],"expected_calls":[],"success":1}"#,
            "agent_calls[0]",
        ),
        (
            "expected_of_a_list",
            r#"{"id":"a","task":"t","agent_calls":[],"expected_calls":[{"name":"b"},["x",{}]],"success":1}"#,
            "expected_calls[1]",
        ),
        (
            "long_number",
            r#"{"id":"a","task":"t","agent_calls":[{"name":"b","args":{"id":[123456789012345678901]}}],"expected_calls":[],"success":1}"#,
            "agent_calls[0]",
        ),
        (
            "long_negative_number_expected",
            r#"{"id":"a","task":"t","agent_calls":[],"expected_calls":[{"name":"b","args":{"id":-9223372036854775809}}],"success":1}"#,
            "expected_calls[0]",
        ),
    ];
    for (name, line, field) in cases {
        let path = write(&format!("{name}.jsonl"), &format!("{GOOD}\n\n{line}\n"));
        let error = refusal(&run(&[&path, "--json"]), name);
        assert!(names_field(&error, &path, 3, field), "{name}: {error}");
    }
}

#[test]
fn what_is_no_json_no_file_and_no_option_is_refused_alike() {
    let text = write("prose.jsonl", "this is not JSON\n");
    let empty = write("empty.jsonl", "\n");
    let cases = [
        (text.as_str(), "prose.jsonl:1: "),
        (&empty, "empty.jsonl: "),
        ("no/such/file.jsonl", "no/such/file.jsonl: "),
        ("--frobnicate", "frobnicate"),
    ];
    for (argument, expected) in cases {
        let error = refusal(&run(&[argument]), argument);
        assert!(error.contains(expected), "{argument}: {error}");
    }
}

#[test]
fn undefined_figures_are_null_and_say_why() {
    let silent = r#"{"id":"a","task":"t","agent_calls":[],"expected_calls":[],"success":0}"#;
    let found = report("silent.jsonl", &[silent], &[]);
    for figure in ["precision", "recall", "invalid_tool_use_ratio", "pass_hat_k"] {
        assert_eq!(found[figure], Value::Null, "{figure}");
        let notes = found["notes"].as_array().unwrap();
        let says = |note: &Value| note.as_str().unwrap().starts_with(&format!("{figure}: "));
        assert!(notes.iter().any(says), "{figure}: {notes:?}");
    }
    // Nothing was expected and nothing was done.
    assert_eq!((&found["exact_match"], &found["aned"]), (&1.0.into(), &0.0.into()));
}

#[test]
fn a_task_with_fewer_trials_makes_pass_hat_k_undefined_and_is_not_dropped() {
    let renamed = |id: &str| GOOD.replace(r#""id":"a""#, &format!(r#""id":"{id}""#));
    let other = renamed("b").replace(r#""task":"t""#, r#""task":"u""#);
    let failed = renamed("c").replace("true}", "false}");
    let found = report("trials.jsonl", &[GOOD, &failed, &other], &[]);
    assert_eq!(found["pass_hat_k"]["1"], 0.75);
    assert_eq!(found["pass_hat_k"]["2"], Value::Null);
    let note = found["notes"][0].as_str().unwrap();
    assert!(note.starts_with("pass_hat_k: undefined beyond k = 1; 1 of 2 tasks"), "{note}");
}

#[test]
fn a_run_that_stands_twice_is_noted() {
    let other = GOOD.replace(r#""id":"a""#, r#""id":"b""#);
    let notes = |name: &str, lines: &[&str]| report(name, lines, &[])["notes"].to_string();
    let twice = notes("repeated.jsonl", &[GOOD, GOOD, &other]);
    assert!(twice.contains("3 runs have 2 different ids"), "{twice}");
    let once = notes("different.jsonl", &[GOOD, &other]);
    assert!(!once.contains("different ids"), "{once}");
}

#[test]
fn arguments_count_as_values_and_not_at_all_when_ignored() {
    let row = |called: &str, expected: &str| {
        format!(
            r#"{{"id":"a","task":"t","agent_calls":[{{"name":"look"{called}}}],"expected_calls":[{{"name":"look"{expected}}}],"success":1}}"#
        )
    };
    let cases = [
        (r#","args":{"x":2,"y":"a"}"#, r#","args":{"y":"a","x":2.0}"#, true),
        ("", r#","args":{}"#, true),
        (r#","args":null"#, "", true),
        (r#","args":"9f2c""#, r#","args":"9f2c""#, true),
        (r#","args":"9f2c""#, r#","args":"9f2d""#, false),
        (r#","args":{"x":9007199254740993}"#, r#","args":{"x":9007199254740992}"#, false),
        (r#","args":{"x":18446744073709551615}"#, r#","args":{"x":18446744073709551614}"#, false),
        (
            r#","args":{"x":"123456789012345678901"}"#,
            r#","args":{"x":"123456789012345678902"}"#,
            false,
        ),
        (r#","args":{"x":[1,2]}"#, r#","args":{"x":[2,1]}"#, false),
    ];
    for (i, (called, expected, same)) in cases.into_iter().enumerate() {
        let line = row(called, expected);
        let name = format!("arguments_{i}.jsonl");
        let exact = report(&name, &[&line], &[]);
        assert_eq!(exact["exact_match"], f64::from(u8::from(same)), "{line}");
        let ignored = report(&name, &[&line], &["--ignore-arguments"]);
        assert_eq!(ignored["exact_match"], 1.0, "{line}");
    }
}

/// One run whose agent made the one call and whose task expects the other.
fn one_call_each(agent: &str, expected: &str) -> String {
    format!(
        r#"{{"id":"a","task":"t","agent_calls":[{agent}],"expected_calls":[{expected}],"success":1}}"#
    )
}

#[test]
fn arguments_count_in_every_spelling_of_a_call() {
    let spellings = |amount: u32| {
        [
            format!(r#"{{"name":"pay","args":{{"amount":{amount}}},"ok":true}}"#),
            format!(
                r#"{{"id":"c1","type":"function","function":{{"name":"pay","arguments":"{{\"amount\":{amount}}}"}}}}"#
            ),
            format!(
                r#"{{"type":"tool_use","id":"c1","name":"pay","input":{{"amount":{amount}}}}}"#
            ),
            format!(r#"{{"name":"pay","parameters":{{"amount":{amount}}}}}"#),
        ]
    };
    let matches = |i: usize, agent: &str, expected: &str| {
        let line = one_call_each(agent, expected);
        report(&format!("spelling_{i}.jsonl"), &[&line], &[])["exact_match"].as_f64().unwrap()
    };
    for (i, agent) in spellings(5).iter().enumerate() {
        for (same, other) in spellings(5).iter().zip(&spellings(5_000)) {
            assert_eq!(matches(i, agent, same), 1.0, "{agent} {same}");
            assert_eq!(matches(i, agent, other), 0.0, "{agent} {other}");
        }
    }
}

#[test]
fn a_call_whose_arguments_could_be_lost_is_refused() {
    let cases = [
        (r#"{"name":"pay","payload":{"amount":5}}"#, "payload"),
        (r#"{"name":"pay","args":{"amount":5},"input":{"amount":6}}"#, "input"),
        (r#"{"name":"pay","args":{"amount":5,"amount":500}}"#, "amount"),
        (r#"{"name":"pay","ok":true,"ok":false}"#, "ok"),
    ];
    for (i, (call, named)) in cases.into_iter().enumerate() {
        let right = r#"{"name":"pay"}"#;
        for line in [one_call_each(call, right), one_call_each(right, call)] {
            let path = write(&format!("lost_{i}.jsonl"), &line);
            let error = refusal(&run(&[&path]), call);
            assert!(error.starts_with(&format!("error: {path}:1: field ")), "{error}");
            assert!(error.contains(named), "{call}: {error}");
        }
    }
}

#[test]
fn arguments_that_a_model_left_unfinished_are_text_that_equals_no_arguments() {
    let unfinished = r#"{"name":"pay","arguments":"{\"amount\":5"}"#;
    let whole = r#"{"name":"pay","arguments":{"amount":5}}"#;
    for (expected, same) in [(whole, 0.0), (r#"{"name":"pay"}"#, 0.0), (unfinished, 1.0)] {
        let found = report("unfinished.jsonl", &[&one_call_each(unfinished, expected)], &[]);
        assert_eq!(found["exact_match"], same, "{expected}");
    }
}

#[test]
fn figures_agree_with_the_shortest_python() {
    let golden = include_str!("golden/paths.csv");
    for stem in ["demo_tool_calls", "taubench_gpt4o_airline", "tau2"] {
        let Some(path) = bundled_or_recorded("data/toolpaths", stem) else { continue };
        for ignore in [false, true] {
            let mut arguments = vec![&path, "--json", "--pool"];
            arguments.extend(ignore.then_some("--ignore-arguments"));
            let found = json(&arguments);
            let start = format!("{stem},{ignore},");
            let rows: Vec<&str> =
                golden.lines().filter_map(|line| line.strip_prefix(&start)).collect();
            assert!(rows.len() >= 9, "{start}");
            for row in rows {
                let (figure, value) = row.split_once(',').unwrap();
                let value: f64 = value.parse().unwrap();
                let ours = found.pointer(&format!("/{figure}")).and_then(Value::as_f64).unwrap();
                assert!((ours - value).abs() < 1e-12, "{start}{figure}: {ours} {value}");
            }
        }
    }
}

#[test]
fn several_files_are_columns_and_a_report_each() {
    let (one, two) = (write("column_one.jsonl", GOOD), write("column_two.jsonl", GOOD));
    let (one, two) = (&one, &two);
    let both = json(&[one, two, "--pool", "--json"]);
    assert_eq!((&both["n"], &both["files"][1]["n"]), (&2.into(), &1.into()));
    // The task of the one is that of the other.
    assert_eq!((&both["n_tasks"], &both["pass_hat_k"]["2"]), (&1.into(), &1.0.into()));
}
