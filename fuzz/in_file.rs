//! Readers take a path, so the bytes go through one.

use std::{env, fs, path::Path, process};

/// Runs a reader on a file that holds these bytes. Each fuzzing process has one file of its own.
pub fn with(bytes: &[u8], read: impl FnOnce(&Path)) {
    let path = env::temp_dir().join(format!("fuzz-{}.jsonl", process::id()));
    fs::write(&path, bytes).expect("the temporary folder takes a file");
    read(&path);
}
