//! Our own files: JSON Lines with one object per line, or one JSON value on any number of lines.
//!
//! Every reader of such a file refuses the same: text that is not JSON, a list in place of an object, and a key
//! that occurs twice in its object, also in fields that are not read. Errors name the line and the field.
//!
//! ```
//! use run_logs::{Error, Problem, json_lines};
//!
//! #[derive(serde::Deserialize)]
//! struct Row {
//!     name: String,
//!     #[serde(deserialize_with = "json_lines::yes_or_no")]
//!     solved: bool,
//! }
//!
//! let file = b"{\"name\": \"a\", \"solved\": 1}\n\n{\"name\": \"b\", \"solved\": \"no\"}";
//! let rows = json_lines::read::<Row>(&file[..26])?;
//! assert_eq!((rows[0].number, rows[0].value.name.as_str(), rows[0].value.solved), (1, "a", true));
//!
//! let error = json_lines::read::<Row>(&file[..]).err().unwrap();
//! assert!(error.to_string().starts_with("line 3: solved: "));
//! # Ok::<(), Error>(())
//! ```

use std::{
    fmt,
    io::{BufRead, BufReader, Read},
    marker::PhantomData,
};

use censoring::StopReason;
use memchr::memmem;
use serde::{
    Deserialize, Deserializer,
    de::{self, DeserializeOwned},
};
use trajectory_metrics::distinct_keys::repeated_key;

use crate::error::{Error, Place, Problem};

/// The most bytes of a line.
const LONGEST_LINE: u64 = 1 << 28;

/// One value and the line that it stands in.
#[derive(Clone, Debug, PartialEq)]
pub struct Line<T> {
    /// The number of the line, from 1.
    pub number: u64,
    /// What the line holds.
    pub value: T,
}

/// A line that stands for a run which was left out on the way to the file, such as
/// `{"id", "task"?, "outcome": true|false|null, "stop"?, "left_out": "no_confidence"}`.
///
/// It is counted and never scored. The outcome has the name that it has in other lines of the file: `outcome`,
/// `success` or `solved`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct LeftOut {
    /// Whether the run succeeded; `None` if that is unknown.
    #[serde(alias = "success", alias = "solved")]
    pub outcome: Option<bool>,
    /// Why the run ended.
    #[serde(alias = "stop_reason")]
    pub stop: Option<StopReason>,
    /// Why the run was left out.
    #[serde(rename = "left_out")]
    pub reason: String,
}

/// Reads every line as a `T`. Blank lines and a byte-order mark before the first line are passed over.
///
/// # Errors
///
/// [`Error::Io`] for a source that cannot be read, and [`Error::Invalid`] for the first line that does not hold a
/// `T`, for a line of more than 256 MiB, and for a file without any line.
pub fn read<T: DeserializeOwned>(source: impl Read) -> Result<Vec<Line<T>>, Error> {
    let mut read = Vec::new();
    lines(source, |number, text| {
        read.push(Line { number, value: line(number, text)? });
        Ok(())
    })?;
    Ok(read)
}

/// Reads every line as a `T`, except those of runs that were left out.
///
/// # Errors
///
/// Those of [`read`].
pub fn read_runs<T: DeserializeOwned>(
    source: impl Read,
) -> Result<(Vec<Line<T>>, Vec<LeftOut>), Error> {
    let (mut read, mut left) = (Vec::new(), Vec::new());
    lines(source, |number, text| {
        match left_out(number, text)? {
            Some(run) => left.push(run),
            None => read.push(Line { number, value: line(number, text)? }),
        }
        Ok(())
    })?;
    Ok((read, left))
}

/// Calls `read` with the number and the text of each line that is not blank.
fn lines(
    source: impl Read,
    mut read: impl FnMut(u64, &[u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    let (mut source, mut text, mut is_empty) = (BufReader::new(source), Vec::new(), true);
    for number in 1.. {
        text.clear();
        let at = || Place { line: Some(number), ..Place::default() };
        let mut limited = source.by_ref().take(LONGEST_LINE + 1);
        let length =
            limited.read_until(b'\n', &mut text).map_err(|error| Error::io(at(), &error))?;
        if length as u64 > LONGEST_LINE {
            return Err(refused(at(), format!("the line has more than {LONGEST_LINE} bytes")));
        }
        if length == 0 {
            break;
        }
        let mark: &[u8] = if number == 1 { b"\xef\xbb\xbf" } else { b"" };
        let text = text.strip_prefix(mark).unwrap_or(&text);
        if !text.trim_ascii().is_empty() {
            is_empty = false;
            read(number, text)?;
        }
    }
    if is_empty {
        return Err(refused(Place::default(), "is empty; give one JSON object per line"));
    }
    Ok(())
}

/// Reads the text of a line.
///
/// # Errors
///
/// [`Error::Invalid`] with this number of the line.
pub fn line<T: DeserializeOwned>(number: u64, text: &[u8]) -> Result<T, Error> {
    let parsed = if text.trim_ascii_start().starts_with(b"{") {
        parse(text, "the line is cut off; give a whole JSON object")
    } else {
        Err(refused(Place::default(), "is not a JSON object; give one object per line"))
    };
    parsed.map_err(|error| error.in_line(number))
}

/// Reads one JSON value, on one line or many.
///
/// # Errors
///
/// [`Error::Invalid`] with the line and the field of what is wrong; the line of a missing field is that of the end
/// of its object.
pub fn document<T: DeserializeOwned>(text: &[u8]) -> Result<T, Error> {
    parse(text, "the JSON value is cut off")
}

fn parse<T: DeserializeOwned>(text: &[u8], cut_off: &str) -> Result<T, Error> {
    let check_keys = || match repeated_key(text) {
        None => Ok(()),
        Some((field, at)) => {
            let lines = memchr::memchr_iter(b'\n', text.get(..at).unwrap_or_default()).count();
            let line = Some(lines as u64 + 1);
            Err(refused(Place { line, field, ..Place::default() }, "duplicate; give each key once"))
        }
    };
    let mut json = serde_json::Deserializer::from_slice(text);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        // A question mark is an entry whose name was not read, and a dot the whole value.
        let path = error.path().to_string();
        let field = path.trim_end_matches(['?', '.']).to_owned();
        let error = error.into_inner();
        let line = Some(error.line() as u64).filter(|line| *line > 0);
        let place = Place { line, field, ..Place::default() };
        if error.is_eof() {
            return refused(place, cut_off);
        }
        if let Some(word) = word_at(text, &error) {
            return refused(place, format!("{word} is not JSON; give null for what is missing"));
        }
        // What was read of a key that occurs twice may be what is refused.
        check_keys().err().unwrap_or_else(|| refused(place, in_words(&error)))
    })?;
    json.end().map_err(|error| {
        let line = Some(error.line() as u64);
        refused(Place { line, ..Place::default() }, "goes on after the end of its JSON value")
    })?;
    check_keys()?;
    Ok(value)
}

