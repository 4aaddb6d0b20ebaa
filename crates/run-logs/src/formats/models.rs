//! Lines of several models in one file.

use std::{borrow::Cow, collections::BTreeMap};

use memchr::memmem;
use serde::Deserialize;

use crate::json_lines::{
    fields::Name,
    parsing::{InputError, is_object, parse_line, replace_bare},
};

/// Returns the model that a line names; `None` for an unreadable line, too.
///
/// # Errors
///
/// [`InputError`] for a model that is no name.
pub(crate) fn model_of(
    file: &str,
    number: usize,
    line: &[u8],
) -> Result<Option<String>, InputError> {
    #[derive(Deserialize)]
    struct Of {
        model: Option<Name>,
    }
    if memmem::find(line, b"\"model\"").is_none() || !is_object(line) {
        return Ok(None);
    }
    let Ok(text) = str::from_utf8(line) else { return Ok(None) };
    // A number may be a bare NaN or infinity, which JSON does not have.
    let (plain, read) = match serde_json::from_str::<Of>(text) {
        Err(error) if !error.is_data() => {
            let plain = replace_bare(text, |_| "null".to_owned());
            let read = serde_json::from_str(&plain);
            (plain, read)
        }
        read => (Cow::Borrowed(text), read),
    };
    match read {
        Ok(of) => Ok(of.model.map(|Name(model)| model)),
        Err(error) if error.is_data() => {
            parse_line(file, number, plain.as_bytes()).map(|_: Of| None)
        }
        Err(_) => Ok(None),
    }
}

/// The lines of one model in a file.
#[derive(Debug, Default)]
pub(crate) struct ModelLines {
    pub(crate) lines: Vec<u8>,
    /// The number of each line in the file, from 1.
    pub(crate) numbers: Vec<usize>,
}

/// Splits the lines by model, in the order of the names. A single model is not named. An unreadable line goes with the lines
/// that name no model.
pub(crate) fn lines_by_model(
    file: &str,
    bytes: &[u8],
) -> Result<Vec<(Option<String>, ModelLines)>, InputError> {
    let mut models: BTreeMap<Option<String>, ModelLines> = BTreeMap::new();
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    for (number, line) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let of = models.entry(model_of(file, number, line)?).or_default();
        of.numbers.push(number);
        of.lines.extend_from_slice(line);
        of.lines.push(b'\n');
    }
    let is_single = models.len() <= 1;
    let named = |model: Option<String>| model.unwrap_or_else(|| "unknown model".to_owned());
    let of = |(model, lines)| ((!is_single).then(|| named(model)), lines);
    Ok(models.into_iter().map(of).collect())
}
