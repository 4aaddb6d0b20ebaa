//! What cross-fitted Platt scaling changes about each metric of a stream, against its noise.
//!
//! ```text
//! calibration [FILE…] [--schedule linear-front|uniform|exponential-front|linear-back]
//!     [--whole-tasks] [--resamples N] [--seed N] [--missing refuse|leave-out|carry-forward|clip]
//!     [--json]
//! ```
//!
//! Reads the files that `traces` reads, each a stream of its own: both streams are resampled together, by
//! task; a run that names no task is one of its own. Without a file it compares the bundled runs of an
//! overconfident and of a truthful forecaster.

use std::error::Error;

use agent_scorecard::{Report, calibration::compare};

use crate::{
    calibration::options::Options,
    files::bundled,
    output::program::{Written, at},
    progress::working,
    traces::trace_file,
};

pub(crate) fn output(mut options: Options) -> Result<Written, Box<dyn Error>> {
    if options.files.is_empty() {
        options.files = ["overconfident", "truthful"]
            .map(|name| bundled::path(&format!("demo_{name}.jsonl")))
            .to_vec();
    }
    let how = options.how();
    let mut columns = Vec::new();
    for path in &options.files {
        let file = path.display().to_string();
        let read = trace_file::read(path, options.missing)?;
        let compared = working(&format!("calibrating {file}"), || compare(&read.runs, &how));
        let mut block = compared.map_err(|error| at(&file, error.into()))?;
        let remarks = &read.remarks;
        block.lines.insert(0, remarks.runs().line());
        block.extend_json(remarks.runs());
        block.push_json("missing", &remarks.missing());
        block.notes.get_or_insert_default().extend(remarks.notes());
        columns.push((file, None, block));
    }
    let split = if how.whole_tasks { "whole tasks" } else { "runs" };
    let mut report = Report {
        title: "Forecasts before and after calibration".to_owned(),
        lead: format!(
            "{} weights, Platt scaling cross-fitted over two halves of {split}, {} resamples of tasks; \
             (+) higher is better, (-) lower is better",
            how.schedule, how.resamples,
        ),
        list: Some("files"),
        main_pictures: vec!["reliability"],
        ..Report::of_columns(columns)
    };
    report.together.push_json("schedule", how.schedule.name());
    report.together.push_json("whole_tasks", &how.whole_tasks);
    report.together.push_json("resamples", &how.resamples);
    report.together.push_json("seed", &how.seed);
    options.forms.show(report)
}
