//! How columns are called, in tables, in JSON and in conditions.

use std::fs;

use crate::program::{
    bundled, empty, fresh, has, json_of, refusal, refused, run_line, run_other, write,
};
use serde_json::{Value, json};

/// A log of inspect_ai in which each third sample fails.
fn log(folder: &str, file: &str, task: &str, model: &str) -> String {
    let samples: Vec<Value> = (0..30)
        .map(|at| {
            let value = if at % 3 == 0 { "I" } else { "C" };
            json!({"id": at, "epoch": 1, "scores": {"match": {"value": value}}})
        })
        .collect();
    let eval = json!({"task": task, "model": model});
    let log = json!({"version": 2, "status": "success", "eval": eval, "samples": samples});
    fs::create_dir_all(folder).unwrap();
    let path = format!("{folder}/{file}");
    fs::write(&path, log.to_string()).unwrap();
    path
}

fn names(report: &Value) -> Vec<&str> {
    let columns = report["files"].as_array().unwrap();
    columns.iter().map(|column| column["name"].as_str().unwrap()).collect()
}

const MADE: [&str; 3] = [
    "2026-11-26T13-43-38-00-00_two-sums_ERjGcaq3WBFurL62izSPtV.json",
    "2026-11-26T14-00-00+00-00_two-sums_aaaGcaq3WBFurL62izSPtV.json",
    "2026-11-27T09-05-01-00-00_two-sums_bbbGcaq3WBFurL62izSPtV.json",
];

#[test]
fn a_log_with_the_default_name_of_inspect_ai_is_called_after_model_and_task() {
    let folder = fresh("made");
    let old = log(&folder, MADE[0], "two_sums", "openai/gpt-4.1");
    let new = log(&folder, MADE[1], "two_sums", "openai/gpt-5");
    let again = log(&folder, MADE[2], "two_sums", "openai/gpt-5");
    let report = json_of("compare", &[&old, &new]);
    assert_eq!(names(&report), ["openai/gpt-4.1 two_sums", "openai/gpt-5 two_sums"]);
    assert_eq!(report["files"][0]["file"], old.as_str());
    let gate = ["--fail-if", "files.openai/gpt-5 two_sums.success_rate < 0.9"];
    assert_eq!(
        run_other("compare", &[&[old.as_str(), &new], &gate[..]].concat()).status.code(),
        Some(1)
    );
    // Of two alike, the time says which is which; the third keeps its name.
    let report = json_of("compare", &[&old, &new, &again]);
    assert_eq!(
        names(&report),
        [
            "openai/gpt-4.1 two_sums",
            "openai/gpt-5 two_sums 2026-11-26T14-00-00",
            "openai/gpt-5 two_sums 2026-11-27T09-05-01"
        ]
    );
    let renamed = log(&folder, "baseline.json", "two_sums", "openai/gpt-4.1");
    assert_eq!(names(&json_of("compare", &[&renamed])), ["baseline"]);
}

#[test]
fn only_known_endings_of_files_are_cut_and_no_name_depends_on_what_it_is_compared_with() {
    let folder = fresh("folders");
    let of = |name: &str, model: &str| log(&format!("{folder}/{name}"), "log.json", "sums", model);
    for (name, model) in [("gpt-4.1", "a"), ("claude-3.7", "b"), ("claude-3.5", "c")] {
        of(name, model);
    }
    let path = |name: &str| format!("{folder}/{name}");
    let called = |given: &[&str]| {
        let paths: Vec<String> = given.iter().map(|name| path(name)).collect();
        let words: Vec<&str> = paths.iter().map(String::as_str).chain(["--json"]).collect();
        names(&json_of("compare", &words)).join(" ")
    };
    assert_eq!(called(&["gpt-4.1"]), "gpt-4.1");
    assert_eq!(called(&["gpt-4.1", "claude-3.7"]), "gpt-4.1 claude-3.7");
    assert_eq!(called(&["claude-3.7", "claude-3.5"]), "claude-3.7 claude-3.5");
    let gate = "files.gpt-4.1.success_rate < 0.5";
    assert_eq!(run_other("compare", &[&path("gpt-4.1"), "--fail-if", gate]).status.code(), Some(0));
    // Two files of one name have their paths.
    assert_eq!(
        called(&["gpt-4.1/log.json", "claude-3.7/log.json"]),
        format!("{0}/gpt-4.1/log.json {0}/claude-3.7/log.json", folder)
    );
    // A model is called the same alone, beside others and beside another file.
    let rows = |models: &[&str]| -> String {
        let row = |model: &&str| format!("r,t,{model},0.5,1\ns,u,{model},0.5,0\n");
        format!("id,task,model,confidence,outcome\n{}", models.iter().map(row).collect::<String>())
    };
    let [first, second] = [("first.csv", ["x", "y"]), ("second.csv", ["z", "x"])]
        .map(|(name, models)| write(name, &rows(&models)));
    assert_eq!(names(&json_of("compare", &[&first])), ["x", "y"]);
    let both = json_of("compare", &[&first, &second]);
    assert_eq!(names(&both), ["first x", "y", "second x", "z"]);
}

