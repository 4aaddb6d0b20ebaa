//! Readers take a path, so the bytes go through one.

use std::{env, fs, path::Path, process};

/// What a reader makes of a file that holds these bytes. Each fuzzing process has one file of its own.
pub fn with<T>(bytes: &[u8], read: impl FnOnce(&Path) -> T) -> T {
    let path = env::temp_dir().join(format!("fuzz-{}.jsonl", process::id()));
    fs::write(&path, bytes).expect("the temporary folder takes a file");
    read(&path)
}

/// How many lines hold something, beside the mark in front by which some editors say "UTF-8".
#[allow(dead_code, reason = "not every target counts lines")]
pub fn lines(bytes: &[u8]) -> usize {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).count()
}
