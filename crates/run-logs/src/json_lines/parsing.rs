use std::{borrow::Cow, fmt, io::Read, sync::LazyLock};

use regex_lite::{Captures, Regex};
use serde::{Deserialize, de::DeserializeOwned};
use trajectory_metrics::distinct_keys::repeated_key;

/// The location of a problem in an input, and its description.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct InputError {
    /// The file as named by the caller.
    pub file: String,
    /// The line, from 1; `None` if the file as a whole is wrong.
    pub line: Option<usize>,
    /// The field, such as `forecasts[3]`; `None` if the line is not JSON at all.
    pub field: Option<String>,
    /// The problem.
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

impl InputError {
    /// Returns an error about a file as a whole.
    #[must_use]
    pub fn of_file(file: &str, problem: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line: None, field: None, problem: problem.into() }
    }

    /// Returns an error about a field of a line.
    #[must_use]
    pub fn of_field(file: &str, line: usize, field: &str, problem: impl Into<String>) -> Self {
        let field = Some(field.to_owned());
        Self { line: Some(line), field, ..Self::of_file(file, problem) }
    }

    /// Returns the error for a file without a line.
    pub(crate) fn of_empty(file: &str) -> Self {
        Self::of_file(file, "is empty; give one JSON object per line")
    }
}

/// The value of one line of a file, with the number of the line.
#[derive(Clone, Debug)]
pub struct Line<T> {
    /// The number of the line, from 1.
    pub number: usize,
    /// The value of the line.
    pub value: T,
}

/// The maximum size in bytes of a file that is kept as a whole.
const MOST_BYTES: u64 = 1 << 30;

/// Returns the bytes of a source, excluding a UTF-8 byte-order mark at its start.
///
/// # Errors
///
/// [`InputError`] if the source cannot be read or has more than 1 GiB, such as an endless device.
pub fn bytes(file: &str, source: impl Read) -> Result<Vec<u8>, InputError> {
    let mut bytes = Vec::new();
    let read = source.take(MOST_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| InputError::of_file(file, error.to_string()))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(InputError::of_file(file, "it has more than 1 GiB; give it in parts"));
    }
    if bytes.starts_with(b"\xef\xbb\xbf") {
        bytes.drain(..3);
    }
    Ok(bytes)
}

/// Parses each line as the JSON of a `T`. Blank lines are skipped.
///
/// # Errors
///
/// [`InputError`] for the first line that does not hold a `T`, as in [`parse_line`], and for bytes without any line.
pub fn parse<T: DeserializeOwned>(file: &str, bytes: &[u8]) -> Result<Vec<Line<T>>, InputError> {
    let value = |(number, line)| Ok(Line { number, value: parse_line(file, number, line)? });
    let lines = lines(bytes).map(value).collect::<Result<Vec<_>, _>>()?;
    if lines.is_empty() { Err(InputError::of_empty(file)) } else { Ok(lines) }
}

/// Returns the lines with their numbers from 1, excluding blank lines.
pub(crate) fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let lines = (1..).zip(bytes.split(|&byte| byte == b'\n'));
    lines.filter(|(_, line)| !line.trim_ascii().is_empty())
}

/// Parses line `number`, counted from 1, as a JSON object. A key repeated within any one object, at any depth, is an error.
///
/// # Errors
///
/// [`InputError`] with the line and, if there is one, the field.
pub fn parse_line<'a, T: Deserialize<'a>>(
    file: &str,
    number: usize,
    line: &'a [u8],
) -> Result<T, InputError> {
    let wrong = |(field, problem)| InputError {
        line: Some(number),
        field,
        ..InputError::of_file(file, problem)
    };
    // A list of the right values would be accepted as the object.
    if !is_object(line) {
        return Err(wrong((None, "is not a JSON object; give one object per line".to_owned())));
    }
    match serde_json::from_slice(line) {
        Err(_) => Err(wrong(why_not::<T>(line))),
        Ok(value) => match check_keys(line) {
            Err((_, field, problem)) => Err(wrong((field, problem))),
            Ok(()) => Ok(value),
        },
    }
}

/// Returns whether a line may hold an object.
pub(crate) fn is_object(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"{")
}

