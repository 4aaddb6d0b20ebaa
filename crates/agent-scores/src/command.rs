//! The subcommands by name.

use std::{error::Error, ffi::OsString, process::ExitCode};

use crate::{
    budget, calibration, costbench, cut_off, demo, logs, output::program, paths, traces, triage,
};

type Command = fn(Vec<OsString>) -> Result<String, Box<dyn Error>>;

const COMMANDS: [(&str, Command); 9] = [
    ("traces", traces::command::output),
    ("calibration", calibration::command::output),
    ("cut-off", cut_off::command::output),
    ("paths", paths::command::output),
    ("costbench", costbench::command::output),
    ("triage", triage::command::output),
    ("budget", budget::command::output),
    ("logs", logs::command::output),
    ("demo-data", demo::command::output),
];

/// Runs the command with its arguments, the first of which is the name of the program.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut arguments = arguments.into_iter().skip(1);
    program::run(|| {
        let name = arguments.next().ok_or("give a subcommand")?;
        let found = COMMANDS.iter().find(|(known, _)| name == *known);
        let (_, command) = found.ok_or_else(|| format!("no subcommand {name:?}"))?;
        command(arguments.collect())
    })
}
