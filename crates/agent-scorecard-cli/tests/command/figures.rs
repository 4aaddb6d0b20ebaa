//! Every report writes a figure in one form: an object with a value, the ends of an interval and a standard error.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{
    calls::{calls, with, words},
    program::{bundled, fresh, json_of, run_words, write},
};

#[test]
fn every_figure_of_every_report_is_an_object_of_the_same_four_keys() {
    let lines = |rows: &[Value]| rows.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    let problem = |solved: bool| move |at: i32| json!({"problem": format!("{solved}-{at}"), "solved": solved, "output_tokens": 100 + at % 7});
    let [solvable, unsolvable] = [true, false].map(|solved| {
        write(&format!("{solved}.jsonl"), &lines(&(0..40).map(problem(solved)).collect::<Vec<_>>()))
    });
    let injected = format!("--pool-size 20 --alpha 0.5 --unsolvable {unsolvable}");
    let pair = [bundled("demo_truthful.jsonl"), bundled("demo_constant.jsonl")];
    let play = |game: &str| [words(game), with("--count=12".into(), "--output"), vec![fresh(game)]];
    let others = [
        ("compare", vec![bundled("demo_alpha.jsonl")]),
        ("traces", words("--resamples 0")),
        ("traces", [&pair[..], &words("--resamples 20 --pool")].concat()),
        ("traces", with(bundled("demo_log.jsonl"), "--resamples 20")),
        ("cut-off", words("--resamples 20 --hide 0.3")),
        ("triage", with(solvable, &injected)),
        ("budget", words("--resamples 0")),
        ("budget", words("--resamples 20 --resource output_tokens,input_tokens")),
        ("play", play("sokoban").concat()),
        ("play", play("warehouse").concat()),
    ];
    let mut covered = BTreeSet::from(["completions", "convert", "help", "man", "run"]);
    let calls = calls().into_iter().map(|call| (call.subcommand, call.arguments));
    for (subcommand, arguments) in calls.chain(others) {
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
