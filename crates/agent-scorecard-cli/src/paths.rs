//! Compares the tool calls of agents with the calls that their tasks expect: the subcommand `paths`.
//!
//! Without a file it compares bundled runs, which are made up. All calls of the agent count, by name
//! and exact arguments, or only by name with `--ignore-arguments`. Calls are read as `{"name", "args"}`, as
//! OpenAI writes them, and as Anthropic does. Each file gets a column, and each model where a file names
//! several; with `--json`, `files` has a report of each where there are several.

use std::{error::Error, path::PathBuf};

use agent_scorecard::{
    Column, Report,
    paths::{METRICS, PathOptions, PathTally, logged, read},
    traces::LoggedColumn,
};

use crate::{
    files::{
        logs::{self, Judging, OUTCOMES},
        source::{Names, Source},
    },
    output::{options::Forms, program::Written, text::rows},
};

/// Compares the tool calls of agents with the calls that their tasks expect
#[derive(Debug, clap::Args)]
#[command(after_help = [include_str!("help/paths.txt"), &rows(&METRICS), OUTCOMES].concat())]
pub(crate) struct Options {
    /// Files of tool calls, logs or folders of logs. Each file, or each model in a file, has its own column in the
    /// report. Without a file, bundled runs are used
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    names: Names,
    #[command(flatten)]
    how: PathOptions,
    #[command(flatten)]
    judging: Judging,
    #[command(flatten)]
    forms: Forms,
}

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let Options { files, names, how, judging, forms } = options;
    forms.show(report(names.of(files)?, how, &judging, forms.has_figures())?)
}

/// Returns the report on tool calls.
///
/// # Errors
///
/// Errors of reading and comparing.
pub fn report(
    sources: Vec<Source>,
    how: PathOptions,
    judging: &Judging,
    with_pictures: bool,
) -> Result<Report, Box<dyn Error>> {
    let PathOptions { ignore_arguments, pool } = how;
    let (mut columns, mut together) = (Vec::new(), PathTally::default());
    let mut accounts = Vec::new();
    for source in Source::unless(sources, &["demo_tool_calls.jsonl"]) {
        let tallies = match logs::read(&source, judging)? {
            None => {
                let tallies =
                    source.read_by(|file, source| read(file, source, ignore_arguments))?;
                let named = |(model, tally)| (source.given().to_owned(), model, tally);
                tallies.into_iter().map(named).collect()
            }
            Some(logs) => {
                let tally = |log: LoggedColumn| {
                    Ok((log.name.clone(), log.model.clone(), logged(&log, ignore_arguments)?))
                };
                logs.into_iter().map(tally).collect::<Result<Vec<_>, run_logs::Error>>()?
            }
        };
        for (name, model, tally) in tallies {
            let block = tally.block(ignore_arguments, with_pictures)?;
            columns.push(Column { name, ..(source.name(), model, block).into() });
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
        let pooled = together.block(ignore_arguments, with_pictures)?;
        report.pool(pooled, "; a task that is in two columns counts as one task");
    }
    judging.finish(&mut report);
    Ok(report)
}
