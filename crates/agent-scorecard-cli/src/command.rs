//! The subcommands.

use std::{error::Error, ffi::OsString, process::ExitCode};

use agent_scorecard::Report;
use clap::{
    CommandFactory, FromArgMatches, Parser,
    error::{ContextKind, ContextValue, ErrorKind},
};
use clap_complete::Shell;

#[cfg(feature = "client")]
use crate::run as run_benchmark;
use crate::{
    budget, calibration, convert, costbench, costbench_sweep, cut_off, knapsack, logs,
    output::{
        outputs,
        program::{self, Written},
    },
    paths, re_solved, traces, triage, triage_variants,
};

/// Scores the runs of agents: confidence traces, tool calls, plans, budgets and evaluation logs
#[derive(Debug, Parser)]
#[command(
    name = "agent-scorecard",
    version,
    args_override_self = true,
    allow_negative_numbers = true,
    disable_help_subcommand = false,
    after_help = "Exit codes: 0; 1 if a condition of --fail-if holds; 2 for wrong input, with one line on \
standard error.\nExample: agent-scorecard traces runs.jsonl"
)]
struct Arguments {
    #[command(subcommand)]
    subcommand: Subcommand,
}

#[derive(Debug, clap::Subcommand)]
enum Subcommand {
    Traces(traces::options::Options),
    Calibration(calibration::options::Options),
    CutOff(cut_off::options::Options),
    Paths(paths::options::Options),
    Costbench(costbench::options::Options),
    CostbenchSweep(costbench_sweep::Options),
    Triage(triage::options::Options),
    TriageVariants(triage_variants::Options),
    ReSolved(re_solved::Options),
    Knapsack(knapsack::Options),
    Budget(budget::options::Options),
    Logs(logs::options::Options),
    Convert(convert::options::Options),
    #[cfg(feature = "client")]
    Run(Box<run_benchmark::options::Options>),
    /// Runs a benchmark with a model; not in this program, which was built without the feature client
    #[cfg(not(feature = "client"))]
    Run {
        /// What a program with the feature takes
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
        words: Vec<OsString>,
    },
    /// Prints the completions of a shell: bash, elvish, fish, powershell or zsh
    #[command(after_help = "Example: agent-scorecard completions bash > agent-scorecard.bash")]
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// Runs the command with its arguments, the first of which is the name of the program.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    program::run(|| written(arguments))
}

/// The report that the command makes for these arguments, the first of which is the name of the program.
///
/// # Errors
///
/// The line that the command writes to standard error, for wrong arguments and files; also for a
/// subcommand that makes no report.
pub fn report(arguments: impl IntoIterator<Item = OsString>) -> Result<Report, String> {
    let written = written(arguments).map_err(|error| program::with_causes(&*error))?;
    written.report.ok_or_else(|| "this subcommand makes no report".to_owned())
}

/// A subcommand that takes an option again, and negative numbers.
fn lenient(subcommand: clap::Command) -> clap::Command {
    subcommand.args_override_self(true).allow_negative_numbers(true)
}

fn written(arguments: impl IntoIterator<Item = OsString>) -> Result<Written, Box<dyn Error>> {
    let parsed = Arguments::command()
        .mut_subcommands(|it| lenient(it).mut_subcommands(lenient))
        .try_get_matches_from(arguments)
        .and_then(|matches| Ok((Arguments::from_arg_matches(&matches)?, matches)));
    match parsed {
        Ok((arguments, matches)) => {
            outputs::check(&matches)?;
            output(arguments.subcommand)
        }
        Err(error) => refusal(&error),
    }
}

