//! Access to files by path, including bundled files. Bundled files are part of the binary, so that an installed program
//! has them.

use std::{
    borrow::Cow,
    io::{self, Read},
    path::{Path, PathBuf},
};

use run_logs::json_lines::{self, InputError};

use crate::progress;

/// The name of the virtual folder of bundled files.
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

/// Returns the path of a bundled file, such as `bundled:/demo_log.jsonl`.
pub(crate) fn path(name: &str) -> PathBuf {
    Path::new(FOLDER).join(name)
}

/// Returns the content of a bundled file; `None` for every other path.
pub(crate) fn content(path: &Path) -> Option<&'static [u8]> {
    let name = path.strip_prefix(FOLDER).ok()?;
    FILES.iter().find(|(known, _)| name == Path::new(known)).map(|&(_, content)| content)
}

/// Opens a file, bundled or not. It is read only once, so that it may be a pipe.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Read + Send>, InputError> {
    let name = path.display().to_string();
    if let Some(content) = content(path) {
        return Ok(Box::new(content));
    }
    if path.extension().is_some_and(|it| it.eq_ignore_ascii_case("parquet")) {
        let problem = "Parquet is read as a data frame in Python (agent_scorecard.reports) or in SQL; give CSV or JSON Lines";
        return Err(InputError::of_file(&name, problem.to_owned()));
    }
    let opened = || {
        let file = run_logs::open_file(path)?;
        let found = file.metadata()?;
        let length = found.is_file().then_some(found.len());
        Ok(progress::reading(&name, length, file))
    };
    let opened = opened().map_err(|error: io::Error| InputError::of_file(&name, error.to_string()));
    Ok(Box::new(opened?))
}

/// Returns the bytes of a file. A UTF-8 byte-order mark in front is left out.
pub(crate) fn bytes(path: &Path) -> Result<Cow<'static, [u8]>, InputError> {
    match content(path) {
        Some(content) => Ok(Cow::Borrowed(content)),
        None => Ok(Cow::Owned(json_lines::bytes(&path.display().to_string(), open(path)?)?)),
    }
}

/// Returns the text of a file, as [`bytes`].
pub(crate) fn text(path: &Path) -> Result<String, InputError> {
    String::from_utf8(bytes(path)?.into_owned()).map_err(|error| {
        InputError::of_file(&path.display().to_string(), format!("it is not UTF-8: {error}"))
    })
}
