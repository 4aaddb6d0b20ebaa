//! Shows what logs of agent evaluations hold, run by run.
//!
//! ```text
//! logs [FILE…] [--format F] [--json]
//! ```
//!
//! Without a file it reads bundled exchanges, which are made up. A FILE may be a folder of logs. With
//! `--json` there is one object for programs, and where there are several files each run names its own.

use std::{error::Error, ffi::OsString, path::PathBuf};

use crate::{
    files::{bundled, logs::common_format},
    logs::report::{LogReport, LogRow, read},
    output::{program, table::align},
};
use lexopt::prelude::*;
use run_logs::Format;

const USAGE: &str = r#"logs [FILE…] [--format F] [--json]

Shows the runs that logs hold: scores, stop reason, limit, tokens, cost and calls. A FILE is a log or a
folder of logs; without a FILE the program reads bundled exchanges.
--format F  auto (default: by content), inspect, exchanges, openai_chat, openai_responses, gemini, ollama,
            atif, harbor or tau2
--json      prints one JSON object

A FILE is a log of inspect_ai (.eval or .json), a trajectory or trial of Harbor, results of tau2, chats and
responses in the formats of OpenAI, Gemini and Ollama, or has JSON Lines with recorded exchanges, for example
  {"id": "run-7", "task": "refund", "outcome": true, "turns": [{"request": {"messages": [{"role": "user", "content": "Refund A-104."}]}, "response": {"model": "m-1", "choices": [{"message": {"role": "assistant", "content": "Done."}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 12, "completion_tokens": 2}}}]}
"#;

struct Arguments {
    files: Vec<PathBuf>,
    format: Format,
    json: bool,
}

/// `None` where only the usage is asked for.
fn arguments(given: Vec<OsString>) -> Result<Option<Arguments>, Box<dyn Error>> {
    let (mut files, mut format, mut json) = (Vec::new(), Format::Auto, false);
    let mut parser = lexopt::Parser::from_args(given);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("format") => {
                format = program::value(&mut parser, "--format", |word| {
                    word.parse().map_err(|_| "--help lists the formats")
                })?;
            }
            Long("json") => json = true,
            Long("help") | Short('h') => return Ok(None),
            Value(file) => files.push(file.into()),
            _ => return Err(program::unexpected(argument)),
        }
    }
    if files.is_empty() {
        files.push(bundled::path("demo_log.jsonl"));
    }
    Ok(Some(Arguments { files, format, json }))
}

pub(crate) fn output(given: Vec<OsString>) -> Result<String, Box<dyn Error>> {
    let Some(Arguments { files, format, json }) = arguments(given)? else {
        return Ok(USAGE.to_owned());
    };
    let mut reports = Vec::new();
    for file in &files {
        reports.push((file.display().to_string(), read(file, format)?));
    }
    let report = together(reports);
    Ok(if json { serde_json::to_string_pretty(&report)? + "\n" } else { table(&report) })
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

fn table(report: &LogReport) -> String {
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
    let mut text = format!("{count} runs, format {format}\n\n{}", align(&rows));
    for note in &report.notes {
        text.push_str(&format!("note: {note}\n"));
    }
    text
}
