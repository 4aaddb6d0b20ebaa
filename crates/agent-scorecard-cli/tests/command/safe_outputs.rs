//! Outputs never harm inputs or what shows them.

use std::{
    fs::{self, File},
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    process::Command,
};

use crate::program::{empty, in_folder, json_of, refusal, refused, run_words, write};
use serde_json::Value;

const TRACE: &str = "{\"id\": \"a\", \"forecasts\": [0.5], \"outcome\": true}\n\
                     {\"id\": \"b\", \"forecasts\": [0.25], \"outcome\": false}\n";

/// A run of a log whose id is a JSON text.
fn exchange(id: &str, tool: &str) -> String {
    let call = format!(
        r#"{{"id":"c","type":"function","function":{{"name":{tool},"arguments":"{{}}"}}}}"#
    );
    format!(
        r#"{{"id":{id},"outcome":true,"turns":[{{"request":{{"messages":[]}},"response":{{"choices":[{{"message":{{"role":"assistant","content":"<confidence>0.5</confidence>","tool_calls":[{call}]}}}}]}}}}]}}"#
    ) + "\n"
}

#[test]
fn an_output_never_takes_the_place_of_an_input_or_of_another_output() {
    let folder = empty("clash");
    let at = |name: &str| format!("{folder}/{name}");
    let (traces, log, link) = (at("traces.jsonl"), at("log.jsonl"), at("link.jsonl"));
    fs::write(&traces, TRACE).unwrap();
    fs::write(&log, exchange("\"a\"", "\"t\"")).unwrap();
    symlink("traces.jsonl", &link).unwrap();
    let (page, plot) = (at("page.html"), at("traces.svg"));
    symlink("page.html", &plot).unwrap();
    let cases: &[&[&str]] = &[
        &["convert", &log, "--to", "rollouts", "--output", &log],
        &["convert", &folder, "--to", "rollouts", "--output", &log],
        &["convert", &folder, "--to", "atif", "--output", &folder],
        &["triage", &traces, "--write-pools", &traces],
        &["traces", &traces, "--html", &page, "--plot", &plot],
    ];
    for words in cases {
        let error = refusal(&run_words(words), &words.join(" "));
        assert!(error.contains("give another file") || error.contains("give two files"), "{error}");
        assert_eq!(fs::read_to_string(&traces).unwrap(), TRACE, "{words:?}");
    }
    assert!(!Path::new(&page).exists());
    let unnamed: [&[&str]; 2] =
        [&["convert", &log, "--to", "atif", "--output", ""], &["logs", &log, "--csv", ""]];
    for words in unnamed {
        refused(&run_words(words), "a value is required");
    }
    // A page inside a folder that is read is no input.
    let page = at("page.html");
    for _ in 0..2 {
        assert!(run_words(&["logs", &log, "--html", &page]).status.success());
    }
}

#[test]
fn links_and_permissions_stay_and_a_read_only_file_is_kept() {
    let folder = empty("links");
    let at = |name: &str| format!("{folder}/{name}");
    let (traces, page, link) = (at("traces.jsonl"), at("page.html"), at("link.html"));
    fs::write(&traces, TRACE).unwrap();
    fs::write(&page, "old").unwrap();
    fs::set_permissions(&page, fs::Permissions::from_mode(0o600)).unwrap();
    symlink("page.html", &link).unwrap();
    symlink("new.html", at("dangling.html")).unwrap();
    let long = at(&format!("{}.html", "n".repeat(250)));
    for file in [&link, &at("dangling.html"), &long] {
        let output = run_words(&["traces", &traces, "--html", file]);
        assert!(output.status.success(), "{file}: {}", String::from_utf8_lossy(&output.stderr));
    }
    for link in [&link, &at("dangling.html")] {
        assert!(fs::symlink_metadata(link).unwrap().is_symlink());
    }
    for file in [&page, &at("new.html")] {
        assert!(fs::read_to_string(file).unwrap().starts_with("<!DOCTYPE html>"), "{file}");
    }
    assert_eq!(fs::metadata(&page).unwrap().permissions().mode() & 0o777, 0o600);
    fs::set_permissions(&page, fs::Permissions::from_mode(0o444)).unwrap();
    refused(&run_words(&["traces", &traces, "--html", &page]), "page.html: it is read-only");
}

#[test]
fn what_a_killed_call_left_is_removed_and_what_a_living_one_writes_is_not() {
    let folder = empty("leftovers");
    let at = |name: &str| format!("{folder}/{name}");
    fs::write(at("traces.jsonl"), TRACE).unwrap();
    for name in [".agent-scorecard-7.partial", ".agent-scorecard-8.partial", ".other-7.partial"] {
        fs::write(at(name), "half").unwrap();
    }
    let living = File::open(at(".agent-scorecard-8.partial")).unwrap();
    living.lock().unwrap();
    let words = ["traces", &at("traces.jsonl"), "--html", &at("page.html")];
    assert!(run_words(&words).status.success());
    let mut names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [".agent-scorecard-8.partial", ".other-7.partial", "page.html", "traces.jsonl"]
    );
}

