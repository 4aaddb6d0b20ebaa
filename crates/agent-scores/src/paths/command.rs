//! Compares the tool calls of agents with the calls that their tasks expect.
//!
//! ```text
//! paths [FILE…] [--ignore-arguments] [--json]
//! ```
//!
//! Without a file it compares bundled runs, which are made up. All calls of the agent count, by name
//! and exact arguments, or by name alone with `--ignore-arguments`. Calls are read as `{"name", "args"}`, as
//! OpenAI writes them, and as Anthropic does. Each file gets a column; with
//! `--json` the figures at the top are over all files together, and `files` has a report of each
//! where there are several.

use std::{
    error::Error,
    ffi::OsString,
    path::{Path, PathBuf},
};

use crate::{
    files::bundled,
    output::{
        file_reports::{self, FileReport},
        program,
        table::{align, number},
    },
    paths::{
        path_file::{self, PathRun},
        report::{PathReport, compare},
    },
};
use lexopt::prelude::*;

const USAGE: &str = r#"paths [FILE…] [--ignore-arguments] [--json]

Compares the tool calls of agents with the calls that their tasks expect. Each FILE gets a column; without
a FILE the program compares bundled runs.
--ignore-arguments  compares calls by name alone; by default also by their exact arguments
--json              prints one JSON object; its figures are over all files together, `files` has each

A FILE has JSON Lines, one run per line, for example
  {"id": "run-7", "task": "refund", "agent_calls": [{"name": "find_order", "args": {"order": "A-104"}, "ok": true}], "expected_calls": [{"name": "find_order", "args": {"order": "A-104"}}, {"name": "refund", "args": {"amount": 39.5}}], "success": false}
id              name of the run
task            name of the task; the runs of a task are its trials
agent_calls     what the agent called, in order: name, args if there are any, and optionally whether the
                tool took the call without an error (ok)
expected_calls  what the task expects, in order
success         true, false, 1 or 0
Other fields of a run are ignored.
"#;

struct Arguments {
    files: Vec<PathBuf>,
    ignore_arguments: bool,
    json: bool,
}

/// `None` where only the usage is asked for.
fn arguments(given: Vec<OsString>) -> Result<Option<Arguments>, Box<dyn Error>> {
    let (mut files, mut ignore_arguments, mut json) = (Vec::new(), false, false);
    let mut parser = lexopt::Parser::from_args(given);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("ignore-arguments") => ignore_arguments = true,
            Long("json") => json = true,
            Long("help") | Short('h') => return Ok(None),
            Value(file) => files.push(file.into()),
            _ => return Err(program::unexpected(argument)),
        }
    }
    if files.is_empty() {
        files.push(bundled::path("demo_tool_calls.jsonl"));
    }
    Ok(Some(Arguments { files, ignore_arguments, json }))
}

pub(crate) fn output(given: Vec<OsString>) -> Result<String, Box<dyn Error>> {
    let Some(Arguments { files, ignore_arguments, json }) = arguments(given)? else {
        return Ok(USAGE.to_owned());
    };
    let all: Vec<Vec<PathRun>> =
        files.iter().map(|path| path_file::read(path)).collect::<Result<_, _>>()?;
    let mut reports = Vec::new();
    for (path, runs) in files.iter().zip(&all) {
        let runs: Vec<&PathRun> = runs.iter().collect();
        let report = compare(&runs, ignore_arguments)?;
        reports.push(FileReport { file: path.display().to_string(), report });
    }
    if !json {
        return Ok(table(&reports, ignore_arguments));
    }
    file_reports::json(&reports, || {
        let runs: Vec<&PathRun> = all.iter().flatten().collect();
        let mut report = compare(&runs, ignore_arguments)?;
        report.notes.push("these figures are over all files together, a run in two files counting twice and a task in two files being one; see files".to_owned());
        Ok(report)
    })
}

fn table(reports: &[FileReport<PathReport>], ignore_arguments: bool) -> String {
    let names = file_reports::names(reports.iter().map(|named| Path::new(&named.file)));
    let row = |name: String, values: &dyn Fn(&PathReport) -> String| {
        std::iter::once(name).chain(reports.iter().map(|named| values(&named.report))).collect()
    };
    let mut rows: Vec<Vec<String>> =
        vec![std::iter::once(String::new()).chain(names.iter().cloned()).collect()];
    rows.push(row("runs".to_owned(), &|report| report.n.to_string()));
    rows.push(row("tasks".to_owned(), &|report| report.n_tasks.to_string()));
    let figures = reports.first().map(|named| named.report.figures()).into_iter().flatten();
    for (i, (figure, higher_is_better, _)) in figures.enumerate() {
        let direction = if higher_is_better { "+" } else { "-" };
        let name = format!("{figure} ({direction})");
        rows.push(row(name, &|report| number(report.figures()[i].2)));
    }
    let by_k = |report: &PathReport, k: u64| {
        report.pass_hat_k.as_ref().and_then(|by_k| by_k.get(&k).copied().flatten())
    };
    let defined = |k: &u64| reports.iter().any(|named| by_k(&named.report, *k).is_some());
    for k in (1..).take_while(defined) {
        rows.push(row(format!("pass_hat_{k} (+)"), &|report| number(by_k(report, k))));
    }
    let compared = if ignore_arguments { "name" } else { "name and exact arguments" };
    let mut text = format!(
        "calls compared by {compared}; means over runs; (+) higher is better, (-) lower\n\n{}",
        align(&rows)
    );
    for (name, named) in names.iter().zip(reports) {
        for note in &named.report.notes {
            let place = if reports.len() > 1 { format!(" on {name}") } else { String::new() };
            text.push_str(&format!("note{place}: {note}\n"));
        }
    }
    text
}
