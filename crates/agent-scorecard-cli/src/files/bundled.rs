//! Data that comes with the program: it is part of the binary, so that an installed program has it.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use crate::progress::Counted;

/// The folder that bundled files are named under.
const FOLDER: &str = "bundled:";

macro_rules! files {
    ($($name:literal)*) => {
        [$(($name, include_bytes!(concat!("../../data/", $name)))),*]
    };
}

/// The bundled files by name.
const FILES: [(&str, &[u8]); 9] = files![
    "demo_alpha.jsonl"
    "demo_beta.jsonl"
    "demo_constant.jsonl"
    "demo_log.jsonl"
    "demo_overconfident.jsonl"
    "demo_problems.jsonl"
    "demo_rollouts.jsonl"
    "demo_tool_calls.jsonl"
    "demo_truthful.jsonl"
];

/// Returns the path by which a bundled file is read, such as `bundled:/demo_log.jsonl`.
pub(crate) fn path(name: &str) -> PathBuf {
    Path::new(FOLDER).join(name)
}

/// Returns the content of a bundled file; `None` for every other path.
pub(crate) fn content(path: &Path) -> Option<&'static [u8]> {
    let name = path.strip_prefix(FOLDER).ok()?;
    FILES.iter().find(|(known, _)| name == Path::new(known)).map(|&(_, content)| content)
}

/// Opens a file, bundled or not.
pub(crate) fn open(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    match content(path) {
        Some(content) => Ok(Box::new(content)),
        None if path.extension().is_some_and(|it| it.eq_ignore_ascii_case("parquet")) => {
            let problem = "Parquet is read as a data frame in Python (agent_scorecard.reports) or in SQL; give CSV or JSON Lines";
            Err(io::Error::new(io::ErrorKind::Unsupported, problem))
        }
        None => Ok(Box::new(read(path)?)),
    }
}

/// Returns a file of the file system, with a bar that shows how much of it is read.
fn read(path: &Path) -> io::Result<Counted<fs::File>> {
    let file = run_logs::open_file(path)?;
    let length = file.metadata()?;
    let length = length.is_file().then_some(length.len());
    Ok(Counted::new(&path.display().to_string(), length, file))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_path_beside_the_bundled_files_is_one_of_the_file_system() {
        assert_eq!(content(Path::new("demo_log.jsonl")), None);
        let missing = open(&path("other.jsonl")).err().unwrap();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }
}
