//! The subcommands by name.

use std::{error::Error, ffi::OsString, process::ExitCode};

use crate::{
    budget, calibration, costbench, cut_off, demo, logs, output::program, paths,
    report::files::ReportFiles, traces, triage,
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
        let (known, command) = found.ok_or_else(|| format!("no subcommand {name:?}"))?;
        with_report(known, *command, arguments.collect())
    })
}

/// The output of a subcommand, after the page and the picture that were asked for have been written.
fn with_report(
    name: &str,
    command: Command,
    mut arguments: Vec<OsString>,
) -> Result<String, Box<dyn Error>> {
    let files = ReportFiles::taken(&mut arguments)?;
    if files.is_empty() || arguments.iter().any(|word| word == "--help" || word == "-h") {
        return command(arguments);
    }
    let is_json = arguments.iter().any(|word| word == "--json");
    let mut for_json = arguments.clone();
    if !is_json {
        for_json.push("--json".into());
    }
    if name == "traces" {
        for_json.push("--curves".into());
    }
    let json = command(for_json)?;
    for (path, content) in files.contents(name, &json)? {
        program::write_file(path, &content)?;
    }
    if is_json { Ok(json) } else { command(ReportFiles::without_figure_options(arguments)) }
}
