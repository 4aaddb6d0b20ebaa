//! Paths of tool calls: there is a run a line, a stricter match implies a looser one, and every figure
//! that is a share is one.

#![no_main]

use examples::{path_file, path_report::compare};
use libfuzzer_sys::fuzz_target;

#[path = "../in_file.rs"]
mod in_file;

fuzz_target!(|bytes: &[u8]| {
    let Ok(runs) = in_file::with(bytes, path_file::read) else { return };
    assert_eq!(runs.len(), in_file::lines(bytes));
    let runs: Vec<_> = runs.iter().take(20).collect();
    let [with, without] = [false, true]
        .map(|names_alone| compare(&runs, names_alone).expect("runs as they were read"));
    for report in [&with, &without] {
        assert!(report.exact_match <= report.in_order_match);
        assert!(report.in_order_match <= report.any_order_match);
        for (name, _, value) in report.figures() {
            assert!(
                value.is_none_or(|value| value >= 0.0 && (name == "aed" || value <= 1.0)),
                "{name}"
            );
        }
    }
    // What is the same with its arguments is the same without.
    assert!(with.exact_match <= without.exact_match && with.aed >= without.aed);
});