/// An error in words of its own.
pub(crate) fn refused(place: Place, reason: impl Into<String>) -> Error {
    Error::invalid(place, Problem::Refused { reason: reason.into() })
}

/// The message of an error without the line, which the place names. The column matters only for text that is
/// not JSON.
fn in_words(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let words = text.strip_suffix(&place).unwrap_or(&text);
    match error.is_syntax() {
        true => format!("{words} at column {}", error.column()),
        false => words.to_owned(),
    }
}

/// The word at which the syntax is wrong, if other languages write it for a number that does not exist.
fn word_at<'t>(text: &'t [u8], error: &serde_json::Error) -> Option<&'t str> {
    let mut lines = text.split(|&byte| byte == b'\n');
    let line = lines.nth(error.line().checked_sub(1)?).filter(|_| error.is_syntax())?;
    let at = error.column().checked_sub(1)?;
    let is_word = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'-';
    let start = line.get(..at)?.iter().rposition(|byte| !is_word(byte)).map_or(0, |end| end + 1);
    let word = line.get(start..)?.split(|byte| !is_word(byte)).next()?;
    let known: [&[u8]; 5] = [b"nan", b"inf", b"infinity", b"none", b"undefined"];
    let lower = word.to_ascii_lowercase();
    let unsigned = lower.strip_prefix(b"-").unwrap_or(&lower);
    str::from_utf8(word).ok().filter(|_| known.contains(&unsigned))
}

/// The run that a line leaves out; `None` for any other line.
///
/// # Errors
///
/// [`Error::Invalid`] for a line with `left_out` whose other fields are wrong.
pub fn left_out(number: u64, text: &[u8]) -> Result<Option<LeftOut>, Error> {
    #[derive(Deserialize)]
    struct Mark {
        left_out: Option<de::IgnoredAny>,
    }
    // The key may also stand deeper, such as in the arguments of a call.
    let has_key = memmem::find(text, b"\"left_out\"").is_some();
    let is_marked = || serde_json::from_slice(text).is_ok_and(|mark: Mark| mark.left_out.is_some());
    if has_key && is_marked() { line(number, text).map(Some) } else { Ok(None) }
}

/// Reads true and false, or 1 and 0 as some benchmarks write them.
///
/// # Errors
///
/// An error of the format for any other value.
pub fn yes_or_no<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    struct YesOrNo;

    impl de::Visitor<'_> for YesOrNo {
        type Value = bool;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("true, false, 1 or 0")
        }

        fn visit_bool<E: de::Error>(self, value: bool) -> Result<bool, E> {
            Ok(value)
        }

        fn visit_u64<E: de::Error>(self, value: u64) -> Result<bool, E> {
            match value {
                0 | 1 => Ok(value == 1),
                _ => Err(E::invalid_value(de::Unexpected::Unsigned(value), &self)),
            }
        }
    }

    deserializer.deserialize_any(YesOrNo)
}

/// Reads a name: a text, or a whole number as its digits.
///
/// # Errors
///
/// An error of the format for any other value.
pub fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    struct Name;

    impl de::Visitor<'_> for Name {
        type Value = String;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a text or a whole number")
        }

        fn visit_str<E: de::Error>(self, value: &str) -> Result<String, E> {
            Ok(value.to_owned())
        }

        fn visit_u64<E: de::Error>(self, value: u64) -> Result<String, E> {
            Ok(value.to_string())
        }

        fn visit_i64<E: de::Error>(self, value: i64) -> Result<String, E> {
            Ok(value.to_string())
        }
    }

    deserializer.deserialize_any(Name)
}

/// An object. A derived reader of a struct alone would also take a list of its fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Map<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> de::Visitor<'de> for Map<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: de::MapAccess<'de>>(self, entries: A) -> Result<T, A::Error> {
                T::deserialize(de::value::MapAccessDeserializer::new(entries))
            }
        }

        deserializer.deserialize_map(Map(PhantomData)).map(Self)
    }
}
