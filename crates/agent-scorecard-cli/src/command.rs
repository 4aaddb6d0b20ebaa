//! The subcommands.

use std::{error::Error, ffi::OsString, process::ExitCode};

use clap::{CommandFactory, FromArgMatches, Parser, error::ErrorKind};
use clap_complete::Shell;

use crate::{
    budget, compare, convert, costbench, cut_off, games, logs,
    output::{
        overwrites,
        program::{self, Written},
    },
    paths, traces, triage,
};

#[cfg(feature = "client")]
use crate::run as run_benchmark;

/// Scores the runs of agents: confidence traces, tool calls, plans, budgets and evaluation logs
#[derive(Debug, Parser)]
#[command(
    name = "agent-scorecard",
    version,
    args_override_self = true,
    allow_negative_numbers = true,
    disable_help_subcommand = false,
    after_help = "Exit codes: 0; 1 if a condition of --fail-if holds; 2 for wrong input, with one line on \
standard error.\nThe options of a subcommand: agent-scorecard SUBCOMMAND --help. Completions of a shell: agent-scorecard completions bash. Manual page: agent-scorecard man.\nExample: agent-scorecard traces runs.jsonl"
)]
struct Arguments {
    #[command(subcommand)]
    subcommand: Subcommand,
}

#[derive(Debug, clap::Subcommand)]
enum Subcommand {
    Compare(compare::Options),
    Traces(traces::Options),
    CutOff(Box<cut_off::Options>),
    Paths(paths::Options),
    Costbench(costbench::Options),
    Triage(triage::Options),
    Budget(budget::Options),
    Caps(budget::CapsOptions),
    Logs(logs::Options),
    Convert(convert::Options),
    Play(games::PlayOptions),
    #[cfg(feature = "client")]
    Run(Box<run_benchmark::Options>),
    /// Runs a benchmark with a model; not in this program, which was built without the feature client
    #[cfg(not(feature = "client"))]
    Run {
        /// Arguments of the subcommand `run`, which is not part of this build
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
        words: Vec<OsString>,
    },
    /// Prints the completions of a shell: bash, elvish, fish, powershell or zsh
    #[command(after_help = "Example: agent-scorecard completions bash > agent-scorecard.bash")]
    Completions {
        /// Shell that the completions are for
        shell: Shell,
    },
    /// Prints a manual page of the command or of one of its subcommands, in the format that man(1) reads
    #[command(after_help = "Example: agent-scorecard man traces > agent-scorecard-traces.1")]
    Man {
        /// Subcommand that the page describes; by default, the page describes the whole command
        subcommand: Option<String>,
    },
}

/// Runs the command with its arguments. The first argument is the name of the program.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    program::run(|| written(arguments))
}

/// The subcommands, grouped by the input that they need.
const GROUPS: [(&str, &[&str]); 3] = [
    ("Your logs", &["compare", "traces", "cut-off", "paths", "budget", "caps", "logs", "convert"]),
    ("A live model", &["run", "play"]),
    ("The papers", &["triage", "costbench"]),
];

/// Returns the help of the command, with its subcommands in groups.
fn template(command: &clap::Command) -> String {
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (title, names) in GROUPS {
        text += &format!("\n{title}:\n");
        for name in names {
            let about = command.find_subcommand(name).and_then(|it| it.get_about());
            text +=
                &format!("  {name:<10} {}\n", about.map_or_else(String::new, ToString::to_string));
        }
    }
    text + "\nOptions:\n{options}\n{after-help}"
}

/// Returns a subcommand that takes an option again, and negative numbers.
fn lenient(subcommand: clap::Command) -> clap::Command {
    subcommand.args_override_self(true).allow_negative_numbers(true)
}

fn written(arguments: impl IntoIterator<Item = OsString>) -> Result<Written, Box<dyn Error>> {
    let command = Arguments::command();
    let help = template(&command);
    let parsed = command
        .help_template(help)
        .mut_subcommands(|it| lenient(it).mut_subcommands(lenient))
        .try_get_matches_from(arguments)
        .and_then(|matches| Ok((Arguments::from_arg_matches(&matches)?, matches)));
    match parsed {
        Ok((arguments, matches)) => {
            overwrites::check(&matches)?;
            output(arguments.subcommand)
        }
        Err(error) => refusal(&error),
    }
}

fn output(subcommand: Subcommand) -> Result<Written, Box<dyn Error>> {
    match subcommand {
        Subcommand::Compare(options) => compare::output(options),
        Subcommand::Traces(options) => traces::output(options),
        Subcommand::CutOff(options) => cut_off::output(*options),
        Subcommand::Paths(options) => paths::output(options),
        Subcommand::Costbench(options) => costbench::output(options),
        Subcommand::Triage(options) => triage::output(options),
        Subcommand::Budget(options) => budget::output(options),
        Subcommand::Caps(options) => budget::caps_output(options),
        Subcommand::Logs(options) => logs::output(options),
        Subcommand::Convert(options) => convert::output(options),
        Subcommand::Play(options) => games::output(options),
        #[cfg(feature = "client")]
        Subcommand::Run(options) => options.output(),
        #[cfg(not(feature = "client"))]
        Subcommand::Run { words } => Err(format!(
            "run {}: this program was built without its feature client; build it with --features client",
            words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
        )
        .into()),
        Subcommand::Completions { shell } => completions(shell),
        Subcommand::Man { subcommand } => manual_page(subcommand.as_deref()),
    }
}

fn completions(shell: Shell) -> Result<Written, Box<dyn Error>> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "agent-scorecard", &mut script);
    Ok(String::from_utf8(script)?.into())
}

fn manual_page(subcommand: Option<&str>) -> Result<Written, Box<dyn Error>> {
    let mut command = Arguments::command();
    command.build();
    if let Some(name) = subcommand {
        let known = command.find_subcommand(name).cloned();
        command = known.ok_or_else(|| {
            format!("man {name}: no such subcommand; agent-scorecard --help lists them")
        })?;
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    // The lines after the options are tables and examples, which must not be filled.
    let page = String::from_utf8(page)?.replacen(".SH EXTRA\n", ".SH DETAILS\n.nf\n", 1);
    Ok(page.into())
}

/// Returns the help or the version if one was asked for, otherwise clap's error on one line, without its usage.
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
