//! `paths`: figures out, or one line on standard error and exit code 2.

use serde_json::Value;

use crate::program::{bundled_or_recorded, json_of, refusal, run_other, values, write};

fn json(arguments: &[&str]) -> Value {
    values(json_of("paths", arguments))
}

/// The report on a file of these lines.
fn report(name: &str, lines: &[&str], arguments: &[&str]) -> Value {
    let path = write(name, &lines.join("\n"));
    json(&[&[&*path], arguments].concat())
}

const GOOD: &str = r#"{"id":"a","task":"t","agent_calls":[{"name":"look","args":{"at":1},"ok":true}],"expected_calls":[{"name":"look","args":{"at":1}}],"success":true}"#;

/// One run whose agent made these calls and whose task expects those.
fn run_of(agent: &str, expected: &str) -> String {
    format!(
        r#"{{"id":"a","task":"t","agent_calls":[{agent}],"expected_calls":[{expected}],"success":1}}"#
    )
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
    assert!(!notes("different.jsonl", &[GOOD, &other]).contains("different ids"));
}

#[test]
fn arguments_count_as_values_and_not_at_all_when_ignored() {
    let digits = |last: u8| format!(r#","args":{{"x":"12345678901234567890{last}"}}"#);
    let cases = [
        (r#","args":{"x":2,"y":"a"}"#, r#","args":{"y":"a","x":2.0}"#, true),
        ("", r#","args":{}"#, true),
        (r#","args":null"#, "", true),
        (r#","args":"9f2c""#, r#","args":"9f2c""#, true),
        (r#","args":"9f2c""#, r#","args":"9f2d""#, false),
        (r#","args":{"x":9007199254740993}"#, r#","args":{"x":9007199254740992}"#, false),
        (r#","args":{"x":18446744073709551615}"#, r#","args":{"x":18446744073709551614}"#, false),
        (&digits(1), &digits(2), false),
        (r#","args":{"x":[1,2]}"#, r#","args":{"x":[2,1]}"#, false),
    ];
    for (called, expected, same) in cases {
        let [called, expected] = [called, expected].map(|it| format!("{{\"name\":\"look\"{it}}}"));
        let line = run_of(&called, &expected);
        let exact = report("arguments.jsonl", &[&line], &[]);
        assert_eq!(exact["exact_match"], f64::from(u8::from(same)), "{line}");
        let ignored = report("arguments.jsonl", &[&line], &["--ignore-arguments"]);
        assert_eq!(ignored["exact_match"], 1.0, "{line}");
    }
}

#[test]
fn figures_agree_with_the_shortest_python() {
    let golden = include_str!("../golden/paths.csv");
    for stem in ["demo_tool_calls", "taubench_gpt4o_airline", "tau2"] {
        let Some(path) = bundled_or_recorded("data/toolpaths", stem) else { continue };
        for ignore in [false, true] {
            let mut arguments = vec![&*path, "--json", "--pool"];
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
    let both = json(&[&one, &two, "--pool"]);
    assert_eq!((&both["n"], &both["files"][1]["n"]), (&2.into(), &1.into()));
    // The task of the one is that of the other.
    assert_eq!((&both["n_tasks"], &both["pass_hat_k"]["2"]), (&1.into(), &1.0.into()));
}

#[test]
fn arguments_count_in_every_spelling_of_a_call() {
    let spellings = |amount: u32| {
        [
            r#"{"name":"pay","args":{"amount":N},"ok":true}"#,
            r#"{"id":"c1","type":"function","function":{"name":"pay","arguments":"{\"amount\":N}"}}"#,
            r#"{"type":"tool_use","id":"c1","name":"pay","input":{"amount":N}}"#,
            r#"{"name":"pay","parameters":{"amount":N}}"#,
        ]
        .map(|call| call.replace('N', &amount.to_string()))
    };
    let matches = |agent: &str, expected: &str| {
        report("spelling.jsonl", &[&run_of(agent, expected)], &[])["exact_match"].clone()
    };
    for agent in spellings(5) {
        for (same, other) in spellings(5).iter().zip(&spellings(5_000)) {
            assert_eq!(matches(&agent, same), 1.0, "{agent} {same}");
            assert_eq!(matches(&agent, other), 0.0, "{agent} {other}");
        }
    }
    // Arguments that a model left unfinished are text that equals no arguments.
    let unfinished = r#"{"name":"pay","arguments":"{\"amount\":5"}"#;
    let whole = r#"{"name":"pay","arguments":{"amount":5}}"#;
    for (expected, same) in [(whole, 0.0), (r#"{"name":"pay"}"#, 0.0), (unfinished, 1.0)] {
        assert_eq!(matches(unfinished, expected), same, "{expected}");
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
    for (call, named) in cases {
        let right = r#"{"name":"pay"}"#;
        for line in [run_of(call, right), run_of(right, call)] {
            let path = write("lost.jsonl", &line);
            let error = refusal(&run_other("paths", &[&path]), call);
            assert!(error.starts_with(&format!("error: {path}:1: field ")), "{error}");
            assert!(error.contains(named), "{call}: {error}");
        }
    }
}

#[test]
fn undefined_figures_are_null_and_say_why() {
    let silent = run_of("", "").replace("\"success\":1", "\"success\":0");
    let found = report("silent.jsonl", &[&silent], &[]);
    for figure in ["precision", "recall", "invalid_tool_use_ratio", "pass_hat_k"] {
        assert_eq!(found[figure], Value::Null, "{figure}");
        let notes = found["notes"].as_array().unwrap();
        let says = |note: &Value| note.as_str().unwrap().starts_with(&format!("{figure}: "));
        assert!(notes.iter().any(says), "{figure}: {notes:?}");
    }
    // Nothing was expected and nothing was done.
    assert_eq!((&found["exact_match"], &found["aned"]), (&1.0.into(), &0.0.into()));
}
