//! Memory grows with the input by a factor that does not creep up.
#![cfg(target_os = "linux")]
#![allow(missing_docs, clippy::panic, clippy::unwrap_used)]

mod program;

use std::{
    fs,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

/// The most memory that the command had, in bytes, as the kernel counts it.
fn peak(arguments: &[&str], file: &str) -> f64 {
    let mut command = Command::new(program::BUILT);
    // One thread, so that what others hold for a moment is not counted.
    command.args(arguments).arg(file).env("RAYON_NUM_THREADS", "1");
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0.0;
    // The mark only rises, so that the last look before the end sees all but its last millisecond.
    while child.try_wait().unwrap().is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        if let Some(kib) = line.and_then(|line| line.trim().strip_suffix(" kB")) {
            most = 1024.0 * kib.trim().parse::<f64>().unwrap();
        }
        thread::sleep(Duration::from_millis(1));
    }
    assert!(child.wait().unwrap().success(), "{arguments:?}");
    most
}

fn table(rows: usize) -> String {
    let row = |at| format!("r{at},t{},0.{},{}\n", at / 2, at % 9, u8::from(at % 3 > 0));
    "id,task,confidence,outcome\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

fn log(rows: usize) -> String {
    let row = |at| {
        format!(
            r#"{{"id": "r{at}", "task": "t{}", "outcome": {}, "turns": [{{"response": {{"model": "m", "choices": [{{"message": {{"role": "assistant", "content": "<confidence>0.5</confidence>"}}}}], "usage": {{"prompt_tokens": 10, "completion_tokens": 5}}}}}}]}}
"#,
            at / 2,
            at % 3 > 0
        )
    };
    (0..rows).map(row).collect()
}

fn rollouts(rows: usize) -> String {
    let row = |at| {
        format!(
            r#"{{"id":"r{at}","task":"t{}","success":{},"turns":[{{"output_tokens":{}}},{{"output_tokens":5}},{{"output_tokens":3}}]}}
"#,
            at / 2,
            at % 3 > 0,
            at % 97 + 1
        )
    };
    (0..rows).map(row).collect()
}

/// The factor is of memory to bytes by which a file grows, so that the program itself does not count. A bound is a fifth
/// above what is measured, as the kernel counts pages and a text of megabytes doubles as it grows: it holds what was
/// reached, which for a row of 20 bytes is two names, a list of one forecast, and where each stands.
#[test]
fn memory_grows_with_the_file_by_a_bounded_factor() {
    type Make = fn(usize) -> String;
    let cases: [(&[&str], Make, f64); 7] = [
        (&["compare"], table, 6.0),
        (&["traces", "--resamples", "0"], table, 7.8),
        (&["cut-off", "--resamples", "0"], table, 13.0),
        (&["compare"], log, 13.0),
        (&["logs", "--json"], log, 13.0),
        (&["caps", "--at", "50,60"], rollouts, 10.0),
        (&["budget", "--resamples", "0", "--estimator", "quantile"], rollouts, 11.5),
    ];
    let found = cases.map(|(arguments, make, bound)| {
        let [few, many] = [5_000, 25_000].map(|rows| {
            let text = make(rows);
            let ending = if text.starts_with('{') { "jsonl" } else { "csv" };
            let file = program::write(&format!("memory.{ending}"), &text);
            // A loaded machine may miss the last look at a run, but not at all six.
            let peaks = [(); 6].map(|()| peak(arguments, &file));
            [peaks.into_iter().fold(0.0, f64::max), text.len() as f64]
        });
        (arguments, (many[0] - few[0]) / (many[1] - few[1]), bound)
    });
    let is_within = found.iter().all(|(_, factor, bound)| factor <= bound);
    assert!(is_within, "command, bytes of memory per byte, bound: {found:#?}");
}
