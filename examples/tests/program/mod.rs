//! The built programs, run as their users run them. A test has the name of the program that it runs.
#![allow(clippy::print_stdout, dead_code, reason = "each test uses a part of it")]

use std::{
    env, fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::Value;

/// Runs the program, which lies beside the folder of the test.
pub(crate) fn run(arguments: &[&str]) -> Output {
    run_other(env!("CARGO_CRATE_NAME"), arguments)
}

/// Runs the program with a text on its standard input, which is a pipe.
pub(crate) fn run_with_input(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(built(env!("CARGO_CRATE_NAME")))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

/// Runs another program.
pub(crate) fn run_other(program: &str, arguments: &[&str]) -> Output {
    Command::new(built(program)).args(arguments).output().unwrap()
}

/// Where the program lies.
fn built(program: &str) -> PathBuf {
    let test = env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    let built = folder.join("examples").join(format!("{program}{}", env::consts::EXE_SUFFIX));
    // A single test builds none of them.
    assert!(built.is_file(), "{program} is not built; cargo build -p examples --examples does it");
    built
}

/// What the program writes with `--json` among its arguments.
pub(crate) fn json(arguments: &[&str]) -> Value {
    json_of(env!("CARGO_CRATE_NAME"), arguments)
}

/// What another program writes with `--json`.
pub(crate) fn json_of(program: &str, arguments: &[&str]) -> Value {
    let output = run_other(program, arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {stderr}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The one line of an error: exit code 2 and nothing on standard output.
pub(crate) fn refusal(output: &Output, case: &str) -> String {
    assert_eq!(output.status.code(), Some(2), "{case}");
    assert!(output.stdout.is_empty(), "{case}: nothing but the error may be written");
    let error = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(error.lines().count(), 1, "{case}: {error}");
    error
}

/// A place to write to, of this test alone.
pub(crate) fn in_folder(name: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_CRATE_NAME"));
    fs::create_dir_all(&folder).unwrap();
    text(folder.join(name))
}

/// A file of its own for each case.
pub(crate) fn write(name: &str, content: &str) -> String {
    let path = in_folder(name);
    fs::write(&path, content).unwrap();
    path
}

/// A file that lies with the programs.
pub(crate) fn bundled(name: &str) -> String {
    text(examples::program::bundled(name))
}

/// A file of recorded runs, which this project does not ship; none where their folder is not named.
pub(crate) fn recorded(path: &str) -> Option<String> {
    let Some(folder) = env::var_os("REAL_RUNS") else {
        println!("skipped for {path}: REAL_RUNS does not name the folder of recorded runs");
        return None;
    };
    let file = Path::new(&folder).join(path);
    assert!(file.is_file(), "REAL_RUNS lacks {path}");
    Some(text(file))
}

/// A file by its stem: bundled where that says so, else recorded in a folder.
pub(crate) fn bundled_or_recorded(folder: &str, stem: &str) -> Option<String> {
    if stem.starts_with("demo") {
        Some(bundled(&format!("{stem}.jsonl")))
    } else {
        recorded(&format!("{folder}/{stem}.jsonl"))
    }
}

fn text(path: PathBuf) -> String {
    path.into_os_string().into_string().unwrap()
}
