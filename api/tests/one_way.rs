//! Facts go one way: from the bytes of a log to a report, without a text between that another part parses.

#![allow(clippy::unwrap_used)]

use std::{
    fs,
    path::{Path, PathBuf},
};

fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs" || it == "py") {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    assert!(found.len() > 5, "{folder}");
    found
}

/// The files that have one of these texts.
fn with(folders: &[&str], texts: &[&str]) -> Vec<String> {
    let all = folders.iter().flat_map(|folder| sources(folder));
    let has = all.filter(|(_, text)| texts.iter().any(|it| text.contains(it)));
    has.map(|(path, _)| path.file_name().unwrap().to_string_lossy().into_owned()).collect()
}

#[test]
fn only_the_command_that_writes_files_turns_runs_of_logs_into_lines() {
    let mut users = with(
        &["crates/agent-scorecard/src", "crates/agent-scorecard-cli/src"],
        &["convert::traces", "convert::rollouts", "convert::paths", "convert::problems"],
    );
    users.sort();
    // Its own documentation, the subcommand, and what `run costbench` writes beside its report.
    assert_eq!(users, ["convert.rs", "convert.rs", "costbench.rs"]);
}

#[test]
fn what_evaluations_read_is_never_text_that_they_wrote() {
    let readers =
        with(&["crates/agent-scorecard/src"], &[".to_string().as_bytes()", "text(&lines)"]);
    assert_eq!(readers, Vec::<String>::new());
}