#[test]
fn name_gives_each_file_a_name_in_every_subcommand_with_columns() {
    let pair = [bundled("demo_alpha.jsonl"), bundled("demo_beta.jsonl")];
    let streams = [bundled("demo_truthful.jsonl"), bundled("demo_constant.jsonl")];
    let rollouts = [bundled("demo_rollouts.jsonl"), bundled("demo_rollouts.jsonl")];
    let calls = [bundled("demo_tool_calls.jsonl"), bundled("demo_tool_calls.jsonl")];
    let given = ["--name", "old v1.2", "--name", "new.json", "--json"];
    for (subcommand, files, more) in [
        ("compare", &pair, ""),
        ("traces", &pair, "--resamples=0"),
        ("traces", &streams, "--resamples=0"),
        ("traces --change", &streams, "--resamples=20"),
        ("cut-off", &streams, "--resamples=0"),
        ("paths", &calls, ""),
        ("budget", &rollouts, "--resamples=0"),
        ("caps", &rollouts, "--at=500"),
    ] {
        let words = [&[files[0].as_str(), &files[1]], &given[..], &[more]].concat();
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        let report = json_of(subcommand, &words);
        assert_eq!(names(&report), ["old v1.2", "new.json"], "{subcommand}");
        assert_eq!(report["files"][1]["file"], files[1].as_str(), "{subcommand}");
    }
    let report = json_of("compare", &[&[pair[0].as_str(), &pair[1]], &given[..]].concat());
    assert_eq!(report["difference"]["of"], "new.json");
    assert!(report["conclusion"][0].as_str().unwrap().starts_with("old v1.2 succeeded in "));
    let runs = json_of("logs", &[&[pair[0].as_str(), &pair[1]], &given[..]].concat());
    has(&runs["runs"][0], json!({"name": "old v1.2", "file": pair[0]}));
    for (names, part) in [
        ("--name a", "--name: 1 given for 2 files"),
        ("--name a --name a", "given twice"),
        ("--name a --name ' '", "empty"),
    ] {
        let call = format!("compare bundled:/demo_alpha.jsonl bundled:/demo_beta.jsonl {names}");
        refused(&run_line(&call), part);
    }
}

#[test]
fn a_folder_without_a_log_says_so() {
    let [none, other] = ["empty", "other"].map(empty);
    fs::write(format!("{other}/notes.md"), "nothing").unwrap();
    for subcommand in ["compare", "traces", "logs", "cut-off", "budget", "paths"] {
        for (folder, problem) in
            [(&none, "the folder has no files"), (&other, "its only file is not a log")]
        {
            let error = refusal(&run_other(subcommand, &[folder]), subcommand);
            assert!(error.starts_with(&format!("error: {folder}: {problem}")), "{error}");
        }
    }
}

#[test]
fn a_comma_at_thousands_of_a_cap_is_refused_and_lists_are_not() {
    for caps in ["1,200", "12,500", "1,200,000", "1,050"] {
        refused(&run_other("caps", &["--at", caps]), "write thousands without a comma");
    }
    for caps in ["500,1500", "100,200", "1200", "20,30", "1,20,200"] {
        assert!(run_other("caps", &["--at", caps]).status.success(), "{caps}");
    }
}

#[test]
fn a_page_is_written_over_no_file_of_another_ending() {
    let notes = write("notes.txt", "mine");
    refused(&run_other("paths", &["--html", &notes]), "the ending must be .html");
    assert_eq!(fs::read_to_string(&notes).unwrap(), "mine");
    assert!(run_line("paths --html page.HTML").status.success());
}