fn output(subcommand: Subcommand) -> Result<Written, Box<dyn Error>> {
    match subcommand {
        Subcommand::Traces(options) => traces::command::output(options),
        Subcommand::Calibration(options) => calibration::command::output(options),
        Subcommand::CutOff(options) => cut_off::command::output(options),
        Subcommand::Paths(options) => paths::command::output(options),
        Subcommand::Costbench(options) => costbench::command::output(options),
        Subcommand::CostbenchSweep(options) => costbench_sweep::output(options),
        Subcommand::Triage(options) => triage::command::output(options),
        Subcommand::TriageVariants(options) => triage_variants::output(options),
        Subcommand::ReSolved(options) => re_solved::output(options),
        Subcommand::Knapsack(options) => knapsack::output(options),
        Subcommand::Budget(options) => budget::command::output(options),
        Subcommand::Logs(options) => logs::command::output(options),
        Subcommand::Convert(options) => convert::command::output(options),
        #[cfg(feature = "client")]
        Subcommand::Run(options) => options.output(),
        #[cfg(not(feature = "client"))]
        Subcommand::Run { words } => Err(format!(
            "run {}: this program was built without its feature client; build it with --features client",
            words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
        )
        .into()),
        Subcommand::Completions { shell } => completions(shell),
    }
}

fn completions(shell: Shell) -> Result<Written, Box<dyn Error>> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "agent-scorecard", &mut script);
    Ok(String::from_utf8(script)?.into())
}

/// The nearest name that exists, or only the punctuation if none is near.
fn suggestion(error: &clap::Error, kind: ContextKind) -> String {
    let name = match error.get(kind) {
        Some(ContextValue::String(name)) => Some(name),
        Some(ContextValue::Strings(names)) => names.last(),
        _ => None,
    };
    name.map_or_else(|| ";".to_owned(), |name| format!("; did you mean '{name}'?"))
}

/// The help or the version if one was asked for, otherwise an error of one line.
fn refusal(error: &clap::Error) -> Result<Written, Box<dyn Error>> {
    let context = |kind| error.get(kind).map(ToString::to_string).unwrap_or_default();
    let argument = context(ContextKind::InvalidArg);
    // `--seed <N>` is the option `--seed`.
    let option = argument.split([' ', '=']).next().unwrap_or_default();
    let value = context(ContextKind::InvalidValue);
    let line = match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => return Ok(error.to_string().into()),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            "give a subcommand; --help lists them".to_owned()
        }
        ErrorKind::InvalidSubcommand => {
            let name = context(ContextKind::InvalidSubcommand);
            let meant = suggestion(error, ContextKind::SuggestedSubcommand);
            format!("there is no subcommand {name:?}{meant} --help lists them")
        }
        ErrorKind::ValueValidation => {
            let problem = Error::source(error).map(ToString::to_string).unwrap_or_default();
            format!("{option}: cannot read {value:?}: {problem}")
        }
        ErrorKind::InvalidValue => {
            let kinds = match error.get(ContextKind::ValidValue) {
                Some(ContextValue::Strings(kinds)) => kinds.join(", "),
                _ => String::new(),
            };
            let form = argument.trim_start_matches(option).trim_matches([' ', '=', '<', '>', '.']);
            match (value.as_str(), kinds.as_str()) {
                ("", "") => format!("{option}: its value is missing; give {option} {form}"),
                ("", kinds) => format!("{option}: its value is missing; give one of {kinds}"),
                (value, kinds) => format!("{option}: there is no {value:?}; give one of {kinds}"),
            }
        }
        ErrorKind::UnknownArgument if argument.starts_with('-') => {
            let meant = suggestion(error, ContextKind::SuggestedArg);
            format!("invalid option '{argument}'{meant} --help lists the options")
        }
        ErrorKind::UnknownArgument => {
            format!("unexpected argument {argument:?}; --help lists the options")
        }
        ErrorKind::MissingRequiredArgument => {
            format!("{argument} is missing; --help says what it is")
        }
        _ => {
            let text = error.to_string();
            let lines: Vec<&str> = text.lines().map(str::trim).collect();
            let until = lines.iter().position(|line| line.is_empty()).unwrap_or(lines.len());
            let line = lines[..until].join(" ");
            format!("{}; --help lists the options", line.trim_start_matches("error: "))
        }
    };
    Err(line.into())
}
