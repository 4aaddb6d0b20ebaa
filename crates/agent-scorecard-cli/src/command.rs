//! The subcommands.

use std::{error::Error, ffi::OsString, process::ExitCode};

use clap::{CommandFactory, FromArgMatches, Parser, error::ErrorKind};
use clap_complete::Shell;

#[cfg(feature = "client")]
use crate::run as run_benchmark;
use crate::{
    budget, calibration, compare, convert, costbench, costbench_sweep, cut_off, knapsack, logs,
    output::{
        outputs,
        program::{self, Written},
    },
    paths, play, re_solved, rooms, traces, triage, triage_variants,
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
    Compare(compare::Options),
    Traces(traces::Options),
    Calibration(calibration::Options),
    CutOff(cut_off::Options),
    Paths(paths::Options),
    Costbench(costbench::Options),
    CostbenchSweep(costbench_sweep::Options),
    Triage(triage::Options),
    TriageVariants(triage_variants::Options),
    ReSolved(re_solved::Options),
    Knapsack(knapsack::Options),
    Budget(budget::Options),
    Logs(logs::Options),
    Convert(convert::Options),
    Play(play::Options),
    Rooms(rooms::Options),
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
        Subcommand::Compare(options) => compare::output(options),
        Subcommand::Traces(options) => traces::output(options),
        Subcommand::Calibration(options) => calibration::output(options),
        Subcommand::CutOff(options) => cut_off::output(options),
        Subcommand::Paths(options) => paths::output(options),
        Subcommand::Costbench(options) => costbench::output(options),
        Subcommand::CostbenchSweep(options) => costbench_sweep::output(options),
        Subcommand::Triage(options) => triage::output(options),
        Subcommand::TriageVariants(options) => triage_variants::output(options),
        Subcommand::ReSolved(options) => re_solved::output(options),
        Subcommand::Knapsack(options) => knapsack::output(options),
        Subcommand::Budget(options) => budget::output(options),
        Subcommand::Logs(options) => logs::output(options),
        Subcommand::Convert(options) => convert::output(options),
        Subcommand::Play(options) => play::output(options),
        Subcommand::Rooms(options) => rooms::output(options),
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

/// The help or the version if one was asked for, otherwise clap's error on one line, without its usage.
fn refusal(error: &clap::Error) -> Result<Written, Box<dyn Error>> {
    let text = match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => return Ok(error.to_string().into()),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => "give a subcommand".to_owned(),
        _ => error.to_string(),
    };
    let is_usage = |part: &&str| ["Usage:", "For more"].iter().any(|word| part.starts_with(word));
    let parts = text.trim_start_matches("error: ").split("\n\n").map(str::trim);
    let parts = parts.filter(|part| !is_usage(part)).chain(["--help lists the options"]);
    let lines = parts.map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    Err(lines.collect::<Vec<_>>().join("; ").into())
}
