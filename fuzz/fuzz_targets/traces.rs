//! Traces with forecasts: there is one a line, and each makes a run that has a score or is left out for
//! how it ended.

#![no_main]

use censoring::{Error, Tps, WeightSchedule, simple_score};
use libfuzzer_sys::fuzz_target;
use scoring_rules::BrierScore;

#[path = "../in_file.rs"]
mod in_file;

fuzz_target!(|bytes: &[u8]| {
    let Ok(runs) = in_file::with(bytes, examples::trace_file::read) else { return };
    assert_eq!(runs.len(), in_file::lines(bytes));
    assert!(runs.is_sorted_by(|a, b| a.line < b.line));
    let tps = Tps::new(BrierScore, WeightSchedule::LinearFront);
    for run in &runs {
        match simple_score(&tps, &run.stopped().expect("a run as it was read")) {
            Ok(score) => assert!((-1.0 - 1e-12..=0.0).contains(&score), "{score}"),
            Err(error) => assert!(matches!(error, Error::Excluded(_)), "{error}"),
        }
    }
});
