//! Paths of tool calls: each line is one run, a call comes back from what is written of it, a stricter
//! match implies a looser one, and every figure that is a share is from 0 to 1.

#![no_main]

use agent_scorecard_cli::readers::{path_file, path_report::compare};
use libfuzzer_sys::fuzz_target;
use trajectory_metrics::tool_calls::ToolCall;

#[path = "../in_file.rs"]
mod in_file;

fuzz_target!(|bytes: &[u8]| {
    let Ok(runs) = in_file::with(bytes, path_file::read) else { return };
    assert_eq!(runs.len(), in_file::lines(bytes));
    // What was read of a call is what is read of it again.
    for call in runs.iter().flat_map(|run| &run.expected_calls) {
        let written = serde_json::to_string(call).expect("whole numbers of 64 bits");
        assert_eq!(&serde_json::from_str::<ToolCall>(&written).expect("our own text"), call);
    }
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
