//! Compares each metric of a stream before and after cross-fitted Platt scaling, in standard errors: `traces --change`.
//!
//! Reads the files that `traces` reads, each a stream of its own, and each model of a log: both streams are resampled together, by
//! task; a run that names no task is one of its own. Without a file it compares the bundled runs of an
//! overconfident and of a truthful forecaster.

use std::error::Error;

use agent_scorecard::{
    Column, Report,
    calibration::{CalibrationOptions, Halves, compare},
    traces::TraceFile,
};

use crate::{
    files::{log_file, logs::Streamed, source::Source},
    output::program::at,
    progress::working,
};

/// Returns the report on these sources.
///
/// # Errors
///
/// Errors of reading and fitting.
pub fn report(
    sources: Vec<Source>,
    how: &CalibrationOptions,
    read: &Streamed,
) -> Result<Report, Box<dyn Error>> {
    let &CalibrationOptions { resamples, seed, halves, .. } = how;
    let (mut columns, mut accounts) = (Vec::new(), Vec::new());
    for source in Source::unless(sources, &["demo_overconfident.jsonl", "demo_truthful.jsonl"]) {
        let file = source.name();
        for TraceFile { name, model, runs, remarks, .. } in log_file::traces(&source, read)? {
            let compared = working(&format!("calibrating {file}"), || compare(&runs, how));
            let mut block = compared.map_err(|error| at(&file, error.into()))?;
            block.lines.insert(0, remarks.runs().line());
            block.extend_json(remarks.runs());
            block.push_json("missing", &remarks.missing());
            block.notes.get_or_insert_default().extend(remarks.notes());
            let left_out = [("at_limit", "n_censored"), ("no_outcome", "n_excluded")];
            let left_out = left_out.map(|(reason, key)| (reason, block.count(key)));
            accounts.push(remarks.account().without(left_out));
            columns.push(Column { name, ..(file.clone(), model, block).into() });
        }
    }
    let (split, name) = match halves {
        Halves::Tasks => ("whole tasks", "tasks"),
        Halves::Runs => ("runs", "runs"),
    };
    let mut report = Report {
        title: "Forecasts before and after calibration".to_owned(),
        lead: format!(
            "{} weights, Platt scaling cross-fitted over two halves of {split}, {resamples} resamples of tasks; \
             (+) higher is better, (-) lower is better",
            how.schedule,
        ),
        list: Some("files"),
        main_pictures: vec!["reliability"],
        ..Report::of_columns(columns)
    };
    report.set_accounts(accounts);
    report.together.push_json("schedule", how.schedule.name());
    report.together.push_json("halves", name);
    report.together.push_json("resamples", &resamples);
    report.together.push_json("seed", &seed);
    read.judging.finish(&mut report);
    Ok(report)
}
