//! Rows of Python as lines of JSON in memory, and messages that name them as their caller does.

use agent_scorecard::ROWS;
use agent_scorecard_cli::questions::Source;
use pyo3::{
    intern,
    prelude::*,
    types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple},
};

use crate::{
    entries::{dtype_kind, is_missing, shown},
    errors::invalid,
};

/// Rows of an argument.
pub(crate) struct Rows {
    /// As reports name them.
    name: String,
    /// The expression of the caller.
    argument: String,
    /// What the index of a table calls each row, if it does not count them.
    labels: Option<Vec<String>>,
}

impl Rows {
    /// The rows as a source, with what is needed to name them in messages.
    pub(crate) fn source(
        name: String,
        argument: String,
        rows: &Bound<'_, PyList>,
        labels: Option<Vec<String>>,
    ) -> PyResult<(Source, Self)> {
        let all = Self { name, argument, labels };
        let mut lines = Vec::new();
        for (at, row) in rows.iter().enumerate() {
            let fields = row.cast::<PyDict>()?;
            let mut next = b'{';
            for (column, cell) in fields {
                let column = column.str()?.to_string_lossy().into_owned();
                lines.push(std::mem::replace(&mut next, b','));
                write_text(&column, &mut lines);
                lines.push(b':');
                let start = lines.len();
                write(&cell, &mut lines, DEEPEST).map_err(|problem| {
                    let (argument, row) = (&all.argument, all.row(at));
                    invalid(format!("{argument}: {row}, column {column}: {problem}"))
                })?;
                // JSON has no infinite number, which only the readers of lists of forecasts know.
                if lines.ends_with(b"Infinity") {
                    lines.truncate(start);
                    write_unreadable("infinite number", &mut lines);
                }
                // Tables write whole numbers as 3.0 where some cells of a column are missing.
                if lines[start] != b'"' && lines.ends_with(b".0") {
                    lines.truncate(lines.len() - 2);
                }
            }
            lines.extend_from_slice(if next == b'{' { b"{}\n" } else { b"}\n" });
        }
        let given = if all.argument == all.name { "" } else { &all.name };
        Ok((Source::of_rows(&all.name, given, lines), all))
    }

    fn row(&self, at: usize) -> String {
        let label = self.labels.as_ref().and_then(|labels| labels.get(at));
        label.map_or_else(|| format!("row {at}"), |label| format!("row {at} (index {label})"))
    }
}

/// A message with the rows, columns and arguments of the caller instead of lines, fields and options.
pub(crate) fn worded(text: &str, rows: &[Rows], is_error: bool) -> String {
    let mut worded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(ROWS) {
        let (before, after) = rest.split_at(at);
        worded.push_str(before);
        let after = &after[ROWS.len()..];
        let known = rows.iter().filter(|rows| after.starts_with(&rows.name));
        let Some(found) = known.max_by_key(|rows| rows.name.len()) else {
            worded.push_str(ROWS);
            rest = after;
            continue;
        };
        worded.push_str(if is_error { &found.argument } else { &found.name });
        rest = &after[found.name.len()..];
        let digits: String = rest.chars().skip(1).take_while(char::is_ascii_digit).collect();
        let line = digits.parse::<usize>().ok().filter(|line| rest.starts_with(':') && *line > 0);
        if let Some(line) = line {
            worded.push_str(&format!(": {}", found.row(line - 1)));
            rest = &rest[1 + digits.len()..];
        }
        if let Some(field) = rest.strip_prefix(": field ") {
            worded.push_str(if line.is_some() { ", column " } else { ": column " });
            rest = field;
        }
    }
    worded.push_str(rest);
    arguments(&worded)
}

/// The text with arguments of Python instead of options of the command.
fn arguments(text: &str) -> String {
    let mut parts = text.split("--");
    let mut worded = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|it: char| it != '-' && !it.is_ascii_lowercase());
        let (option, after) = part.split_at(end.unwrap_or(part.len()));
        let is_word = worded.chars().next_back().is_none_or(|it| !it.is_alphanumeric());
        match option {
            "" => worded.push_str("--"),
            _ if !is_word => worded.push_str(&format!("--{option}")),
            "resamples" => worded.push_str("n_resamples"),
            "seed" => worded.push_str("random_state"),
            option => worded.push_str(&option.replace('-', "_")),
        }
        worded.push_str(after);
    }
    worded
}

