//! Knapsack instances: no panic in the reader that the programs use.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../in_file.rs"]
mod in_file;

fuzz_target!(|bytes: &[u8]| {
    in_file::with(bytes, |path| {
        if path.metadata().is_ok_and(|file| file.len() < 2_000) {
            let _ = examples::knapsack_file::solve(path);
        }
    });
});
