//! JSON Lines, with errors that name file, line and field.

use std::{borrow::Cow, fmt, path::Path};

use serde::de::DeserializeOwned;
use trajectory_metrics::distinct_keys::repeated_key;

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
    parse(line).map_err(|error| at_line(path, number, error))
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
        let repaired = repair(line).and_then(|line| parse::<U>(&line).ok());
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
    let mut lines = Vec::new();
    for (i, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        if !line.trim_ascii().is_empty() {
            let number = i + 1;
            lines.push(Line { number, value: read_line(path, number, line)? });
        }
    }
    if lines.is_empty() { Err(no_line(path)) } else { Ok(lines) }
}

/// The field, if the error is of one, and the problem.
type LineError = (Option<String>, String);

fn at_line(path: &Path, number: usize, (field, problem): LineError) -> InputError {
    InputError { file: path.display().to_string(), line: Some(number), field, problem }
}

/// The error for a file without a line.
pub(crate) fn no_line(path: &Path) -> InputError {
    whole(path, "is empty; give one JSON object per line".to_owned())
}

fn parse<T: DeserializeOwned>(line: &[u8]) -> Result<T, LineError> {
    // A list of the right values would pass for the object.
    if !line.trim_ascii_start().starts_with(b"{") {
        return Err((None, "is not a JSON object; give one object per line".to_owned()));
    }
    let mut deserializer = serde_json::Deserializer::from_slice(line);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let refused = error.inner();
        let word = word_at(line, refused.column()).filter(|_| refused.is_syntax());
        if refused.is_eof() {
            (field_of(&error), "the line is cut off; give a whole JSON object".to_owned())
        } else if let Some(word) = word {
            (field_of(&error), format!("{word} is not JSON; give null for what is missing"))
        } else {
            let (_, field, problem) = describe(line, error);
            (field, problem)
        }
    })?;
    deserializer.end().map_err(|_| (None, "goes on after the end of its JSON value".to_owned()))?;
    check_keys(line).map_err(|(_, field, problem)| (field, problem))?;
    Ok(value)
}

/// What is wrong with a key that occurs twice in its object.
const DUPLICATE: &str = "duplicate; give each key once";

/// Checks that no key of a JSON text occurs twice in its object. The error holds the line, the path to
/// the key and the problem.
pub(crate) fn check_keys(json: &[u8]) -> Result<(), (usize, Option<String>, String)> {
    repeated_key(json).map_or(Ok(()), |(path, offset)| {
        let lines = json[..offset].iter().filter(|&&byte| byte == b'\n').count();
        Err((lines + 1, Some(path), DUPLICATE.to_owned()))
    })
}

/// The word at a column, from 1, if it is one by which other languages write that there is no number.
fn word_at(line: &[u8], column: usize) -> Option<&str> {
    let at = column.checked_sub(1)?;
    let is_word = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'-';
    let start = line.get(..at)?.iter().rposition(|byte| !is_word(byte)).map_or(0, |end| end + 1);
    let length = line[start..].iter().take_while(|&byte| is_word(byte)).count();
    let word = str::from_utf8(&line[start..start + length]).ok()?;
    let known = ["nan", "inf", "infinity", "none", "undefined"];
    let lower = word.trim_start_matches('-').to_ascii_lowercase();
    known.contains(&lower.as_str()).then_some(word)
}

/// The line in `json`, the field and the problem of what serde refused there, in serde's words. A key that
/// occurs twice is told first: what was read of it may be what is refused.
pub(crate) fn describe(
    json: &[u8],
    error: serde_path_to_error::Error<serde_json::Error>,
) -> (usize, Option<String>, String) {
    if let Err(repeated) = check_keys(json) {
        return repeated;
    }
    let field = field_of(&error);
    let inner = error.into_inner();
    // The caller names the line, and the column only matters where the text is not JSON.
    let place = format!(" at line {} column {}", inner.line(), inner.column());
    let problem = inner.to_string();
    let words = problem.strip_suffix(&place).unwrap_or(&problem);
    let column =
        if inner.is_syntax() { format!(" at column {}", inner.column()) } else { String::new() };
    (inner.line(), field, format!("{words}{column}"))
}

/// The path to what was refused; `None` for the whole object.
fn field_of(error: &serde_path_to_error::Error<serde_json::Error>) -> Option<String> {
    Some(error.path().to_string()).filter(|path| path != "." && path != "?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_a_repeated_key_is_that_of_the_second_occurrence() {
        let refused = check_keys(b"{\"a\": 1,\n \"a\": 2}");
        assert_eq!(refused, Err((2, Some("a".to_owned()), DUPLICATE.to_owned())));
    }
}
