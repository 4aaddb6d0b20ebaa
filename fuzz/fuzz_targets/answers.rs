//! Answers of a model about its budget: what strict reads, lenient reads alike, one answer or several.

#![no_main]

use budget_estimation::{AnswerMode, Estimate, parse_answer, parse_answers};
use libfuzzer_sys::fuzz_target;

const NAMES: [&str; 2] = ["time", "cost_usd"];

fuzz_target!(|text: &str| {
    let [strict, lenient] =
        [AnswerMode::Strict, AnswerMode::Lenient].map(|mode| parse_answer(text, mode));
    if strict.is_ok() {
        assert_eq!(lenient, strict);
    }
    let [several_strict, several_lenient] =
        [AnswerMode::Strict, AnswerMode::Lenient].map(|mode| parse_answers(text, &NAMES, mode));
    if several_strict.is_ok() {
        assert_eq!(several_lenient, several_strict);
    }
    let several = several_lenient.into_iter().inspect(|all| assert_eq!(all.len(), NAMES.len()));
    for estimate in several.flatten().chain(lenient) {
        if let Estimate::Interval(interval) = estimate {
            assert!(0.0 <= interval.low() && interval.low() <= interval.high());
        }
    }
});
