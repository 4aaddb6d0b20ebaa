//! Traces with forecasts: there is one per line, and each makes a run that has a score, or is left out for
//! its forecasts or for how it ended, by every policy.

#![no_main]

use std::{fs, path::Path};

use censoring::{Error, Tps, WeightSchedule, simple_score};
use agent_scorecard_cli::readers::trace_file;
use libfuzzer_sys::fuzz_target;
use scoring_rules::BrierScore;
use trajectory_metrics::ForecastPolicy;

#[path = "../in_file.rs"]
mod in_file;

fuzz_target!(|bytes: &[u8]| {
    for policy in ForecastPolicy::ALL {
        in_file::with(bytes, |path| read(path, policy));
    }
});

fn read(path: &Path, policy: ForecastPolicy) {
    let Ok(file) = trace_file::read(path, policy) else { return };
    let missing = file.remarks.missing();
    let (runs, left_out) = (&file.runs, missing.counts.left_out_runs as usize);
    let bytes = fs::read(path).expect("the file that was just read");
    assert_eq!(runs.len() + left_out, in_file::lines(&bytes));
    let changed = missing.counts.left_out_runs + missing.counts.repaired_runs > 0;
    let notes = file.remarks.notes();
    assert_eq!(changed, notes.iter().any(|note| note.starts_with("forecasts that are missing")));
    assert!(runs.is_sorted_by(|a, b| a.line < b.line));
    let tps = Tps::new(BrierScore, WeightSchedule::LinearFront);
    for run in runs {
        match simple_score(&tps, &run.stopped().expect("a run as it was read")) {
            Ok(score) => assert!((-1.0 - 1e-12..=0.0).contains(&score), "{score}"),
            Err(error) => assert!(matches!(error, Error::Excluded(_)), "{error}"),
        }
    }
}
