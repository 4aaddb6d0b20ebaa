//! Outputs that would take the place of an input, or of each other.

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::ArgMatches;

use crate::output::{program::destination, trajectories};

/// Options that name a file or folder that is written.
const OUTPUTS: [&str; 5] = ["csv", "html", "plot", "output", "write_pools"];

/// The files of the folder of `run --out` that are read again by the next call.
const KEPT: [&str; 2] = ["answers.jsonl", "runs"];

/// Endings of files that no subcommand reads.
const UNREAD: [&str; 3] = ["html", "svg", "png"];

/// Checks the arguments of a subcommand before anything is read: no output may be the same file as an input or
/// as another output, or a file of a folder that is read.
///
/// # Errors
///
/// A line that names the option.
pub(crate) fn check(arguments: &ArgMatches) -> Result<(), String> {
    let Some((_, mut arguments)) = arguments.subcommand() else { return Ok(()) };
    while let Some((_, inner)) = arguments.subcommand() {
        arguments = inner;
    }
    let (mut inputs, mut outputs, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    for id in arguments.ids().map(clap::Id::as_str) {
        let paths = arguments.try_get_many::<PathBuf>(id).ok().flatten().into_iter().flatten();
        // Some options take a name or a file.
        let names = arguments.try_get_many::<String>(id).ok().flatten().into_iter().flatten();
        for path in paths.map(PathBuf::as_path).chain(names.map(Path::new)) {
            // Pipes and devices keep nothing that could be lost.
            let is_special = fs::metadata(path).is_ok_and(|it| !it.is_file() && !it.is_dir());
            match id {
                _ if is_special => {}
                // Which are no files, whatever they are called.
                "names" => {}
                "out" => kept.extend(KEPT.map(|name| destination(&path.join(name)))),
                id if OUTPUTS.contains(&id) => {
                    outputs.push((id.replace('_', "-"), destination(path)));
                }
                _ => inputs.extend(fs::canonicalize(path)),
            }
        }
    }
    if inputs.iter().any(|input| kept.iter().any(|kept| input.starts_with(kept))) {
        let problem = "its runs and answers are read by this command; give another folder";
        return Err(format!("--out: {problem}"));
    }
    inputs.extend(kept);
    for (at, (option, path)) in outputs.iter().enumerate() {
        let shown = path.display();
        if let Some((other, _)) = outputs[..at].iter().find(|(_, other)| other == path) {
            return Err(format!("--{option}: {shown} is written by --{other} too; give two files"));
        }
        if inputs.iter().any(|input| is_lost(input, path)) {
            return Err(format!("--{option}: {shown} is read by this command; give another file"));
        }
    }
    Ok(())
}

/// Returns whether an input, or a file of a folder that is one, would be lost by writing an output.
fn is_lost(input: &Path, output: &Path) -> bool {
    if output.is_dir() {
        let name = input.file_name().unwrap_or_default().to_string_lossy();
        let is_inside = input.parent() == Some(output) && trajectories::is_numbered(&name);
        return input == output || is_inside;
    }
    let ending = output.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let is_read = output.exists() && !UNREAD.contains(&ending.as_str());
    input == output || is_read && output.starts_with(input)
}
