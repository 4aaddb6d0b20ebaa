//! Paths of tool calls: each line is one run, a call comes back from what is written of it, a stricter
//! match implies a looser one, and every figure that is a share is from 0 to 1.

#![no_main]

use agent_scorecard::paths::{METRICS, PathRun, PathTally};
use libfuzzer_sys::fuzz_target;
use run_logs::json_lines::parse;
use trajectory_metrics::tool_calls::ToolCall;

#[path = "../json_lines.rs"]
mod json_lines;

fuzz_target!(|bytes: &[u8]| {
    let Ok(runs) = parse::<PathRun>("f", bytes) else { return };
    let runs: Vec<PathRun> = runs.into_iter().map(|line| line.value).collect();
    assert_eq!(runs.len(), json_lines::lines(bytes));
    // What was read of a call is what is read of it again.
    for call in runs.iter().flat_map(|run| &run.expected_calls) {
        let written = serde_json::to_string(call).expect("whole numbers of 64 bits");
        assert_eq!(&serde_json::from_str::<ToolCall>(&written).expect("our own text"), call);
    }
    // Of each metric that is defined its key and its value.
    let [with, without] = [false, true].map(|names_alone| {
        let mut tally = PathTally::default();
        runs.iter()
            .take(20)
            .for_each(|run| tally.update(run, names_alone).expect("a run as it was read"));
        METRICS.map(|metric| (metric.measure.key, metric.value(&tally).ok()))
    });
    for report in [&with, &without] {
        assert!(report[0].1 <= report[1].1 && report[1].1 <= report[2].1);
        for (name, value) in report {
            assert!(
                value.is_none_or(|value| value >= 0.0 && (*name == "aed" || value <= 1.0)),
                "{name}"
            );
        }
    }
    // What is the same with its arguments is the same without.
    assert!(with[0].1 <= without[0].1);
});