/// An object as a value of JSON.
pub(crate) fn json(object: &Bound<'_, PyAny>) -> PyResult<serde_json::Value> {
    let mut text = Vec::new();
    write(object, &mut text, DEEPEST).map_err(invalid)?;
    serde_json::from_slice(&text).map_err(|_| invalid(format!("{} is not finite", shown(object))))
}

/// Lists and dictionaries inside each other.
const DEEPEST: usize = 100;

fn write_text(text: &str, to: &mut Vec<u8>) {
    to.extend_from_slice(serde_json::Value::from(text).to_string().as_bytes());
}

/// Writes an object as JSON, with the words of Python for infinite numbers; what is missing is null, and what has no
/// form in JSON is an object that no reader takes for a value.
fn write(object: &Bound<'_, PyAny>, to: &mut Vec<u8>, depth: usize) -> Result<(), String> {
    let py = object.py();
    let Some(depth) = depth.checked_sub(1) else {
        return Err("is nested too deeply".to_owned());
    };
    let failed = |error: PyErr| error.value(py).to_string();
    if object.is_none() {
        to.extend_from_slice(b"null");
    } else if let Ok(flag) = object.cast::<PyBool>() {
        to.extend_from_slice(if flag.is_true() { b"true" } else { b"false" });
    } else if let Ok(text) = object.cast::<PyString>() {
        let text = text.to_str().map_err(|_| format!("{} is not valid text", shown(object)))?;
        write_text(text, to);
    } else if object.is_instance_of::<PyInt>() {
        let digits = object.call_method1(intern!(py, "__format__"), ("d",)).map_err(failed)?;
        to.extend_from_slice(digits.to_string().as_bytes());
    } else if object.is_instance_of::<PyFloat>() {
        write_number(object.extract().map_err(failed)?, to);
    } else if let Ok(fields) = object.cast::<PyDict>() {
        let mut start = b'{';
        for (key, value) in fields {
            to.push(std::mem::replace(&mut start, b','));
            write_text(&key.str().map_err(failed)?.to_string_lossy(), to);
            to.push(b':');
            write(&value, to, depth)?;
        }
        to.extend_from_slice(if start == b'{' { b"{}" } else { b"}" });
    } else if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        let mut start = b'[';
        for entry in object.try_iter().map_err(failed)? {
            to.push(std::mem::replace(&mut start, b','));
            write(&entry.map_err(failed)?, to, depth)?;
        }
        to.extend_from_slice(if start == b'[' { b"[]" } else { b"]" });
    } else if let Some(plain) = plain(object).map_err(failed)? {
        write(&plain, to, depth)?;
    } else {
        let kind = object.get_type().name().map_err(failed)?;
        write_unreadable(&kind.to_string_lossy(), to);
    }
    Ok(())
}

/// What no reader takes for a value.
fn write_unreadable(kind: &str, to: &mut Vec<u8>) {
    to.extend_from_slice(b"{\"has no form in JSON\":");
    write_text(kind, to);
    to.push(b'}');
}

fn write_number(number: f64, to: &mut Vec<u8>) {
    let word = match number {
        number if number.is_nan() => "null".to_owned(),
        f64::INFINITY => "Infinity".to_owned(),
        f64::NEG_INFINITY => "-Infinity".to_owned(),
        number => serde_json::Value::from(number).to_string(),
    };
    to.extend_from_slice(word.as_bytes());
}

/// An object of a library as one of Python: arrays and scalars of NumPy, pandas and Arrow, other numbers, dates, and what
/// is a text in every file.
fn plain<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = object.py();
    let is_date = object.hasattr(intern!(py, "isoformat"))?
        || dtype_kind(object).is_some_and(|kind| "mM".contains(kind))
            && object.getattr("ndim")?.eq(0)?;
    // An array of one number would say that of its number.
    if !object.hasattr(intern!(py, "__len__"))? && is_missing(object).unwrap_or(false) {
        return Ok(Some(py.None().into_bound(py)));
    }
    if is_date {
        return Ok(Some(object.str()?.into_any()));
    }
    for method in ["tolist", "as_py", "to_pylist", "to_list"] {
        if object.hasattr(method)? {
            return object.call_method0(method).map(Some);
        }
    }
    match object.get_type().module()?.to_string().as_str() {
        "decimal" | "fractions" => object.call_method0("__float__").map(Some),
        "uuid" | "pathlib" => Ok(Some(object.str()?.into_any())),
        _ if object.hasattr(intern!(py, "keys"))? => {
            py.get_type::<PyDict>().call1((object,)).map(Some)
        }
        _ => Ok(None),
    }
}
