//! Traces with forecasts: there is one per line, and each makes a run that has a score, or is left out for
//! its forecasts or for how it ended, by every policy.

#![no_main]

use censoring::{Error, Tps, WeightSchedule, simple_score};
use libfuzzer_sys::fuzz_target;
use run_logs::TraceFile;
use scoring_rules::BrierScore;
use trajectory_metrics::ForecastPolicy;

#[path = "../json_lines.rs"]
mod json_lines;

fuzz_target!(|bytes: &[u8]| {
    for policy in ForecastPolicy::ALL {
        read(bytes, policy);
    }
});

fn read(bytes: &[u8], policy: ForecastPolicy) {
    let Ok(file) = TraceFile::read("f", bytes, policy) else { return };
    let missing = file.remarks.missing();
    let (runs, left_out) = (&file.runs, missing.counts.left_out_runs as usize);
    assert_eq!(runs.len() + left_out, json_lines::lines(bytes));
    let changed = missing.counts.left_out_runs + missing.counts.repaired_runs > 0;
    let notes = file.remarks.notes();
    assert_eq!(changed, notes.iter().any(|note| note.starts_with("forecasts that are missing")));
    assert!(runs.iter().is_sorted_by(|a, b| a.line < b.line));
    let tps = Tps::new(BrierScore, WeightSchedule::LinearFront);
    for run in runs.iter() {
        match simple_score(&tps, &run.stopped().expect("a run as it was read")) {
            Ok(score) => assert!((-1.0 - 1e-12..=0.0).contains(&score), "{score}"),
            Err(error) => assert!(matches!(error, Error::Excluded(_)), "{error}"),
        }
    }
}
