//! Compares agents by the logs of their runs: the subcommand `compare`.
//!
//! Without a file it compares two bundled models. Each log, and each model in it, has a column. With `--json`, `files` has
//! a report of each. With two columns, `difference` is the second minus the first; with more, `differences` has each column
//! minus the first.

use std::{error::Error, path::PathBuf};

use agent_scorecard::{
    Column, Position, Report,
    compare::{CompareOptions, Side, compare, measures},
    traces::LEVEL,
};
use trajectory_metrics::ForecastPolicy;

use crate::{
    files::{
        logs::{self, Judging, OUTCOMES},
        source::{Names, Source},
    },
    output::{options::Forms, program::Written, text::help},
};

/// Reports which agent is better, by how much, and whether the difference is beyond noise
#[derive(Debug, clap::Args)]
#[command(after_help = ["Example: agent-scorecard compare alpha.eval beta.eval --fail-if 'difference.is_worse > 0'\n\n", &help(&measures()), include_str!("help/compare.txt"), OUTCOMES].concat())]
pub(crate) struct Options {
    /// Logs or folders of logs. Each log, and each model in it, has its own column in the report. The first column is
    /// compared with each of the others. Without a file, invented runs of two models are used
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    names: Names,
    /// JSON file with the prices of models in USD per million tokens (format: see logs --help). It gives the cost of
    /// runs whose log states no cost
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
    #[command(flatten)]
    how: CompareOptions,
    #[command(flatten)]
    judging: Judging,
    #[command(flatten)]
    forms: Forms,
}

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let Options { files, names, prices, how, judging, forms } = options;
    prices.iter().try_for_each(|path| judging.set_prices(path))?;
    forms.show(report(names.of(files)?, how, &judging)?)
}

/// Returns the report that compares these sources.
///
/// # Errors
///
/// Errors of reading and comparing.
pub fn report(
    sources: Vec<Source>,
    how: CompareOptions,
    judging: &Judging,
) -> Result<Report, Box<dyn Error>> {
    let judging = &judging.of_totals();
    let mut sides = Vec::new();
    for source in &Source::unless(sources, &["demo_alpha.jsonl", "demo_beta.jsonl"]) {
        match logs::read(source, judging)? {
            Some(logs) => {
                logs.iter().try_for_each(logs::check_scale)?;
                // Each log is dropped before the next one is converted.
                sides.extend(logs.into_iter().map(|log| Side::from(&log)));
            }
            None => {
                let rules = judging.rules_of_traces(ForecastPolicy::Skip);
                let read = source.read_by(|file, source| Side::read_all(file, source, rules));
                let mut read = read.map_err(|error| match source.is_file() {
                    true => format!("{error}; the file is not a log, so it is read as traces: logs --help and traces --help say what is read"),
                    false => error.to_string(),
                })?;
                read.iter_mut().for_each(|side| source.given().clone_into(&mut side.name));
                sides.extend(read);
            }
        }
    }
    let mut report = compare(sides, how, LEVEL)?;
    judging.finish(&mut report);
    let lacks = |column: &Column| column.block.number("n_runs") == Some(0.0);
    if !judging.has_outcomes() && report.columns.iter().any(lacks) {
        let note = "--outcomes FILE adds outcomes that a log does not have".to_owned();
        report.together.say(Position::Note, [note]);
    }
    Ok(report)
}
