//! Checks that no output overwrites an input or another output.

use std::{
    fs,
    ops::Deref,
    path::{Path, PathBuf},
};

use clap::{
    ArgMatches,
    builder::{MapValueParser, PathBufValueParser, TypedValueParser, ValueParserFactory},
};

use crate::{
    files::source::Source,
    output::program::{self, destination},
};

/// A file or folder that an option names and that is written.
#[derive(Clone, Debug)]
pub(crate) struct Output(PathBuf);

impl From<PathBuf> for Output {
    fn from(path: PathBuf) -> Self {
        Self(path)
    }
}

// As for a `PathBuf`, so that an empty path is refused.
impl ValueParserFactory for Output {
    type Parser = MapValueParser<PathBufValueParser, fn(PathBuf) -> Self>;

    fn value_parser() -> Self::Parser {
        PathBufValueParser::new().map(Self)
    }
}

impl Deref for Output {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

/// The files in the folder of `run --out` that the next call reads again.
const KEPT: [&str; 2] = ["answers.jsonl", "runs"];

/// The extensions of files that no subcommand reads.
const UNREAD: [&str; 3] = ["html", "svg", "png"];

/// Checks the arguments of a subcommand before anything is read. An output may not be the same file as an input or
/// another output, nor a file in an input folder.
///
/// # Errors
///
/// A line that names the option.
pub(crate) fn check(arguments: &ArgMatches) -> Result<(), String> {
    let Some((_, mut arguments)) = arguments.subcommand() else { return Ok(()) };
    while let Some((_, inner)) = arguments.subcommand() {
        arguments = inner;
    }
    // Pipes and devices keep nothing that could be lost.
    let is_kept = |path: &&Path| fs::metadata(path).map_or(true, |it| it.is_file() || it.is_dir());
    let (mut inputs, mut outputs, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    for id in arguments.ids().map(clap::Id::as_str) {
        let written = arguments.try_get_many::<Output>(id).ok().flatten().into_iter().flatten();
        let written = written.map(Deref::deref).filter(is_kept);
        outputs.extend(written.map(|path| (id.replace('_', "-"), destination(path))));
        let paths = arguments.try_get_many::<PathBuf>(id).ok().flatten().into_iter().flatten();
        let sources = arguments.try_get_many::<Source>(id).ok().flatten().into_iter().flatten();
        let read = paths.map(PathBuf::as_path).chain(sources.map(Source::path));
        for path in read.filter(is_kept) {
            match id {
                "out" => kept.extend(KEPT.map(|name| destination(&path.join(name)))),
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
        let is_inside = input.parent() == Some(output) && program::is_numbered(&name);
        return input == output || is_inside;
    }
    let ending = output.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let is_read = output.exists() && !UNREAD.contains(&ending.as_str());
    input == output || is_read && output.starts_with(input)
}
