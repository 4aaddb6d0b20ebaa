//! Answers of a model about its budget: no panic, and what strict reads lenient reads alike.

#![no_main]

use budget_estimation::{AnswerMode, Estimate, parse_answer, parse_answers};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (strict, lenient) =
        (parse_answer(text, AnswerMode::Strict), parse_answer(text, AnswerMode::Lenient));
    if let Ok(estimate) = strict {
        assert_eq!(lenient, Ok(estimate));
        if let Estimate::Interval(interval) = estimate {
            assert!(0.0 <= interval.low() && interval.low() <= interval.high());
        }
    }
    for mode in [AnswerMode::Strict, AnswerMode::Lenient] {
        if let Ok(estimates) = parse_answers(text, &["time", "cost_usd"], mode) {
            assert_eq!(estimates.len(), 2);
        }
    }
});