#[test]
fn control_characters_reach_no_terminal_no_markdown_no_page_and_no_picture() {
    let name = r#""a\u001b[2J\u001b]0;x\u0007\n| y \u009b\u202e\u2066\u0000\ufffe\u007fé""#;
    let log = write("hostile.jsonl", &exchange(name, name));
    let acts = |text: &str| {
        text.chars()
            .any(|c| c != '\n' && (c.is_control() || "\u{202e}\u{2066}\u{fffe}".contains(c)))
    };
    for form in [&[][..], &["--markdown"], &["--json"]] {
        let output = run_words(&[&["logs", &log, "--format", "exchanges"], form].concat());
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && !acts(&text), "{form:?}: {text:?}");
        if form == ["--json"] {
            let [run, name] =
                [&text, name].map(|json| serde_json::from_str::<Value>(json).unwrap());
            assert_eq!(run["runs"][0]["id"], name);
        } else {
            assert!(text.contains("2J"), "{text}");
            for seen in
                [r"\u{1b}", r"\u{7}", r"\u{a}", r"\u{9b}", r"\u{202e}", r"\u{2066}", r"\u{7f}é"]
            {
                // Markdown escapes the backslash and the braces stay.
                assert!(text.replace(r"\\", r"\").contains(seen), "{seen}: {text}");
            }
            // The name has a line feed between these two.
            let is_whole = |line: &&str| line.contains("2J") && line.contains(r"y \");
            // It names a run and a tool.
            assert_eq!(text.lines().filter(is_whole).count(), 2, "{text}");
        }
    }
    let (page, picture) = (in_folder("hostile.html"), in_folder("hostile.svg"));
    let words = ["logs", &log, "--format", "exchanges", "--html", &page, "--plot", &picture];
    assert!(run_words(&words).status.success());
    // A reason why a run stopped is a key of the JSON output, whose place a page names.
    let stopped = format!(r#"{TRACE}{{"id":"s","forecasts":[0.5],"outcome":null,"stop":{name}}}"#);
    let (stopped, stops) =
        (write("hostile_stops.jsonl", &stopped), in_folder("hostile_stops.html"));
    assert!(run_words(&["traces", &stopped, "--html", &stops]).status.success());
    for file in [page, picture, stops] {
        let text = fs::read_to_string(&file).unwrap();
        let text = text.trim_start_matches("<!DOCTYPE html>");
        roxmltree::Document::parse(text).unwrap();
        // Below an axis, names lose their middle.
        let seen = if file.ends_with("svg") { "…" } else { r"\u{1b}" };
        assert!(!acts(text) && text.contains(seen), "{file}");
    }
    let turns = r#"[{"output_tokens":5},{"output_tokens":6},{"output_tokens":7}]"#;
    let run = format!(r#"{{"id":{name},"turns":{turns},"success":true}}"#);
    let (runs, picture) = (write("hostile_runs.jsonl", &run), in_folder("hostile_run.svg"));
    assert!(run_words(&["budget", &runs, "--plot", &picture]).status.success());
    let text = fs::read_to_string(&picture).unwrap();
    roxmltree::Document::parse(&text).unwrap();
    assert!(!acts(&text) && text.contains("2J"), "{text}");
    let missing = "missing\u{1b}[31m\u{9b}.jsonl";
    let error = refusal(&run_words(&["logs", missing]), "missing");
    assert!(!acts(&error) && error.contains(r"missing\u{1b}[31m\u{9b}.jsonl"), "{error}");
}

#[test]
fn a_name_of_any_length_fits_into_a_table() {
    let name = format!("\"{}\"", "x".repeat(70_000));
    let log = write("long.jsonl", &exchange(&name, &name));
    for form in [&[][..], &["--markdown"]] {
        let output = run_words(&[&["logs", &log, "--format", "exchanges"], form].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(output.stdout.len() < 2_000, "{}", output.stdout.len());
    }
}

#[test]
fn a_pipe_in_a_folder_of_logs_is_left_out() {
    let folder = empty("pipe");
    fs::write(format!("{folder}/a.jsonl"), exchange("\"a\"", "\"t\"")).unwrap();
    assert!(Command::new("mkfifo").arg(format!("{folder}/b")).status().unwrap().success());
    let report = json_of("logs", &[&folder]);
    assert_eq!(report["n_runs"], 1);
    assert!(report["notes"][0].as_str().unwrap().contains("left out"), "{report}");
}

#[test]
fn trajectories_of_an_earlier_call_do_not_stay_beside_those_of_this_one() {
    let folder = empty("atif");
    let runs = |n: usize| -> String {
        (0..n).map(|id| exchange(&format!("\"run {id}\""), "\"t\"")).collect()
    };
    let own = format!("{folder}/00009-of-mine.json");
    fs::write(&own, r#"{"schema_version":"ATIF-v1.5"}"#).unwrap();
    for n in [5, 2] {
        fs::write(format!("{folder}/.agent-scorecard-7.partial"), "half").unwrap();
        let log = write(&format!("runs-{n}.jsonl"), &runs(n));
        let output = run_words(&["convert", &log, "--to", "atif", "--output", &folder]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), n + 1);
    }
    assert!(Path::new(&own).exists());
}

#[test]
fn a_key_that_no_run_has_is_an_error_that_lists_the_fields() {
    let run = |id: u8| {
        format!(
            "{{\"id\":\"{id}\",\"model\":\"m\",\"success\":true,\"turns\":[{{\"output_tokens\":5}}]}}\n"
        )
    };
    let file = write("keys.jsonl", &(run(1) + &run(2)));
    refused(
        &run_words(&["budget", &file, "--keys", "modle"]),
        "no run has a field \"modle\"; the fields are id, model, success, turns",
    );
    assert!(run_words(&["budget", &file, "--keys", "model"]).status.success());
}
