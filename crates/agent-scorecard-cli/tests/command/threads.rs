//! Reports do not depend on the number of threads.

use std::process::Command;

use crate::program;

#[test]
fn reports_have_the_same_bytes_on_any_number_of_threads() {
    for line in [
        "traces --json",
        "traces --json --calibrate platt",
        "traces --json --calibrate isotonic",
        "compare --json",
        "caps --json --at 500,1000",
        "cut-off --json",
        "triage --json",
        "budget --json",
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
