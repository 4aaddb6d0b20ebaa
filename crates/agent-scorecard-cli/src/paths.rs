//! Compares the tool calls of agents with the calls that their tasks expect: the subcommand `paths`.
//!
//! Without a file it compares bundled runs, which are made up. All calls of the agent count, by name
//! and exact arguments, or by name alone with `--ignore-arguments`. Calls are read as `{"name", "args"}`, as
//! OpenAI writes them, and as Anthropic does. Each file gets a column, and each model where a file names
//! several; with `--json`, `files` has a report of each where there are several.

use std::{error::Error, path::PathBuf};

use agent_scorecard::{
    Column, Report,
    paths::{METRICS, PathTally, logged, read},
};

use crate::{
    files::{
        bundled,
        json_lines::read_by,
        log_file::{self, LogFile},
        logs::{Judging, OUTCOMES},
        names::Names,
    },
    output::{form::Forms, program::Written, text::rows},
};

/// Compares the tool calls of agents with the calls that their tasks expect
#[derive(Debug, clap::Args)]
#[command(after_help = [FORMAT, &rows(&METRICS), OUTCOMES].concat())]
pub(crate) struct Options {
    /// Files of tool calls, or logs or folders of logs; each gets a column, and so does each model where a file names
    /// several; without a file, bundled runs
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    names: Names,
    /// Compare calls by name alone; by default also by their exact arguments
    #[arg(long)]
    ignore_arguments: bool,
    /// Add a report on the runs of all columns together to --json
    #[arg(long)]
    pool: bool,
    #[command(flatten)]
    judging: Judging,
    #[command(flatten)]
    forms: Forms,
}

const FORMAT: &str = include_str!("help/paths.txt");

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let Options { files, names, ignore_arguments, pool, judging, forms } = options;
    let (mut columns, mut together) = (Vec::new(), PathTally::default());
    let mut accounts = Vec::new();
    for (path, name) in names.of(bundled::unless(files, &["demo_tool_calls.jsonl"]))? {
        let tallies = match log_file::read((&path, &name), &judging)? {
            None => {
                let tallies = read_by(&path, |file, source| read(file, source, ignore_arguments))?;
                tallies.into_iter().map(|(model, tally)| (name.clone(), model, tally)).collect()
            }
            Some(logs) => {
                let tally = |LogFile { column, .. }| {
                    let tally = logged(&column, ignore_arguments)?;
                    Ok((column.name, column.model, tally))
                };
                logs.into_iter().map(tally).collect::<Result<Vec<_>, run_logs::Error>>()?
            }
        };
        for (name, model, tally) in tallies {
            let block = tally.block(ignore_arguments, forms.has_figures())?;
            let column = (path.display().to_string(), model, block).into();
            columns.push(Column { name, ..column });
            accounts.push(tally.account());
            together.append(&tally);
        }
    }
    let compared = if ignore_arguments { "name" } else { "name and exact arguments" };
    let mut report = Report {
        title: "Paths of tool calls".to_owned(),
        lead: format!("calls compared by {compared}; means over runs"),
        main_pictures: vec!["matches", "calls"],
        ..Report::of_columns(columns)
    };
    report.set_accounts(accounts);
    if pool && report.columns.len() > 1 {
        let pooled = together.block(ignore_arguments, forms.has_figures())?;
        report.pool(pooled, "; a task in two of them is one");
    }
    report.together.notes.get_or_insert_default().extend(judging.notes());
    forms.show(report)
}
