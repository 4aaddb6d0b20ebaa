//! Wrong files, options and words: exit code 2, nothing on standard output, no file written, and one line
//! that says where the fault is and what would be right.
#![cfg(feature = "pictures")]
#![allow(clippy::unwrap_used)]

mod program;

use std::{fs, path::Path};

use program::{in_folder, refusal, run_words, write};

const TRACE: &str = r#"{"id":"a","task":"t","forecasts":[0.5,0.6],"outcome":true}"#;
const ROLLOUT: &str =
    r#"{"id":"a","turns":[{"output_tokens":5},{"output_tokens":5}],"success":true}"#;
const PROBLEM: &str = r#"{"problem":"a","solved":true,"output_tokens":5}"#;

/// A file with this second line after a valid first one.
fn second(name: &str, first: &str, line: &str) -> String {
    write(name, &format!("{first}\n{line}\n"))
}

#[test]
fn a_wrong_file_is_named_with_line_and_field() {
    let trace = |name: &str, line: &str| second(name, TRACE, line);
    let rollouts = write("rollouts.jsonl", ROLLOUT);
    let problems = write("problems.jsonl", PROBLEM);
    let invalid_utf8 = in_folder("utf8.jsonl");
    fs::write(&invalid_utf8, [TRACE.as_bytes(), b"\n{\"id\":\"\xff\"}"].concat()).unwrap();
    let cut_archive = in_folder("cut.eval");
    fs::write(&cut_archive, b"PK\x03\x04abcdef").unwrap();
    let empty_folder = in_folder("folder");
    fs::create_dir_all(&empty_folder).unwrap();
    let truncated = trace("truncated.jsonl", r#"{"id":"b","forecasts":[0.5"#);
    let outside = trace("outside.jsonl", r#"{"id":"b","forecasts":[0.5,1.5],"outcome":true}"#);
    let below = trace("below.jsonl", r#"{"id":"b","forecasts":[0.5,-0.5],"outcome":true}"#);
    let word = trace("word.jsonl", r#"{"id":"b","forecasts":["high"],"outcome":true}"#);
    let outcome = trace("outcome.jsonl", r#"{"id":"b","forecasts":[0.5],"outcome":"yes"}"#);
    let no_outcome = trace("no_outcome.jsonl", r#"{"id":"b","forecasts":[0.5]}"#);
    let no_forecast = trace("no_forecast.jsonl", r#"{"id":"b","forecasts":[],"outcome":true}"#);
    let horizon =
        trace("horizon.jsonl", r#"{"id":"b","forecasts":[0.5],"outcome":true,"horizon":0}"#);
    let list = trace("list.jsonl", "[1,2]");
    let negative = second(
        "negative.jsonl",
        ROLLOUT,
        r#"{"id":"b","turns":[{"output_tokens":-5}],"success":true}"#,
    );
    let no_turns = second("no_turns.jsonl", ROLLOUT, r#"{"id":"b","turns":[],"success":true}"#);
    let estimates = write("estimates.jsonl", r#"{"id":"zz","turn":1,"answer":"[1,2]"}"#);
    let queries = write("queries.json", r#"[{"query_id":"p","task":"cooking"}]"#);
    let free = second("free.jsonl", PROBLEM, r#"{"problem":"b","solved":true,"output_tokens":0}"#);
    let plans = write("plans.jsonl", r#"{"pool":7,"answer":"{}"}"#);
    let paths = write("paths.jsonl", r#"{"id":"a","task":"t","agent_calls":[],"success":true}"#);
    // The head of this log gives its scorers no order.
    let scorers = write(
        "scorers.json",
        r#"{"version":2,"status":"success","eval":{"task":"t","model":"m"},"samples":[{"id":1,"epoch":1,
        "scores":{"letter":{"value":"C"},"number":{"value":1}}}]}"#,
    );
    let scorers = scorers.as_str();
    let marks = write(
        "marks.json",
        r#"{"version":2,"status":"success","eval":{"task":"t","model":"m"},"samples":[{"id":1,"epoch":1,
        "scores":{"marks":{"value":7}}}]}"#,
    );
    let no_log = write("no_log.txt", "hello\n");
    let empty = write("empty.jsonl", "");

    let cases: [(&[&str], &str, &str); 28] = [
        (&["traces", "nowhere.jsonl"], "nowhere.jsonl: ", "No such file"),
        (&["traces", &empty_folder], &empty_folder, "there is no log in it"),
        (&["traces", &empty], &empty, "one JSON object per line"),
        (
            &["traces", &truncated],
            &format!("{truncated}:2: field forecasts: "),
            "the line is cut off",
        ),
        (&["traces", &outside], &format!("{outside}:2: field forecasts[1]: 1 of "), "--percent"),
        (&["traces", &below], &format!("{below}:2: field forecasts[1]: -0.5"), "--missing"),
        (&["traces", &word], &format!("{word}:2: field forecasts[0]: "), "expected f64"),
        (
            &["traces", &outcome],
            &format!("{outcome}:2: field outcome: "),
            "expected true, false or a score",
        ),
        (&["traces", &no_outcome], &format!("{no_outcome}:2: "), "missing field `outcome`"),
        (&["traces", &no_forecast], &format!("{no_forecast}:2: field forecasts: "), "at least one"),
        (&["traces", &horizon], &format!("{horizon}:2: field horizon: "), "at least the 1 steps"),
        (&["traces", &list], &format!("{list}:2: "), "is not a JSON object"),
        (&["traces", &invalid_utf8], &format!("{invalid_utf8}:2: field id: "), "invalid unicode"),
        (
            &["traces", "--change", &outside],
            &format!("{outside}:2: field forecasts[1]: "),
            "--percent",
        ),
        (
            &["cut-off", &outcome],
            &format!("{outcome}:2: field outcome: "),
            "expected true, false or a score",
        ),
        (
            &["budget", &negative],
            &format!("{negative}:2: field turns[0].output_tokens: "),
            "from 0",
        ),
        (&["budget", &no_turns], &format!("{no_turns}:2: field turns: "), "at least one"),
        (
            &["budget", &rollouts, "--estimator", &estimates],
            &format!("{estimates}:1: field id: "),
            "no run is called \"zz\"",
        ),
        (
            &["costbench", "--queries", &queries],
            &format!("{queries}:1: field [0].task: "),
            "one of location, transportation",
        ),
        (&["triage", &free], &format!("{free}:2: field output_tokens: "), "at least 1"),
        (
            &["triage", &problems, "--planner", &plans],
            &format!("{plans}:1: field pool: "),
            "the last is 0",
        ),
        (&["paths", &paths], &format!("{paths}:1: "), "missing field `expected_calls`"),
        (&["traces", scorers], scorers, "letter, number; name one with --scorer"),
        (&["traces", scorers, "--scorer", "lettr"], "--scorer: ", "there are letter, number"),
        (&["convert", scorers, "--to", "problems"], scorers, "name one with --scorer"),
        (&["compare", &marks], &marks, "run from 7 to 7, beyond 0 to 1; give the range"),
        (&["logs", &no_log], &format!("{no_log}: "), "known formats: inspect"),
        (&["logs", &cut_archive], &format!("{cut_archive}: "), "truncated"),
    ];
    check(&cases);
}

#[test]
fn a_wrong_word_or_option_is_named_with_what_would_be_right() {
    let page = in_folder("no_such_folder/page.html");
    let output = in_folder("never.jsonl");
    let cases: [(&[&str], &str, &str); 23] = [
        (&[], "give a subcommand", "--help"),
        (&["trace"], "unrecognized subcommand 'trace'; tip: ", "'traces'"),
        (&["traces", "--seed"], "a value is required for '--seed <N>'", "--help"),
        (
            &["traces", "--resample", "9"],
            "unexpected argument '--resample' found; ",
            "a similar argument exists: '--resamples'",
        ),
        (
            &["traces", "--json", "--markdown"],
            "the argument '--json' cannot be used with",
            "--help",
        ),
        (&["traces", "--html", &page], &page, "No such file"),
        (
            &["traces", "--plot", "figure.gif"],
            "invalid value 'figure.gif' for '--plot <",
            ".svg or .png",
        ),
        (&["traces", "--fail-if", "tps_log"], "invalid value 'tps_log'", "KEY < NUMBER"),
        (
            &["traces", "--fail-if", "tps_lgo < 1"],
            "--fail-if: tps_lgo: ",
            "the columns in files have assumptions, aurc",
        ),
        (&["compare", "--score-range", "9..1"], "invalid value '9..1'", "LO..HI with LO below HI"),
        (&["compare", "--at-limit", "scored"], "invalid value 'scored'", "graded, failed, unknown"),
        (&["costbench", "--level", "9"], "unexpected argument '--level'", "--help"),
        (&["costbench", "--block", "storm"], "invalid value 'storm' for '--block", "ban-tool"),
        (&["budget", "--resource", "money"], "", "field turns[0].money: missing"),
        (&["budget", "--plot-id", "zz", "--plot", "x.svg"], "--plot-id: ", "is called \"zz\""),
        (&["triage", "--planner", "magic"], "magic: ", "No such file"),
        (&["triage", "--alpha", "-1"], "invalid value '-1' for '--alpha", "above 0"),
        (&["logs", "--format", "xml"], "invalid value 'xml' for '--format", "tau2"),
        (&["convert"], "the following required arguments", "--to <KIND>"),
        (
            &["convert", "--to", "runs", "--output", &output],
            "invalid value 'runs'",
            "traces, rollouts",
        ),
        (&["convert", "--to", "atif"], "--to atif: ", "give --output FOLDER"),
        (&["convert", "--to", "paths", "--output", &output], "", "no run can be converted"),
        (&["completions", "tcsh"], "invalid value 'tcsh' for '<SHELL>'", "bash, elvish, fish"),
    ];
    check(&cases);
    for path in [page.as_str(), &output, "figure.gif", "x.svg"] {
        assert!(!Path::new(path).exists(), "{path}");
    }
}

/// Checks that the error of each case begins with the place and has the hint.
fn check(cases: &[(&[&str], &str, &str)]) {
    for (words, place, hint) in cases {
        let error = refusal(&run_words(words), &format!("{words:?}"));
        assert!(error.starts_with(&format!("error: {place}")), "{words:?}: {error}");
        assert!(error.contains(hint), "{words:?}: {error}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_without_end_is_refused_before_it_fills_the_memory() {
    for words in [["budget", "/dev/zero"], ["triage", "/dev/zero"]] {
        let error = refusal(&run_words(&words), "/dev/zero");
        let problem = "is a pipe, a socket or a device; give a regular file";
        assert!(error.contains(problem), "{words:?}: {error}");
    }
}
