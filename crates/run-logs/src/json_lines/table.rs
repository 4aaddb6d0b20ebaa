//! Tables with a row per run, or per step of a run: comma-separated values, or JSON Lines.

use std::{
    collections::{BTreeMap, HashSet},
    hash::{DefaultHasher, Hash, Hasher},
};

use csv::{ByteRecord, ErrorKind, Position, Reader, ReaderBuilder};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Map, Value};

use crate::json_lines::{
    columns::{Column, Header},
    parsing::{InputError, is_object, lines, parse_line, replace_bare},
};

/// The characters that separate cells, the usual one first.
const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];

const NOT_UTF8: &str = "is not UTF-8; save the file in this encoding";

/// A table that is read row by row.
#[derive(Debug)]
pub(crate) struct Table<'a> {
    file: &'a str,
    bytes: &'a [u8],
    pub(crate) header: Header,
    /// The delimiter of the cells; `None` for JSON Lines.
    delimiter: Option<u8>,
}

/// The source of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The first line of the row, from 1.
    pub(crate) line: usize,
    /// A hash that is equal for rows with equal values in all cells, including unread cells.
    pub(crate) hash: u64,
}

impl<'a> Table<'a> {
    /// Creates a table of comma-separated values, or of JSON Lines if it starts with an object, without a UTF-8 byte-order mark
    /// in front. The delimiter is the one by which most of the known columns are found, and then most columns.
    ///
    /// # Errors
    ///
    /// [`InputError`] for a header that is not UTF-8, and for a repeated column of these.
    pub(crate) fn new(
        file: &'a str,
        bytes: &'a [u8],
        known: &[&'static Column],
    ) -> Result<Self, InputError> {
        refuse_utf16(file, bytes)?;
        let (header, delimiter) = if is_object(bytes) {
            (Header::new(file, keys(bytes), known)?, None)
        } else {
            let (header, delimiter) = csv_header(file, bytes, known)?;
            (header, Some(delimiter))
        };
        Ok(Self { file, bytes, header, delimiter })
    }

    /// Reads the rows, each without its empty cells and with the first name of each column as its key.
    ///
    /// # Errors
    ///
    /// The errors of `add`, and [`InputError`] with line and column for a cell of another type, for text that is not UTF-8, for a
    /// value other than an object, for rows whose length differs from the header's, for a quote that is not closed, and for a
    /// table without a row.
    pub(crate) fn rows<T: DeserializeOwned>(
        &self,
        mut add: impl FnMut(Place, T) -> Result<(), InputError>,
    ) -> Result<(), InputError> {
        match self.delimiter {
            Some(delimiter) => self.csv_rows(delimiter, &mut add),
            None => self.lines(&mut add),
        }
    }

    fn csv_rows<T: DeserializeOwned>(
        &self,
        delimiter: u8,
        add: &mut impl FnMut(Place, T) -> Result<(), InputError>,
    ) -> Result<(), InputError> {
        let (file, bytes) = (self.file, self.bytes);
        let at = |line, problem: String| InputError {
            line: Some(line),
            ..InputError::of_file(file, problem)
        };
        let mut reader = reader(bytes, delimiter);
        let (mut line, mut place, mut rows) = (1, Line::default(), 0_u64);
        let mut record = ByteRecord::new();
        loop {
            let more =
                reader.read_byte_record(&mut record).map_err(|error| match error.kind() {
                    ErrorKind::UnequalLengths { pos, expected_len, len } => at(
                        Line::default().of(bytes, pos.as_ref().map_or(0, Position::byte)),
                        format!("the row has {len} cells, but the first line has {expected_len}"),
                    ),
                    _ => InputError::of_file(file, error.to_string()),
                })?;
            if !more {
                break;
            }
            line = place.of(bytes, record.position().map_or(0, Position::byte));
            rows += 1;
            let mut row = Map::new();
            for (cell, column) in self.header.read() {
                let text = record.get(cell).unwrap_or_default();
                let text = str::from_utf8(text).map_err(|_| at(line, NOT_UTF8.to_owned()))?;
                let value = column.cell(text).map_err(|problem| {
                    InputError::of_field(file, line, &self.header.names[cell], problem)
                })?;
                put(&mut row, column, value);
            }
            let mut hasher = DefaultHasher::new();
            record.iter().for_each(|cell| cell.hash(&mut hasher));
            add(Place { line, hash: hasher.finish() }, self.row(line, row)?)?;
        }
        let rest = bytes.get(place.start..).unwrap_or_default();
        if rest.iter().filter(|&&byte| byte == b'"').count() % 2 == 1 {
            return Err(at(line, "a quote that starts in this row is not closed".to_owned()));
        }
        match rows {
            0 => Err(InputError::of_file(file, "has no row below its header")),
            _ => Ok(()),
        }
    }

    fn lines<T: DeserializeOwned>(
        &self,
        add: &mut impl FnMut(Place, T) -> Result<(), InputError>,
    ) -> Result<(), InputError> {
        for (line, text) in lines(self.bytes) {
            let mut object: Map<String, Value> =
                parse_line(self.file, line, text).or_else(|refused| {
                    let Ok(text) = str::from_utf8(text) else { return Err(refused) };
                    let lists = replace_bare(text, |bare| format!(r#"["{bare}"]"#));
                    parse_line(self.file, line, lists.as_bytes()).map_err(|_| refused)
                })?;
            let mut row = Map::new();
            for (name, column) in self.header.read() {
                if let Some(value) = object.remove(&self.header.names[name]) {
                    put(&mut row, column, column.value(value));
                }
            }
            let mut hasher = DefaultHasher::new();
            text.trim_ascii().hash(&mut hasher);
            add(Place { line, hash: hasher.finish() }, self.row(line, row)?)?;
        }
        Ok(())
    }

    /// Parses a row as a value; an error names the column as the table does.
    fn row<T: DeserializeOwned>(
        &self,
        line: usize,
        row: Map<String, Value>,
    ) -> Result<T, InputError> {
        let row = Value::Object(row);
        // Paths to fields are kept only for errors, because they take time.
        T::deserialize(&row).or_else(|_| serde_path_to_error::deserialize(&row)).map_err(|error| {
            let path = error.path().to_string();
            let first = path.split(['.', '[']).next().unwrap_or_default();
            let mut read = self.header.read();
            let named = read.find(|(_, column)| column.names[0] == first);
            let field = named.map_or(path.clone(), |(place, _)| {
                format!("{}{}", self.header.names[place], &path[first.len()..])
            });
            InputError {
                line: Some(line),
                field: Some(field).filter(|field| field != "." && field != "?"),
                ..InputError::of_file(self.file, error.into_inner().to_string())
            }
        })
    }
}

fn put(row: &mut Map<String, Value>, column: &Column, value: Value) {
    if !value.is_null() {
        row.insert(column.names[0].to_owned(), value);
    }
}

fn reader(bytes: &[u8], delimiter: u8) -> Reader<&[u8]> {
    ReaderBuilder::new().delimiter(delimiter).from_reader(bytes)
}

/// Returns the header of a table of comma-separated values, and the delimiter of its cells.
pub(crate) fn csv_header(
    file: &str,
    bytes: &[u8],
    known: &[&'static Column],
) -> Result<(Header, u8), InputError> {
    let wrong = |problem: &str| InputError { line: Some(1), ..InputError::of_file(file, problem) };
    let header = |delimiter| {
        let mut reader = reader(bytes, delimiter);
        let names = reader.byte_headers().map_err(|error| wrong(&error.to_string()))?;
        let name = |name| Some(str::from_utf8(name).ok()?.trim().to_owned());
        let names = names.iter().map(name).collect::<Option<_>>();
        Ok((Header::new(file, names.ok_or_else(|| wrong(NOT_UTF8))?, known)?, delimiter))
    };
    let mut best: Result<(Header, u8), InputError> = header(DELIMITERS[0]);
    for &delimiter in &DELIMITERS[1..] {
        let rank = |(header, _): &(Header, u8)| (header.known(), header.names.len());
        match (&best, header(delimiter)) {
            (Ok(first), Ok(other)) if rank(&other) > rank(first) => best = Ok(other),
            (Ok(first), Err(error)) if first.0.known() == 0 => best = Err(error),
            _ => {}
        }
    }
    best
}

/// Refuses the encodings that spreadsheets call Unicode.
///
/// # Errors
///
/// [`InputError`] for UTF-16 and UTF-32, with or without a byte-order mark.
pub(crate) fn refuse_utf16(file: &str, bytes: &[u8]) -> Result<(), InputError> {
    let start = bytes.get(..bytes.len().min(64)).unwrap_or_default();
    let has_mark = start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff");
    if has_mark || start.contains(&0) {
        let problem = "is UTF-16 or another encoding with zero bytes; save the file as UTF-8";
        return Err(InputError { line: Some(1), ..InputError::of_file(file, problem) });
    }
    Ok(())
}

/// Returns the keys of all objects of JSON Lines, in the order in which they first occur.
pub(crate) fn keys(bytes: &[u8]) -> Vec<String> {
    let (mut all, mut known) = (Vec::new(), HashSet::new());
    for (_, line) in lines(bytes) {
        let keys = serde_json::from_slice(line).or_else(|_| {
            let text = String::from_utf8_lossy(line);
            serde_json::from_str(&replace_bare(&text, |_| "0".to_owned()))
        });
        // The problem with a line is reported where its row is read.
        let keys: BTreeMap<String, IgnoredAny> = keys.unwrap_or_default();
        all.extend(keys.into_keys().filter(|key| known.insert(key.clone())));
    }
    all
}

/// Counts lines up to the start of a row.
#[derive(Default)]
struct Line {
    ends: usize,
    start: usize,
}

impl Line {
    /// Returns the line, from 1, of the next row at a byte; the bytes grow from call to call.
    fn of(&mut self, bytes: &[u8], byte: u64) -> usize {
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let byte = usize::try_from(byte).unwrap_or(usize::MAX).clamp(self.start, bytes.len());
        let before = bytes[byte..].iter().take_while(|byte| is_end(byte)).count();
        let passed = self.start..byte + before;
        // A line ends with a line feed, or with a carriage return that no line feed follows.
        let lone = |at: &usize| bytes[*at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
        self.ends += passed.clone().filter(|at| bytes[*at] == b'\n' || lone(at)).count();
        self.start = passed.end;
        self.ends + 1
    }
}
