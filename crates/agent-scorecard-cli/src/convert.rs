//! Converts logs to files of the other subcommands, or to trajectories in ATIF: the subcommand `convert`.

use std::{
    collections::BTreeSet,
    error::Error,
    path::{Path, PathBuf},
};

use agent_scorecard::{convert, options::names};
use clap::ValueEnum;
use run_logs::{ForecastPolicy, Format, Run, to_atif};
use serde_json::Value;

use crate::{
    files::{
        bundled,
        logs::{OUTCOMES, Streamed, open},
    },
    output::{
        overwrites::Output,
        program::{self, Written},
    },
    plain, progress,
};

/// Converts a log, or a folder of logs, to a file that another subcommand reads, or to ATIF
#[derive(Debug, clap::Args)]
#[command(after_help = [HELP, OUTCOMES].concat())]
pub(crate) struct Options {
    /// Log or folder of logs. Without this argument, a bundled example log is used
    #[arg(value_name = "LOG")]
    log: Option<PathBuf>,
    /// Kind of file to write
    #[arg(long, value_name = "KIND", value_enum)]
    to: Kind,
    /// Output file; for atif, a folder that gets one file per run. Without this option, the result is written to
    /// standard output
    #[arg(long, value_name = "FILE")]
    output: Option<Output>,
    #[command(flatten)]
    read: Streamed,
    /// Convert only the runs of this model; required with --to traces, rollouts or problems if a log has several models
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Format of the log; auto detects it from the content
    #[arg(long, value_name = "F", default_value = "auto", value_parser = names::<Format>())]
    format: Format,
}

const HELP: &str = include_str!("help/convert.txt");

/// The output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    Traces,
    Rollouts,
    Paths,
    Problems,
    Atif,
    Otel,
}

impl Kind {
    /// Returns the part that a run needs in order to be converted.
    fn needs(self) -> &'static str {
        match self {
            Self::Traces => "the stream of confidence",
            Self::Rollouts => "an outcome or a turn",
            Self::Paths => "an outcome or calls that the task expects",
            Self::Problems => "an outcome or a count of output tokens",
            Self::Atif | Self::Otel => "nothing",
        }
    }
}

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let log = options.log.clone().unwrap_or_else(|| bundled::path("demo_log.jsonl"));
    let mut all = open(&log, options.format, &options.read.judging)?;
    let bar = progress::runs(&log.display().to_string(), all.progress());
    let read = std::iter::from_fn(|| {
        let run = all.next()?;
        progress::next_run(&bar, all.progress());
        Some(run)
    });
    let runs = read.filter(|run| match (run, &options.model) {
        (Ok(run), Some(model)) => run.model.as_ref() == Some(model),
        _ => true,
    });
    if options.to == Kind::Atif {
        if options.read.judging.has_outcomes() {
            let problem = "trajectories contain only what the log says; give the outcomes to the command that reads the trajectories";
            return Err(format!("--outcomes: {problem}").into());
        }
        return atif(runs, options.output.as_deref());
    }
    let (lines, n) = lines(&log, runs, &options)?;
    let kept = lines.iter().filter(|line| line.get("left_out").is_none()).count();
    let needs = options.to.needs();
    if kept == 0 {
        let log = log.display();
        return Err(format!("{log}: no run can be converted, because all lack {needs}").into());
    }
    let text = plain::json(lines.iter().map(|line| format!("{line}\n")).collect());
    let mut written = match &options.output {
        None => Written::from(text),
        Some(path) => {
            program::write_file(path, text.as_bytes())?;
            Written::from(wrote(kept, path))
        }
    };
    if kept < n {
        let left_out = n - kept;
        let counted = match options.to {
            Kind::Problems => "",
            _ => "; their lines give the reason, and reports count them",
        };
        let remark = format!("{left_out} of {n} runs lack {needs} and are left out{counted}");
        written.remarks.push(remark);
    }
    written.remarks.extend(options.read.judging.notes());
    Ok(written)
}

fn wrote(runs: usize, to: &Path) -> String {
    format!("wrote {runs} runs to {}\n", plain::line(&to.display().to_string()))
}

/// Returns one trajectory per run: as text if there is only one, otherwise as the files of a folder. Nothing is written
/// before all runs are read.
fn atif(
    runs: impl Iterator<Item = Result<Run, run_logs::Error>>,
    folder: Option<&Path>,
) -> Result<Written, Box<dyn Error>> {
    let texts = runs.map(|run| run.map(|run| (plain::json(to_atif(&run)), run.id)));
    let texts: Vec<(String, String)> = texts.collect::<Result<_, _>>()?;
    match (folder, &texts[..]) {
        (Some(folder), _) => {
            let n = program::write_trajectories(
                folder,
                texts.into_iter().map(|(text, id)| (id, text)),
            )?;
            Ok(wrote(n, folder).into())
        }
        (None, [(text, _)]) => Ok((text.clone() + "\n").into()),
        (None, _) => {
            let problem = "give --output FOLDER for the trajectories of";
            Err(format!("--to atif: {problem} {} runs", texts.len()).into())
        }
    }
}

/// Returns the lines of a log, and the number of its runs. Each run that can be converted has a line. Except for
/// problems, each excluded run has a line with the reason. Only one run is in memory at a time.
fn lines(
    log: &Path,
    runs: impl Iterator<Item = Result<Run, run_logs::Error>>,
    options: &Options,
) -> Result<(Vec<Value>, usize), Box<dyn Error>> {
    let table = options.read.judging.table(log, runs)?;
    let rows = table.rows();
    if let (0, Some(model)) = (rows.len(), &options.model) {
        return Err(format!("{}: no run is of the model {model:?}", log.display()).into());
    }
    let models: BTreeSet<&str> = rows.iter().filter_map(|row| row.model.as_deref()).collect();
    if models.len() > 1 && !matches!(options.to, Kind::Paths | Kind::Otel) {
        // Their lines name no model, and the next report would take them for one.
        let (log, n, names) = (log.display(), models.len(), Vec::from_iter(models).join(", "));
        return Err(format!(
            "{log}: the runs are of {n} models; choose one of them with --model: {names}"
        )
        .into());
    }
    let lines = match options.to {
        Kind::Traces => {
            let missing = options.read.missing.unwrap_or(ForecastPolicy::LeaveOut);
            convert::traces(&table, options.read.stream, missing)?
        }
        Kind::Rollouts => convert::rollouts(&table),
        Kind::Problems => convert::problems(&table),
        Kind::Otel => convert::otel(&table),
        Kind::Paths | Kind::Atif => convert::paths(&table),
    };
    Ok((lines, rows.len()))
}
