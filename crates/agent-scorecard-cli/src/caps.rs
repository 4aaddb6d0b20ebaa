//! Estimates the effect of a cap on the spending of runs: the subcommand `caps`.
//!
//! Without a file it takes bundled runs (made by the example `demo_data`). Each file gets a column, and so does each
//! model in it.

use std::{error::Error, path::PathBuf};

use agent_scorecard::{
    Account, Column, Report,
    budget::{self, CAP_MEASURES, CapOptions, RunFile},
};

use crate::{
    budget::{RUNS, Read, read},
    costbench::named,
    files::{
        logs::{Judging, OUTCOMES},
        names::Names,
        source::Source,
    },
    output::{options::Forms, program::Written, text::help},
};

/// Reports how many successes caps on spending would have kept, and how much they would have saved
#[derive(Debug, clap::Args)]
#[command(after_help = [EXAMPLE, include_str!("help/budget_caps.txt"), &help(&CAP_MEASURES), RUNS, OUTCOMES].concat())]
pub(crate) struct Options {
    /// Files of runs, logs or folders of logs. Each model in a file has a column. Without a file, bundled runs are used
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    names: Names,
    #[command(flatten)]
    how: CapOptions,
    #[command(flatten)]
    judging: Judging,
    #[command(flatten)]
    forms: Forms,
}

const EXAMPLE: &str = "\
Example: agent-scorecard caps runs.jsonl --at 500,1000,2500

";

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let Options { files, names, mut how, judging, forms } = options;
    how.with_pictures = forms.has_figures();
    forms.show(report(names.of(files)?, &how, &judging)?)
}

/// Returns the report on these sources.
///
/// # Errors
///
/// Errors of reading.
pub fn report(
    sources: Vec<Source>,
    how: &CapOptions,
    judging: &Judging,
) -> Result<Report, Box<dyn Error>> {
    let values = how.caps().map_err(named)?;
    let judged = budget::Options {
        resources: vec![how.resource.clone()],
        cluster_by: how.cluster_by,
        ..budget::Options::default()
    };
    let sources = Source::unless(sources, &["demo_rollouts.jsonl"]);
    let Read { runs: all, names, notes } = read(&sources, judging, &judged)?;
    let accounts = all
        .iter()
        .zip(&names)
        .map(|(it, name)| Account { name: name.clone(), ..it.runs.account() })
        .collect();
    let caps = |files: Vec<RunFile>| {
        let input = RunFile::together(&files.iter().collect::<Vec<_>>(), &[])?;
        // Only what was spent is needed from here on.
        drop(files);
        budget::caps(input, values, how)
    };
    let pooled = how.pool.then(|| all.clone());
    let columns = all.into_iter().zip(&names).flat_map(|(file, name)| {
        let column = move |(model, runs): (_, RunFile)| {
            let column = (runs.runs.file().to_owned(), model, caps(vec![runs])?).into();
            Ok(Column { name: name.clone(), ..column })
        };
        file.by_model().into_iter().map(column)
    });
    let columns = columns.collect::<Result<Vec<_>, agent_scorecard::Error>>()?;
    let pooled = pooled.filter(|_| columns.len() > 1).map(caps).transpose()?;
    let mut report = budget::caps_report(columns, pooled, how);
    report.account = Some(Account::of_columns(accounts));
    report.together.notes.get_or_insert_default().extend(notes);
    judging.finish(&mut report);
    Ok(report)
}
