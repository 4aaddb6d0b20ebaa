//! JSON Lines, with errors that name file, line and field.

use std::{borrow::Cow, fmt, path::Path};

use run_logs::{Error, json_lines};
use serde::de::DeserializeOwned;

use crate::files::bundled;

/// Where an input is wrong, and how.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub struct InputError {
    /// The file as named by the caller.
    pub file: String,
    /// The line, from 1; `None` where the file as a whole is wrong.
    pub line: Option<usize>,
    /// The field, as `forecasts[3]`; `None` where the line is not JSON at all.
    pub field: Option<String>,
    /// What is wrong.
    pub problem: String,
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(field) = &self.field {
            write!(f, ": field {field}")?;
        }
        write!(f, ": {}", self.problem)
    }
}

/// One value and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Line<T> {
    /// The line's number, from 1.
    pub number: usize,
    /// What it holds.
    pub value: T,
}

/// Reads every line of a file. Blank lines hold nothing and are passed over.
///
/// # Errors
///
/// [`InputError`] for a file that cannot be read, for the first line that does not hold a `T`, and
/// for a file without any.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<Vec<Line<T>>, InputError> {
    parse_all(path, &bytes(path)?)
}

/// The value of one line.
///
/// # Errors
///
/// [`InputError`] that names the line and the field.
pub(crate) fn read_line<T: DeserializeOwned>(
    path: &Path,
    number: usize,
    line: &[u8],
) -> Result<T, InputError> {
    json_lines::line(number as u64, line).map_err(in_file(path))
}

/// As [`read_line`], but a line that does not hold a `T` is read once more, as a `U`, after a repair. If it
/// holds no `U` either, the error is that of the line as it stands.
pub(crate) fn read_repaired_line<T, U>(
    path: &Path,
    number: usize,
    line: &[u8],
    repair: impl Fn(&[u8]) -> Option<Vec<u8>>,
) -> Result<T, InputError>
where
    T: DeserializeOwned + From<U>,
    U: DeserializeOwned,
{
    read_line(path, number, line).or_else(|error| {
        let repaired = repair(line).and_then(|line| read_line::<U>(path, number, &line).ok());
        repaired.map(T::from).ok_or(error)
    })
}

/// The bytes of a file, which is read once and so may be a pipe. A UTF-8 byte-order mark in front is
/// left out. Every reader of this package takes its bytes from here.
pub(crate) fn bytes(path: &Path) -> Result<Cow<'static, [u8]>, InputError> {
    let bytes = bundled::bytes(path).map_err(|error| whole(path, error.to_string()))?;
    Ok(match bytes {
        Cow::Owned(mut bytes) if bytes.starts_with(MARK) => {
            bytes.drain(..MARK.len());
            Cow::Owned(bytes)
        }
        bytes => bytes,
    })
}

/// The UTF-8 byte-order mark.
const MARK: &[u8] = b"\xef\xbb\xbf";

pub(crate) fn whole(path: &Path, problem: String) -> InputError {
    InputError { file: path.display().to_string(), line: None, field: None, problem }
}

/// As [`read`], of bytes that are there already.
pub(crate) fn parse_all<T: DeserializeOwned>(
    path: &Path,
    bytes: &[u8],
) -> Result<Vec<Line<T>>, InputError> {
    let lines = json_lines::read(bytes).map_err(in_file(path))?;
    let line = |line: json_lines::Line<T>| Line { number: line.number as usize, value: line.value };
    Ok(lines.into_iter().map(line).collect())
}

/// An error of a reader as one of this file.
pub(crate) fn in_file(path: &Path) -> impl Fn(Error) -> InputError + '_ {
    |error| match error {
        Error::Invalid { place, problem } => InputError {
            file: path.display().to_string(),
            line: place.line.map(|line| line as usize),
            field: Some(place.field).filter(|field| !field.is_empty()),
            problem: problem.to_string(),
        },
        other => whole(path, other.to_string()),
    }
}

/// The error for a file without a line.
pub(crate) fn no_line(path: &Path) -> InputError {
    whole(path, "is empty; give one JSON object per line".to_owned())
}