/// Parses a file that contains one value. A key repeated in one object is an error.
///
/// # Errors
///
/// [`InputError`] with line and field. The line of a missing field is the last line of its object.
pub fn parse_document<'a, T: Deserialize<'a>>(file: &str, json: &'a [u8]) -> Result<T, InputError> {
    let wrong = |(line, field, problem): (usize, _, String)| {
        let line = (line > 0).then_some(line);
        InputError { line, field, ..InputError::of_file(file, problem) }
    };
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let value = serde_path_to_error::deserialize(&mut deserializer)
        .map_err(|error| wrong(describe(json, error)))?;
    let end = "goes on after the end of its JSON value";
    deserializer.end().map_err(|error| wrong((error.line(), None, end.to_owned())))?;
    check_keys(json).map_err(wrong)?;
    Ok(value)
}

/// Returns the field, if there is one, and the problem of a line that does not hold a `T`. Only here are paths to fields kept,
/// because they take time.
fn why_not<'a, T: Deserialize<'a>>(line: &'a [u8]) -> (Option<String>, String) {
    let mut deserializer = serde_json::Deserializer::from_slice(line);
    let error = match serde_path_to_error::deserialize::<_, T>(&mut deserializer) {
        Err(error) => error,
        Ok(_) => return (None, "goes on after the end of its JSON value".to_owned()),
    };
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
}

/// Checks that no key of a JSON text is repeated in its object.
///
/// # Errors
///
/// The line, from 1, the path to the key, and the problem.
fn check_keys(json: &[u8]) -> Result<(), (usize, Option<String>, String)> {
    repeated_key(json).map_or(Ok(()), |(path, offset)| {
        let lines = json[..offset].iter().filter(|&&byte| byte == b'\n').count();
        Err((lines + 1, Some(path), "duplicate; give each key once".to_owned()))
    })
}

/// Returns the word at a column, from 1, if other languages write it for a missing number, such as `nan` and `None`.
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

/// Returns the line in `json`, from 1, the field and the problem of the value that serde refused, in serde's words. A repeated
/// key is named first, because its value may be the refused one.
fn describe(
    json: &[u8],
    error: serde_path_to_error::Error<serde_json::Error>,
) -> (usize, Option<String>, String) {
    if let Err(repeated) = check_keys(json) {
        return repeated;
    }
    let field = field_of(&error);
    let inner = error.into_inner();
    // The caller names the line, and the column matters only if the text is not JSON.
    let place = format!(" at line {} column {}", inner.line(), inner.column());
    let problem = inner.to_string();
    let words = problem.strip_suffix(&place).unwrap_or(&problem);
    let column =
        if inner.is_syntax() { format!(" at column {}", inner.column()) } else { String::new() };
    (inner.line(), field, format!("{words}{column}"))
}

/// Returns the path to the refused value; `None` for the whole object.
fn field_of(error: &serde_path_to_error::Error<serde_json::Error>) -> Option<String> {
    Some(error.path().to_string()).filter(|path| path != "." && path != "?")
}

/// A number of a line in which lists represent non-finite numbers; `None` for null.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a number such as 0.85, or null")]
pub(crate) enum AnyNumber {
    Finite(Option<f64>),
    Bare([String; 1]),
}

impl AnyNumber {
    pub(crate) fn get(&self) -> Option<f64> {
        match self {
            Self::Finite(value) => *value,
            Self::Bare([bare]) => bare.parse().ok(),
        }
    }
}

/// A text, or a word that may be a number.
static TOKEN: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#""(?:[^"\\]|\\.)*"|[0-9A-Za-z+.-]+"#).ok());

/// Returns the line with a replacement for each non-finite number outside of texts: `NaN` and `Infinity`, as Python writes them,
/// and numbers beyond the largest, such as `1e999`. JSON has none of them.
pub(crate) fn replace_bare(line: &str, replacement: impl Fn(&str) -> String) -> Cow<'_, str> {
    let replace = |token: &Captures<'_>| match token[0].parse::<f64>() {
        Ok(number) if !number.is_finite() => replacement(&token[0]),
        _ => token[0].to_owned(),
    };
    TOKEN.as_ref().map_or(Cow::Borrowed(line), |token| token.replace_all(line, replace))
}
