//! `logs` and `traces` on every format that run-logs reads.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use crate::program::{bundled, in_folder, json_of, refused, run_other};
use flate2::read::GzDecoder;
use serde_json::Value;

const STREAMS: [&str; 7] = [
    "token_probability",
    "entropy",
    "entropy_renormalised",
    "action_token_probability",
    "action_entropy",
    "action_entropy_renormalised",
    "stated_confidence",
];

/// A log that the tests of run-logs read.
fn golden(name: &str) -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    crates.join("run-logs/tests/golden").join(name)
}

/// A folder with the files that are packed as JSON Lines of `{"path", "text"}`, or with a file per line.
fn unpacked(name: &str) -> String {
    let folder = in_folder(name);
    let packed = fs::File::open(golden(&format!("{name}.jsonl.gz"))).unwrap();
    let mut text = String::new();
    GzDecoder::new(packed).read_to_string(&mut text).unwrap();
    for (number, line) in text.lines().enumerate() {
        let json: Value = serde_json::from_str(line).unwrap();
        let (path, text) = match (json["path"].as_str(), json["text"].as_str()) {
            (Some(path), Some(text)) => (path.to_owned(), text),
            _ => (format!("{number}.json"), line),
        };
        let path = Path::new(&folder).join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

#[test]
fn logs_of_every_format_are_listed_and_have_a_report_per_stream() {
    let file = |name: &str| golden(name).to_str().unwrap().to_owned();
    let logs = [
        ("inspect", file("inspect/0.3.285.eval")),
        ("inspect", file("inspect/0.3.110.json")),
        ("claude_code", file("sessions/claude")),
        ("claude_code_stream", file("sessions/printed")),
        ("codex", file("sessions/codex")),
        ("exchanges", bundled("demo_log.jsonl")),
        ("openai_chat", file("chat/openai_chat.jsonl")),
        ("openai_responses", file("chat/openai_responses.jsonl")),
        ("anthropic", file("chat/anthropic.jsonl")),
        ("gemini", file("chat/gemini.jsonl")),
        ("ollama", file("chat/ollama.jsonl")),
        ("atif", unpacked("harbor/atif")),
        ("harbor", unpacked("harbor/harbor")),
        ("tau2", unpacked("tau2/tau2")),
    ];
    for (format, path) in logs {
        let listed = json_of("logs", &[&path]);
        let n_runs = listed["n_runs"].as_u64().unwrap();
        assert_eq!(listed["format"], format, "{path}");
        assert!(n_runs >= 3 && listed["runs"].as_array().unwrap().len() as u64 == n_runs, "{path}");
        for run in listed["runs"].as_array().unwrap() {
            for key in ["id", "task", "model", "scores", "stop", "limit", "error", "usage"] {
                assert!(run.get(key).is_some(), "{path}: {key}");
            }
        }
        // Some logs have several scorers.
        let scorer: &[&str] = match format {
            "inspect" => &["--scorer", "letter"],
            "harbor" => &["--scorer", "reward"],
            _ => &[],
        };
        let words = [&[&path, "--pool", "--json", "--resamples", "0"], scorer].concat();
        if format == "tau2" {
            // It has no stream.
            refused(&run_other("traces", &words), "no reply has log-probabilities");
            continue;
        }
        let scored = json_of("traces", &words);
        assert_eq!((&scored["format"], &scored["n_runs"]), (&format.into(), &n_runs.into()));
        let streams = scored["streams"].as_object().unwrap();
        assert_eq!(streams.len(), STREAMS.len(), "{path}");
        for name in STREAMS {
            let stream = &streams[name];
            let count = |key: &str| stream[key].as_u64().unwrap();
            let scored = count("n") + count("n_censored") + count("n_excluded");
            assert_eq!(scored + count("n_left_out"), n_runs, "{path}: {name}");
            let reasons = stream["left_out"].as_object().unwrap().values();
            let reasons: u64 = reasons.map(|runs| runs.as_u64().unwrap()).sum();
            assert_eq!(reasons, count("n_left_out"), "{path}: {name}");
            assert!(stream.get("tps_log").is_some(), "{path}: {name}");
        }
    }
}
