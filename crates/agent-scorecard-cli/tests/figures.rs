//! Every report writes a figure in one form: an object with a value, the ends of an interval and a standard error.
#![allow(clippy::unwrap_used)]

mod program;

use std::collections::BTreeSet;

use program::{bundled, fresh, json_of, run_words, write};
use serde_json::{Value, json};

/// A call of every subcommand that makes a report.
fn calls() -> Vec<(&'static str, Vec<String>)> {
    let words = |words: &str| words.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let with = |file: String, more: &str| [vec![file], words(more)].concat();
    let lines = |rows: &[Value]| rows.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    let problem = |solved: bool| move |at: i32| json!({"problem": format!("{solved}-{at}"), "solved": solved, "output_tokens": 100 + at % 7});
    let [solvable, unsolvable] = [true, false].map(|solved| {
        write(&format!("{solved}.jsonl"), &lines(&(0..40).map(problem(solved)).collect::<Vec<_>>()))
    });
    let injected = format!("--pool-size 20 --alpha 0.5 --unsolvable {unsolvable}");
    let paths = [bundled("demo_alpha.jsonl"), bundled("demo_beta.jsonl")];
    let pair = [bundled("demo_truthful.jsonl"), bundled("demo_constant.jsonl")];
    vec![
        ("compare", paths.to_vec()),
        ("compare", with(paths[0].clone(), "")),
        ("traces", words("--resamples 20")),
        ("traces", words("--resamples 0")),
        ("traces", [pair.to_vec(), words("--resamples 20 --pool")].concat()),
        ("traces", with(bundled("demo_log.jsonl"), "--resamples 20")),
        ("traces", words("--change --resamples 20")),
        ("cut-off", words("--resamples 20 --hide 0.3")),
        ("paths", Vec::new()),
        ("costbench", words("--block ban-tool --paths")),
        ("triage", words("--alpha 0.5 --planner random")),
        ("triage", with(solvable, &injected)),
        ("budget", words("--resamples 20 --cap 2500 --estimator linear")),
        ("budget", words("--resamples 0")),
        ("budget", words("--resamples 20 --resource output_tokens,input_tokens")),
        ("caps", words("--at 500,4000")),
        ("logs", Vec::new()),
        (
            "play",
            ["sokoban", "--count", "12", "--output", &fresh("sokoban")].map(str::to_owned).to_vec(),
        ),
        (
            "play",
            ["warehouse", "--count", "12", "--output", &fresh("warehouse")]
                .map(str::to_owned)
                .to_vec(),
        ),
    ]
}

#[test]
fn every_figure_of_every_report_is_an_object_of_the_same_four_keys() {
    let mut covered = BTreeSet::from(["completions", "convert", "help", "run"]);
    for (subcommand, arguments) in calls() {
        covered.insert(subcommand);
        let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        arguments.push("--json");
        // Which looks at all figures.
        json_of(subcommand, &arguments);
    }
    // A subcommand that is added has to be looked at here.
    let help = String::from_utf8(run_words(&["--help"]).stdout).unwrap();
    let listed = help.lines().filter(|line| line.starts_with("  ") && !line.starts_with("  -"));
    let names: Vec<&str> = listed.filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names.len(), 12, "{help}");
    assert!(names.iter().all(|name| covered.contains(name)), "{names:?}");
}

#[test]
fn an_undefined_figure_has_null_under_each_key_and_a_note_says_why() {
    let runs = r#"{"id": "a", "forecasts": [0.5], "outcome": true}"#;
    let report = json_of("traces", &[&write("one.jsonl", runs), "--json"]);
    let undefined = json!({"value": null, "ci_low": null, "ci_high": null, "standard_error": null});
    assert_eq!(report["auroc"], undefined);
    let notes = report["notes"].as_array().unwrap();
    assert!(notes.iter().any(|note| note.as_str().unwrap().starts_with("auroc: ")), "{notes:?}");
}
