//! The built programs, run as their users run them.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::{env, path::Path, process::Command};

/// The lines that a program writes.
pub(crate) fn lines(program: &str) -> Vec<String> {
    lines_with(program, &[])
}

/// The lines that a program writes, called with these arguments.
pub(crate) fn lines_with(program: &str, arguments: &[&str]) -> Vec<String> {
    let test = env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    let built = folder.join("examples").join(format!("{program}{}", env::consts::EXE_SUFFIX));
    // A single test builds none of them.
    assert!(built.is_file(), "{program} is not built; cargo build -p examples --examples does it");
    let output = Command::new(built).args(arguments).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && error.is_empty(), "{program}: {error}");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}
