//! Paths of tool calls: no panic in the reader that the programs use.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../in_file.rs"]
mod in_file;

fuzz_target!(|bytes: &[u8]| {
    in_file::with(bytes, |path| {
        let _ = examples::path_file::read(path);
    });
});
