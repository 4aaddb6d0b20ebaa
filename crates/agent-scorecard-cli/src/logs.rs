//! Shows what logs of agent evaluations hold, by task and run by run: the subcommand `logs`.
//!
//! Without a file it reads bundled exchanges, which are made up. A FILE may be a folder of logs. With
//! `--json` there is one object for programs, and where there are several files each run names its own.

use std::{error::Error, path::PathBuf};

use agent_scorecard::logs::{self, Logs, Prices, common_format};
use run_logs::Format;

use crate::{
    files::{
        bundled,
        json_lines::read_by,
        logs::{Contents, formats, open},
    },
    output::{
        form::Forms,
        program::{Written, write_file},
    },
    progress::Progress,
};

/// Shows the runs that logs hold: scores, stop reason, limit, tokens, cost and calls
#[derive(Debug, clap::Args)]
#[command(after_help = FORMAT)]
pub(crate) struct Options {
    /// Logs or folders of logs; without a file, bundled exchanges
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The format of the files; auto goes by their content
    #[arg(long, value_name = "F", default_value = "auto", value_parser = formats())]
    format: Format,
    /// Prices of models, from which runs without a cost in their log get one: JSON, in USD per million tokens
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
    /// Write all runs as CSV too
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    #[command(flatten)]
    forms: Forms,
}

const FORMAT: &str = include_str!("help/logs.txt");

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let Options { files, format, prices, csv, forms } = options;
    let files = bundled::unless(files, &["demo_log.jsonl"]);
    let several = files.len() > 1;
    let (mut logs, mut formats, mut notes) = (Logs::default(), Vec::new(), Vec::new());
    if let Some(path) = &prices {
        logs = logs.with_prices(read_by(path, Prices::read)?);
    }
    for path in &files {
        let mut runs = open(path, format)?;
        let file = path.display().to_string();
        let mut contents = Contents::default();
        let mut progress = Progress::runs(&file);
        while let Some(run) = runs.next() {
            let run = run?;
            progress.add(1);
            contents.add(&run, runs.format());
            logs.update(&run, runs.format(), several.then_some(&file));
        }
        let (format, noted) = contents.finish(&runs);
        formats.push(format);
        let named = |note| if several { format!("{file}: {note}") } else { note };
        notes.extend(noted.into_iter().map(named));
    }
    let report = logs.finish(common_format(formats), notes);
    if let Some(path) = csv {
        write_file(&path, logs::csv(&report).as_bytes())?;
    }
    forms.show(report)
}
