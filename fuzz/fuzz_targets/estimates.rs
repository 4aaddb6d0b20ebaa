//! Recorded estimates: they are of turns that the runs have, and what strict reads lenient reads alike.

#![no_main]

use std::sync::OnceLock;

use agent_scorecard::budget::{RunFile, read_answers};
use budget_estimation::{AnswerMode, Estimate};
use libfuzzer_sys::fuzz_target;

/// Run `a` of three turns and run `7` of two.
const RUNS: &[u8] = br#"{"id":"a","turns":[{"output_tokens":1},{"output_tokens":2},{"output_tokens":3}],"success":true}
{"id":"7","turns":[{"output_tokens":1},{"output_tokens":2}],"success":false}"#;

static FILES: OnceLock<Vec<RunFile>> = OnceLock::new();

fuzz_target!(|bytes: &[u8]| {
    let files = FILES.get_or_init(|| {
        vec![RunFile::read("runs", RUNS, &["output_tokens".to_owned()]).expect("our own runs")]
    });
    let read = |mode| {
        let read = read_answers("f", bytes, mode, files, &["output_tokens"]);
        read.map(|mut answers| answers.remove("output_tokens").expect("one resource"))
    };
    let (strict, lenient) = (read(AnswerMode::Strict), read(AnswerMode::Lenient));
    assert_eq!(strict.is_ok(), lenient.is_ok());
    let (Ok(strict), Ok(lenient)) = (strict, lenient) else { return };
    for (id, turns) in &strict {
        for (turn, recorded) in turns {
            assert!((0..if id == "a" { 3 } else { 2 }).contains(turn));
            assert_eq!(recorded.problem.is_some(), recorded.estimate == Estimate::NoAnswer);
            if recorded.problem.is_none() {
                assert_eq!(lenient[id][turn].estimate, recorded.estimate);
            }
        }
    }
});
