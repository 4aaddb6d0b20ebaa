//! `traces` on logs: a report per stream of confidence.

use std::{fs, path::Path};

use serde_json::Value;

use crate::program::{exchange, json_of, noted, refusal, refused, run_other, says, shown, write};

const PROGRAM: &str = "traces";

fn golden(name: &str) -> String {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    crates.join("run-logs/tests/golden/streams").join(name).display().to_string()
}

/// A run of one call per text.
fn row(id: &str, outcome: &str, texts: &[&str]) -> String {
    exchange(&format!(r#""id": "{id}", "task": "t-{id}", "outcome": {outcome}"#), texts, "")
}

const SURE: &str = "<confidence>0.8</confidence>";
const UNSURE: &str = "<confidence>40%</confidence>";

fn log() -> String {
    write(
        "log.jsonl",
        &[
            row("a", "true", &[SURE, SURE]),
            row("b", "false", &[UNSURE, SURE]),
            row("c", "false", &["I do not know.", UNSURE]),
            row("d", "null", &[UNSURE]),
            row("e", "true", &["<confidence>700</confidence>"]),
        ]
        .join("\n"),
    )
}

#[test]
fn a_run_without_a_value_is_left_out_of_that_stream_and_counted_with_the_reason() {
    let report = json_of(PROGRAM, &[&log(), "--resamples", "50"]);
    assert_eq!((&report["format"], &report["n_runs"]), (&"exchanges".into(), &5.into()));
    let stated = &report["streams"]["stated_confidence"];
    let counts = ["n", "n_excluded", "n_left_out", "n_partial"].map(|name| stated[name].as_u64());
    assert_eq!(counts, [2, 1, 2, 1].map(Some));
    let reasons = serde_json::json!({"confidence_out_of_range": 1, "no_confidence": 1});
    assert_eq!(stated["left_out"], reasons);
    assert_eq!(stated["excluded"], serde_json::json!({"unjudged": 1}));
    // Linear-front weights of two steps are 2/3 and 1/3.
    let complete = [0.8_f64.ln(), (2.0 * 0.6_f64.ln() + 0.2_f64.ln()) / 3.0];
    let tps = stated["tps_log"]["value"].as_f64().unwrap();
    assert!((tps - (complete[0] + complete[1]) / 2.0).abs() < 1e-12, "{tps}");
    assert!(stated["tps_log"]["ci_low"].as_f64() <= Some(tps));

    let streams = report["streams"].as_object().unwrap();
    assert_eq!(streams.len(), 7);
    for (name, stream) in streams.iter().filter(|(name, _)| *name != "stated_confidence") {
        assert_eq!(stream["n_left_out"], 5, "{name}");
        assert_eq!(stream["left_out"], serde_json::json!({"no_logprobs": 5}), "{name}");
        assert_eq!(stream["tps_log"]["value"], Value::Null, "{name}");
    }
}

#[test]
fn skipped_calls_and_a_lenient_reading_bring_runs_in() {
    let log = log();
    let n = |options: &[&str]| {
        let arguments = [&[log.as_str(), "--json", "--resamples", "0"], options].concat();
        let report = json_of(PROGRAM, &arguments);
        report["streams"]["stated_confidence"]["n"].as_u64()
    };
    assert_eq!(n(&[]), Some(2));
    assert_eq!(n(&["--missing", "leave-out"]), Some(2));
    assert_eq!(n(&["--missing", "skip"]), Some(3));
    // Neither reading takes a 700 for a probability.
    assert_eq!(n(&["--confidence", "lenient"]), Some(2));
    assert_eq!(n(&["--missing", "skip", "--confidence", "lenient"]), Some(3));
}

#[test]
fn a_confidence_on_a_line_of_its_own_is_read_and_a_pattern_finds_other_forms() {
    let said = [("Paris.\\nConfidence: 85%", "true"), ("Rome.\\nconfidence = 0.4", "false")];
    let rows: Vec<String> =
        said.iter().map(|(text, outcome)| row(&text[..2], outcome, &[text])).collect();
    let path = write("lines.jsonl", &rows.join("\n"));
    let stated = |words: &[&str]| {
        let words = [words, &["--json", "--resamples", "0"]].concat();
        json_of(PROGRAM, &words)["streams"]["stated_confidence"]["n"].clone()
    };
    assert_eq!(stated(&[&path]), 2);
    let row = row("a", "true", &["I am 85% sure."]);
    let other = write("other.jsonl", &row);
    assert_eq!(stated(&[&other, "--confidence-pattern", r"(?i)i am (\S+) sure"]), 1);
    refused(
        &run_other(PROGRAM, &[&other, "--confidence-pattern", "("]),
        "is not a regular expression",
    );
    let converted = |words: &[&str]| {
        let words = [&[other.as_str(), "--to", "traces"], words].concat();
        shown("convert", &words)
    };
    assert!(converted(&["--confidence-pattern", r"(\S+) sure"]).contains("[0.85]"));
    let words = write("words.jsonl", &self::row("a", "true", &["<confidence>about 0.7"]));
    let lenient = shown("convert", &[&words, "--to", "traces", "--confidence", "lenient"]);
    assert!(lenient.contains("[0.7]"));
}

#[test]
fn a_log_without_any_stream_is_refused_with_the_end_of_a_reply_and_the_forms() {
    let log =
        write("bare.jsonl", &row("a", "true", &["It is \\u001b[31mParis. I am 85 percent sure."]));
    let error = refusal(&run_other(PROGRAM, &[&log]), "no stream");
    says(
        &error,
        "run a ends \"It is \\u{1b}[31mParis. I am 85 percent sure.\" … Confidence: 85% … --confidence-pattern",
    );
}

#[test]
fn a_policy_for_missing_values_has_one_name_and_one_meaning_for_traces_and_logs() {
    let log = log();
    let traces = write(
        "policies.jsonl",
        r#"{"id": "a", "forecasts": [null, 0.8, 0.6], "outcome": true, "horizon": 3}
           {"id": "b", "forecasts": [0.5, 0.7], "outcome": false}
           {"id": "c", "forecasts": [null, null], "outcome": false}"#,
    );
    let of_traces = |policy: &str| {
        let report = json_of(PROGRAM, &[&traces, "--resamples", "0", "--missing", policy]);
        let counts = ["n", "left_out_runs", "carried", "skipped"];
        counts.map(|key| report["missing"][key].as_u64().or(report[key].as_u64()).unwrap())
    };
    assert_eq!(of_traces("leave-out"), [1, 2, 0, 0]);
    assert_eq!(of_traces("skip"), [2, 1, 0, 1]);
    assert_eq!(of_traces("carry-forward"), [1, 2, 0, 0]);
    assert_eq!(of_traces("carry-forward-from=0.5"), [3, 0, 3, 0]);
    let n = |policy: &str| {
        let report = json_of(PROGRAM, &[&log, "--resamples", "0", "--missing", policy]);
        assert_eq!(report["streams"]["entropy"]["left_out"]["no_logprobs"].as_u64(), Some(5));
        report["streams"]["stated_confidence"]["n"].as_u64()
    };
    assert_eq!([n("leave-out"), n("skip")], [Some(2), Some(3)]);
    let report =
        json_of(PROGRAM, &[&log, "--resamples", "0", "--missing", "carry-forward-from=0.5"]);
    assert_eq!(report["missing"], serde_json::json!({"carry_forward_from": 0.5}));
    assert_eq!(report["streams"]["stated_confidence"]["n_left_out"], 0);
}

#[test]
fn a_folder_is_a_column_and_several_files_are_one_each() {
    let log = log();
    let folder = Path::new(&log).parent().unwrap().join("folder");
    fs::create_dir_all(&folder).unwrap();
    fs::copy(&log, folder.join("one.jsonl")).unwrap();
    // A copy of the same runs would count once.
    let others = fs::read_to_string(&log).unwrap().replace("\"id\": \"", "\"id\": \"other ");
    let others = others.replace("\"id\":\"", "\"id\":\"other ");
    fs::write(folder.join("two.json"), others).unwrap();
    fs::write(folder.join("notes.txt"), "no log").unwrap();
    let folder = folder.display().to_string();
    for arguments in [&[folder.as_str()][..], &[&log, &log, "--pool"]] {
        let report = json_of(PROGRAM, &[arguments, &["--resamples", "0"]].concat());
        let stated = &report["streams"]["stated_confidence"];
        assert_eq!((&report["n_runs"], &stated["n"]), (&10.into(), &4.into()), "{arguments:?}");
    }
    let report = json_of(PROGRAM, &[&log, &log, "--resamples", "0"]);
    assert_eq!((&report["n_runs"], &report["streams"]), (&Value::Null, &Value::Null));
    let counts = [0, 1].map(|i| report["files"][i]["streams"]["stated_confidence"]["n"].as_u64());
    assert_eq!(counts, [Some(2), Some(2)]);
}

#[test]
fn a_table_shows_the_streams_that_runs_have_and_why_others_are_left_out() {
    let text = shown(PROGRAM, &[&log()]);
    let header = text.lines().find(|line| line.starts_with("  ")).unwrap();
    assert!(header.contains("stated_confidence") && !header.contains("entropy"), "{text}");
    says(
        &text,
        "entropy: 0 complete traces, 0 censored, 0 excluded without an outcome, 5 left out without usable confidence (5 no_logprobs)",
    );
    says(&text, "1 of these have a confidence at some calls: --missing skip keeps them");
}

#[test]
fn a_stream_that_cannot_be_calibrated_says_so_and_the_others_are_scored() {
    let log = golden("synthetic.jsonl");
    let options = ["--json", "--calibrate", "platt", "--resamples", "0", "--missing", "skip"];
    let report = json_of(PROGRAM, &[&[log.as_str()], &options[..]].concat());
    let streams = &report["streams"];
    assert!(streams["token_probability"]["tps_log"]["value"].is_f64());
    let one = write("one.jsonl", &row("a", "true", &[SURE]));
    let report = json_of(PROGRAM, &[&[one.as_str()], &options[..]].concat());
    let stated = &report["streams"]["stated_confidence"];
    assert_eq!(stated["tps_log"]["value"], Value::Null);
    noted(stated, "no figures: the runs cannot be calibrated");
}
