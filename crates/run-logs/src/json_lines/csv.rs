use ::csv::{ByteRecord, ErrorKind, Position, ReaderBuilder, Trim};
use serde::de::IgnoredAny;

use crate::json_lines::parsing::InputError;

/// The characters that separate cells, the usual one first.
const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];

/// What cells have where there is no value.
const MISSING: [&str; 6] = ["", "na", "n/a", "nan", "null", "none"];

/// The columns that a reader takes from a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns<'a> {
    /// Those whose cells are texts, whatever they look like.
    pub(crate) texts: &'a [&'a str],
    /// Those whose cells are numbers, yes or no, or JSON.
    pub(crate) values: &'a [&'a str],
}

/// A table as JSON Lines: a row is an object on the line on which it starts, without its empty cells.
#[derive(Debug)]
pub(crate) struct CsvRows {
    /// The names of all columns, in lower case.
    pub(crate) header: Vec<String>,
    pub(crate) lines: Vec<u8>,
}

/// The names in the first line of a table, in lower case, and what separates them.
pub(crate) fn header(line: &[u8]) -> (Vec<String>, u8) {
    let count = |delimiter| line.iter().filter(|&&byte| byte == delimiter).count();
    // The first of those that are as frequent.
    let delimiter = DELIMITERS.into_iter().rev().max_by_key(|&it| count(it)).unwrap_or(b',');
    let name = |cell: &[u8]| {
        let name = String::from_utf8_lossy(cell);
        name.trim().trim_matches('"').trim().to_lowercase()
    };
    (line.split(|&byte| byte == delimiter).map(name).collect(), delimiter)
}

/// Reads comma-separated values, or those of another separator, without a UTF-8 byte-order mark in front.
///
/// # Errors
///
/// [`InputError`] with its line for what is not UTF-8, for rows of another length than the first one, for a column
/// of these that stands twice, for a quote that is not closed, and for a file without a row.
pub(crate) fn csv_rows(
    file: &str,
    bytes: &[u8],
    columns: Columns<'_>,
) -> Result<CsvRows, InputError> {
    let at = |line: usize, problem: String| InputError {
        line: Some(line),
        ..InputError::of_file(file, problem)
    };
    let first = bytes.trim_ascii_start().split(|&byte| byte == b'\n').next().unwrap_or_default();
    let (_, delimiter) = header(first);
    let mut reader =
        ReaderBuilder::new().delimiter(delimiter).trim(Trim::Headers).from_reader(bytes);
    let wrong = |error: ::csv::Error| match error.kind() {
        ErrorKind::UnequalLengths { pos, expected_len, len } => at(
            Line::default().of(bytes, pos.as_ref().map_or(0, Position::byte)),
            format!("the row has {len} cells and the first line {expected_len}"),
        ),
        _ => InputError::of_file(file, error.to_string()),
    };
    let header = reader.byte_headers().map_err(wrong)?.clone();
    let header = header.iter().map(|name| Some(str::from_utf8(name).ok()?.to_lowercase()));
    let header: Option<Vec<String>> = header.collect();
    let header = header.ok_or_else(|| at(1, NOT_UTF8.to_owned()))?;
    let is_text: Vec<Option<bool>> = header
        .iter()
        .map(|name| match () {
            () if columns.texts.contains(&name.as_str()) => Some(true),
            () if columns.values.contains(&name.as_str()) => Some(false),
            () => None,
        })
        .collect();
    for (place, name) in header.iter().enumerate() {
        if is_text[place].is_some() && header[..place].contains(name) {
            return Err(InputError::of_field(file, 1, name, "two columns have this name"));
        }
    }
    let (mut lines, mut line, mut place) =
        (Vec::with_capacity(2 * bytes.len()), 1, Line::default());
    let mut record = ByteRecord::new();
    while reader.read_byte_record(&mut record).map_err(wrong)? {
        let start = place.of(bytes, record.position().map_or(0, Position::byte));
        // A row that goes on over several lines keeps the others at theirs.
        while line < start {
            lines.push(b'\n');
            line += 1;
        }
        lines.push(b'{');
        for ((name, is_text), cell) in header.iter().zip(&is_text).zip(&record) {
            let Some(is_text) = *is_text else { continue };
            let cell = str::from_utf8(cell).map_err(|_| at(start, NOT_UTF8.to_owned()))?;
            if let Some(value) = json(cell, is_text) {
                let separator = if lines.ends_with(b"{") { "" } else { "," };
                lines.extend_from_slice(format!("{separator}\"{name}\":{value}").as_bytes());
            }
        }
        lines.push(b'}');
    }
    let rest = bytes.get(place.start..).unwrap_or_default();
    if rest.iter().filter(|&&byte| byte == b'"').count() % 2 == 1 {
        return Err(at(line, "a quote that starts in this row is not closed".to_owned()));
    }
    if lines.is_empty() {
        return Err(InputError::of_file(file, "has no row below its header"));
    }
    Ok(CsvRows { header, lines })
}

/// Counts lines up to the start of a row.
#[derive(Default)]
struct Line {
    ends: usize,
    start: usize,
}

impl Line {
    /// The line, from 1, of the row that is next at a byte; the bytes grow from call to call.
    fn of(&mut self, bytes: &[u8], byte: u64) -> usize {
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let byte = usize::try_from(byte).unwrap_or(usize::MAX).clamp(self.start, bytes.len());
        let before = bytes[byte..].iter().take_while(|byte| is_end(byte)).count();
        let passed = self.start..byte + before;
        // A line ends at a line feed, or at a carriage return without one.
        let lone = |at: &usize| bytes[*at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
        self.ends += passed.clone().filter(|at| bytes[*at] == b'\n' || lone(at)).count();
        self.start = passed.end;
        self.ends + 1
    }
}

const NOT_UTF8: &str = "is not UTF-8; save the file in this encoding";

/// A cell as JSON, on one line; `None` for a cell without a value.
fn json(cell: &str, is_text: bool) -> Option<String> {
    let word = cell.trim();
    let lower = word.to_ascii_lowercase();
    if is_text {
        return (!word.is_empty()).then(|| serde_json::Value::from(cell).to_string());
    }
    if MISSING.contains(&lower.as_str()) {
        return None;
    }
    let is_json = || serde_json::from_str::<IgnoredAny>(word).is_ok();
    Some(match word.parse::<f64>() {
        _ if lower == "true" || lower == "false" => lower,
        // Tables write whole numbers as 3.0 where some cells of a column are empty.
        Ok(number) if number.fract() == 0.0 && number.abs() < 1e15 => format!("{number:.0}"),
        Ok(number) => format!("{number:?}"),
        // Line ends stand between the parts of JSON alone.
        Err(_) if word.starts_with(['[', '{']) && is_json() => word.replace(['\n', '\r'], " "),
        Err(_) => serde_json::Value::from(cell).to_string(),
    })
}
