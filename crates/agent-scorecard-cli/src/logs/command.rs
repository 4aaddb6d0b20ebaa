//! Shows what logs of agent evaluations hold, run by run.
//!
//! ```text
//! logs [FILE…] [--format F] [--json]
//! ```
//!
//! Without a file it reads bundled exchanges, which are made up. A FILE may be a folder of logs. With
//! `--json` there is one object for programs, and where there are several files each run names its own.

use std::error::Error;

use crate::{
    files::{bundled, logs::common_format},
    logs::{
        options::Options,
        report::{LogReport, LogRow, read},
    },
    output::{program::Written, table::Layout},
    plain,
    report::{self, pages},
};

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let Options { mut files, format, forms } = options;
    if files.is_empty() {
        files.push(bundled::path("demo_log.jsonl"));
    }
    let mut reports = Vec::new();
    for file in &files {
        reports.push((file.display().to_string(), read(file, format)?));
    }
    let report = together(reports);
    forms.write(
        "logs",
        |layout| Ok(table(&report, layout)),
        || {
            let runs = report.runs.iter().filter_map(|run| serde_json::to_value(run).ok());
            Ok(report::files::json("logs", &report, pages::logs::figures(runs))?)
        },
    )
}

/// One report of all files.
fn together(mut reports: Vec<(String, LogReport)>) -> LogReport {
    let several = reports.len() > 1;
    let format = common_format(reports.iter().map(|(_, report)| report.format));
    let (mut runs, mut notes) = (Vec::new(), Vec::new());
    for (file, report) in &mut reports {
        runs.extend(report.runs.drain(..).map(|mut run| {
            run.file = several.then(|| file.clone());
            run
        }));
        let noted = report.notes.drain(..);
        notes.extend(noted.map(|note| if several { format!("{file}: {note}") } else { note }));
    }
    LogReport { format, n_runs: runs.len(), runs, notes }
}

fn table(report: &LogReport, layout: Layout) -> String {
    let known = |count: Option<u64>| count.map_or("?".to_owned(), |count| count.to_string());
    let words = |text: Option<&String>| text.cloned().unwrap_or_default();
    let row = |run: &LogRow| {
        let trial = run.epoch.or(run.trial).map_or(String::new(), |trial| format!(" #{trial}"));
        let scores: Vec<String> =
            run.scores.iter().map(|(name, value)| format!("{name} {value}")).collect();
        let scores = if scores.is_empty() {
            run.outcome.map_or(String::new(), |outcome| outcome.to_string())
        } else {
            scores.join(", ")
        };
        vec![
            run.id.clone() + &trial,
            words(run.task.as_ref()),
            scores,
            words(run.stop.as_ref()),
            run.n_model_calls.to_string(),
            run.tool_calls.len().to_string(),
            known(run.usage.input_tokens),
            known(run.usage.output_tokens),
        ]
    };
    let header = ["run", "task", "scores", "stop", "model calls", "tool calls", "input", "output"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    rows.extend(report.runs.iter().map(row));
    let (format, count) = (report.format, report.n_runs);
    let mut text = format!("{count} runs, format {format}\n\n{}", layout.table(&rows));
    for note in &report.notes {
        text.push_str(&plain::note(note));
    }
    text
}
