//! Reports do not depend on the number of threads, nor on the order of the rows.

use std::{fs, process::Command};

use serde_json::Value;

use crate::program::{self, bundled, json_of, write};

#[test]
fn reports_have_the_same_bytes_on_any_number_of_threads() {
    for line in [
        "traces --json",
        "traces --json --calibrate platt --cluster-by task-only --resamples 50",
        "traces --json --calibrate isotonic",
        "compare --json",
        "caps --json --at 500,1000",
        "cut-off --json",
        "triage --json",
        "triage --json --planner random --alpha 0.5 --seed 9",
        "budget --json",
        "budget --json --estimator conformal --cap 2500",
    ] {
        let with = |threads: &str| {
            let mut command = Command::new(program::BUILT);
            command.args(program::line_of(line)).env("RAYON_NUM_THREADS", threads);
            let output = command.output().unwrap();
            assert!(output.status.success(), "{line}");
            output.stdout
        };
        let one = with("1");
        for threads in ["2", "3", "8"] {
            assert!(with(threads) == one, "{line}: {threads} threads");
        }
    }
}

#[test]
fn the_order_of_the_rows_does_not_matter() {
    let file = bundled("demo_overconfident.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    let mirrored = write("mirrored.jsonl", &text.lines().rev().collect::<Vec<_>>().join("\n"));
    for call in ["traces --calibrate isotonic", "traces --change", "traces --change --halves runs"]
    {
        let of = |path: &str| {
            let mut report = json_of(call, &[path, "--resamples", "50"]);
            report["account"]["name"].take();
            for key in ["file", "name"] {
                // Of a file alone, or of its column.
                report.get_mut(key).map(Value::take);
                report.pointer_mut(&format!("/files/0/{key}")).map(Value::take);
            }
            report
        };
        assert_eq!(of(&file), of(&mirrored), "{call}");
    }
}
