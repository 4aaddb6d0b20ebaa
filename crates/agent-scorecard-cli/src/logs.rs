//! Shows the contents of logs of agent evaluations, by task and by run: the subcommand `logs`.
//!
//! Without a file it reads bundled, invented exchanges. A FILE may be a folder of logs. With `--json` the output is one
//! object for programs; if there are several files, each run names its file.

use std::{error::Error, path::PathBuf};

use agent_scorecard::{
    Report,
    logs::{self, csv},
    options,
};
use run_logs::{Format, LineFields, suggest_fields};

use crate::{
    files::{
        bundled,
        logs::{Judging, OUTCOMES, models, open},
        source::{Names, Source},
    },
    output::{
        options::Forms,
        overwrites::Output,
        program::{Written, write_file},
    },
    plain,
};

/// Shows the runs in logs, with their scores, stop reasons, limits, tokens, costs and calls
#[derive(Debug, clap::Args)]
#[command(after_help = [include_str!("help/logs.txt"), OUTCOMES].concat())]
pub(crate) struct Options {
    /// Logs or folders of logs. Without a file, a bundled example log is used
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    names: Names,
    /// Format of the files; auto detects it from their content
    #[arg(long, value_name = "F", default_value = "auto", value_parser = options::names::<Format>())]
    format: Format,
    /// JSON file with the prices of models in USD per million tokens (format: see below). It gives the cost of runs
    /// whose log states no cost
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
    /// Show the log formats that can be read, how to get such files, and which facts they lack
    #[arg(long, conflicts_with_all = ["files", "csv", "prices"])]
    formats: bool,
    /// For JSON Lines of another program, propose the fields to name with --field
    #[arg(long, conflicts_with_all = ["formats", "csv", "prices"])]
    suggest: bool,
    /// Also write all runs to this file, as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<Output>,
    #[command(flatten)]
    judging: Judging,
    #[command(flatten)]
    forms: Forms,
}

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let Options { files, names, prices, mut judging, forms, .. } = options;
    if options.formats {
        return match forms.are_tables() {
            true => Ok(format_list().into()),
            false => forms.show(logs::formats()),
        };
    }
    if options.suggest {
        let [path] = files.as_slice() else { return Err("--suggest: give one file".into()) };
        let proposed = match bundled::content(path) {
            Some(content) => LineFields::suggest(content)?,
            None => suggest_fields(path)?,
        };
        return forms.show(logs::suggested(&path.display().to_string(), &proposed));
    }
    judging.rules.is_lenient = true;
    prices.iter().try_for_each(|path| judging.set_prices(path))?;
    if options.csv.is_none() && forms.are_tables() {
        // Tables do not show the arguments of calls.
        judging = judging.of_totals();
    }
    let report = report(names.of(files)?, options.format, &judging)?;
    if let Some(path) = options.csv {
        let text = String::from_utf8_lossy(&csv(&report)?).into_owned();
        write_file(&path, plain::lines(text).as_bytes())?;
    }
    forms.show(report)
}

/// Returns the formats as a list, because their descriptions are too long for the columns of a table.
fn format_list() -> String {
    let described = Format::ALL.iter().filter_map(|format| Some((format, format.about()?)));
    let lines = described.map(|(format, about)| {
        format!(
            "{format}\n  file   {}\n  read   {}\n  lacks  {}\n",
            about.source, about.reads, about.lacks
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the report on these logs.
///
/// # Errors
///
/// Errors of reading.
pub fn report(
    sources: Vec<Source>,
    format: Format,
    judging: &Judging,
) -> Result<Report, Box<dyn Error>> {
    let mut columns = Vec::new();
    for source in &Source::unless(sources, &["demo_log.jsonl"]) {
        columns.extend(models(source, open(source.path(), format, judging)?, judging)?);
    }
    let mut report = logs::logs(columns);
    judging.finish(&mut report);
    Ok(report)
}
