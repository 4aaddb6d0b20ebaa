//! Memory grows with the input by a factor that does not creep up.
#![allow(missing_docs, clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

mod program;

use std::{
    env,
    ffi::OsString,
    process::{Command, ExitCode, Stdio},
};

use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Its lines are the words of a command that this process runs in place of the test.
const WORDS: &str = "PEAK_OF_WORDS";

/// The most bytes that the command had allocated at one time.
fn peak(arguments: &[&str], file: &str) -> f64 {
    let words = [&["agent-scorecard"], arguments, &[file]].concat().join("\n");
    let mut command = Command::new(env::current_exe().unwrap());
    // More threads hold more at one time, by chance.
    command.arg("--nocapture").env(WORDS, words).env("RAYON_NUM_THREADS", "1");
    let output = command.stdout(Stdio::null()).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{arguments:?}: {text}");
    text.lines().last().unwrap().parse().unwrap()
}

fn run(words: &str) {
    assert_eq!(agent_scorecard_cli::run(words.lines().map(OsString::from)), ExitCode::SUCCESS);
    eprintln!("{}", MEMORY.peak_usage());
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

/// The factor is of memory to bytes by which a file grows, so that the program itself does not count. A bound is a tenth
/// above what is measured.
#[test]
fn memory_grows_with_the_file_by_a_bounded_factor() {
    type Make = fn(usize) -> String;
    if let Ok(words) = env::var(WORDS) {
        return run(&words);
    }
    let cases: [(&[&str], Make, f64); 7] = [
        (&["compare"], table, 10.5),
        (&["traces", "--resamples", "0"], table, 11.2),
        (&["cut-off", "--resamples", "0"], table, 13.1),
        (&["compare"], log, 8.7),
        (&["logs", "--json"], log, 9.1),
        (&["caps", "--at", "50,60"], rollouts, 9.2),
        (&["budget", "--resamples", "0", "--estimator", "quantile"], rollouts, 9.2),
    ];
    let found = cases.map(|(arguments, make, bound)| {
        let [few, many] = [5_000, 20_000].map(|rows| {
            let text = make(rows);
            let ending = if text.starts_with('{') { "jsonl" } else { "csv" };
            let file = program::write(&format!("memory.{ending}"), &text);
            [peak(arguments, &file), text.len() as f64]
        });
        (arguments, (many[0] - few[0]) / (many[1] - few[1]), bound)
    });
    let is_within = found.iter().all(|(_, factor, bound)| factor <= bound);
    assert!(is_within, "command, bytes of memory per byte, bound: {found:#?}");
}
