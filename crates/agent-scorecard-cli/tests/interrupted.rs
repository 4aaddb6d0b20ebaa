//! A command that is interrupted leaves whole files only, and long work is silent if nobody looks.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod program;

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use program::{BUILT, empty};

const TRACE: &[u8] = b"{\"id\":\"a\",\"forecasts\":[0.5],\"outcome\":true}\n";

fn start(words: &[&str]) -> Child {
    let mut command = Command::new(BUILT);
    command.args(words).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// As Ctrl-C does, but by SIGTERM: where the tests run in the background of a shell, SIGINT is ignored by all that
/// they start. The command handles neither.
fn interrupt(child: &Child) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn an_interrupted_command_leaves_an_older_file_as_it_was() {
    let folder = empty("older");
    let page = format!("{folder}/page.html");
    fs::write(&page, "older").unwrap();
    let mut child = start(&["traces", "/dev/stdin", "--resamples", "0", "--html", &page]);
    // The input stays open, so that the command cannot end.
    let mut input = child.stdin.take().unwrap();
    input.write_all(TRACE).unwrap();
    thread::sleep(Duration::from_millis(300));
    interrupt(&child);
    assert!(!child.wait().unwrap().success());
    assert_eq!(fs::read_to_string(&page).unwrap(), "older");
    assert_eq!(names(Path::new(&folder)), ["page.html"]);
    drop(input);
}

#[test]
fn every_file_of_an_interrupted_conversion_is_whole() {
    let turn = format!(
        r#"{{"response":{{"choices":[{{"message":{{"content":"{}"}}}}]}}}}"#,
        "word ".repeat(2_000)
    );
    let row = |id| format!("{{\"id\":\"{id}\",\"outcome\":true,\"turns\":[{turn},{turn}]}}\n");
    let log = program::write("long.jsonl", &(0..600).map(row).collect::<String>());
    for least in [1, 20, 150] {
        let folder = empty(&format!("trajectories_{least}"));
        let mut child = start(&["convert", &log, "--to", "atif", "--output", &folder]);
        let begun = Instant::now();
        while names(Path::new(&folder)).len() < least {
            assert!(begun.elapsed() < Duration::from_secs(60), "nothing is written");
            assert!(child.try_wait().unwrap().is_none(), "it ended before it was interrupted");
            thread::sleep(Duration::from_millis(1));
        }
        interrupt(&child);
        assert!(!child.wait().unwrap().success());
        let written = names(Path::new(&folder));
        let whole: Vec<&String> = written.iter().filter(|name| name.ends_with(".json")).collect();
        // At most the file that was being written has a name of its own.
        assert!(written.len() <= whole.len() + 1 && whole.len() < 600, "{written:?}");
        for name in whole {
            let text = fs::read_to_string(Path::new(&folder).join(name)).unwrap();
            let trajectory: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(trajectory["steps"].as_array().unwrap().len(), 2, "{name}");
        }
    }
}

#[test]
fn long_work_writes_nothing_to_a_standard_error_that_is_no_terminal() {
    let mut child = start(&["traces", "/dev/stdin", "--resamples", "0"]);
    let mut input = child.stdin.take().unwrap();
    input.write_all(TRACE).unwrap();
    thread::sleep(Duration::from_millis(2_500));
    input.write_all(TRACE).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
}
