//! The columns of CSV files, from every row.
//!
//! The engine infers types from the shape of values, and knows only the empty cell as missing. Here a type holds all
//! values of all files as they are written, words such as `NA` are missing where the other values of the column are
//! numbers, and numbers with leading zeros are ids.

use std::{
    collections::BTreeSet,
    error::Error,
    fs::File,
    io::{self, BufReader, Read, Seek, SeekFrom},
};

use datafusion::{
    arrow::{
        compute::kernels::cast_utils::{Parser, string_to_timestamp_nanos},
        datatypes::{DataType, Date64Type, Field, Float64Type, TimeUnit},
    },
    common::ScalarValue,
    logical_expr::{Expr, cast, ident, lit, when},
};
use regex::Regex;

use crate::{error::Problem, files::DataFile};

/// Words for a missing value, as in the logs and tables that `run-logs` reads.
const MISSING: &str = r"(?i)^\s*(na|n/a|#n/a|<na>|nan|null|none)?\s*$";
/// A number with a point or an exponent.
const NUMBER: &str = r"^-?(([0-9]+\.[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|[0-9]+[eE][-+]?[0-9]+|inf)$";
/// A date, and a time with the fraction of its second and its offset.
const TIME: &str =
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.([0-9]{1,9}))?([^0-9.].*)?)?$";

/// A column of CSV files.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) data_type: DataType,
    /// Whether it holds a whole number that no float equals, or a time that has no nanoseconds.
    is_wide: bool,
    /// The words for a missing value that it holds, as they are written.
    missing: BTreeSet<String>,
}

impl Column {
    /// A column without values.
    fn new(name: &str) -> Self {
        let (name, data_type) = (name.to_owned(), DataType::Null);
        Self { name, data_type, is_wide: false, missing: BTreeSet::new() }
    }

    /// The type with which the engine reads the column: a text, if its words must be taken out first.
    pub(crate) fn field(&self) -> Field {
        let is_text = !self.missing.is_empty();
        Field::new(&self.name, if is_text { DataType::Utf8 } else { self.data_type.clone() }, true)
    }

    /// Makes the column from its texts, if it is read as texts.
    pub(crate) fn value(&self) -> Option<Expr> {
        let missing: Vec<Expr> = self.missing.iter().map(lit).collect();
        let is_missing = ident(&self.name).in_list(missing, false);
        let mut value = when(is_missing, lit(ScalarValue::Null));
        let value = value.otherwise(cast(ident(&self.name), self.data_type.clone()));
        value.ok().filter(|_| !self.missing.is_empty())
    }
}

/// Reads all rows and returns the columns. The engine reads them by position.
pub(crate) fn columns(files: &[DataFile]) -> Result<Vec<Column>, Problem> {
    let mut columns: Option<Vec<Column>> = None;
    for file in files {
        let read = |error: Box<dyn Error + Send + Sync>| {
            let text = error.to_string().replace("line: ", "line ");
            Problem::File(file.path.clone(), io::Error::other(text))
        };
        let mut rows = csv::Reader::from_path(&file.path).map_err(|error| read(error.into()))?;
        let header = rows.headers().map_err(|error| read(error.into()))?.clone();
        let columns = columns.get_or_insert_with(|| header.iter().map(Column::new).collect());
        if !columns.iter().map(|column| &column.name[..]).eq(&header) {
            let first: Vec<&str> = columns.iter().map(|column| &column.name[..]).collect();
            let other: Vec<&str> = header.iter().collect();
            let paths = (files[0].path.clone(), file.path.clone());
            return Err(Problem::Columns(paths.0, first.join(", "), paths.1, other.join(", ")));
        }
        add_rows(columns, rows, file).map_err(read)?;
    }
    let mut columns = columns.unwrap_or_default();
    for column in &mut columns {
        let is_wide = matches!(
            column.data_type,
            DataType::Float64 | DataType::Timestamp(TimeUnit::Nanosecond, _)
        );
        if column.is_wide && is_wide {
            column.data_type = DataType::Utf8;
        }
        // In a column of texts each word is a text, and a column without values needs no type.
        if matches!(column.data_type, DataType::Utf8 | DataType::Null) {
            column.missing.clear();
        }
    }
    Ok(columns)
}

fn add_rows(
    columns: &mut [Column],
    mut rows: csv::Reader<File>,
    file: &DataFile,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let missing = Regex::new(MISSING)?;
    let (number, time) = (Regex::new(NUMBER)?, Regex::new(TIME)?);
    let mut row = csv::StringRecord::new();
    let mut last = 0;
    while rows.read_record(&mut row)? {
        last = row.position().map_or(last, csv::Position::byte);
        for (column, cell) in columns.iter_mut().zip(&row) {
            if cell.is_empty() || column.data_type == DataType::Utf8 {
                continue;
            }
            if missing.is_match(cell) {
                if !column.missing.contains(cell) {
                    column.missing.insert(cell.to_owned());
                }
                continue;
            }
            let (found, is_wide) = type_of(cell, &number, &time);
            column.is_wide |= is_wide;
            if column.data_type != found {
                column.data_type = joined(&column.data_type, &found);
            }
        }
    }
    let mut rest = File::open(&file.path)?;
    rest.seek(SeekFrom::Start(last))?;
    if ends_inside_quotes(rest)? {
        let line = rows.position().line();
        return Err(format!(
            "a quotation mark before line {line}, the end of the file, is not closed"
        )
        .into());
    }
    Ok(())
}

/// The type that holds a value as it is written, and whether wider types of its kind do not.
fn type_of(cell: &str, number: &Regex, time: &Regex) -> (DataType, bool) {
    let text = (DataType::Utf8, false);
    let is_digit = |digit: &u8| digit.is_ascii_digit();
    let digits = cell.strip_prefix('-').unwrap_or(cell).as_bytes();
    let is_id = matches!(digits, [b'0', b'0'..=b'9', ..]);
    if digits.iter().all(is_digit) {
        return match cell.parse::<i64>() {
            Ok(whole) if !is_id => (DataType::Int64, whole as f64 as i128 != i128::from(whole)),
            _ => text,
        };
    }
    if number.is_match(cell) {
        let is_held = |float: f64| float.is_finite() || !digits.iter().any(is_digit);
        let is_number = !is_id && Float64Type::parse(cell).is_some_and(is_held);
        return if is_number { (DataType::Float64, false) } else { text };
    }
    if cell.eq_ignore_ascii_case("true") || cell.eq_ignore_ascii_case("false") {
        return (DataType::Boolean, false);
    }
    // The engine reads dates and times by the same rules.
    let Some(parts) = time.captures(cell).filter(|_| Date64Type::parse(cell).is_some()) else {
        return text;
    };
    let unit = match parts.get(2).map_or(0, |fraction| fraction.len()) {
        0 => TimeUnit::Second,
        1..=3 => TimeUnit::Millisecond,
        4..=6 => TimeUnit::Microsecond,
        _ => TimeUnit::Nanosecond,
    };
    let zone = parts.get(3).map(|_| "+00:00".into());
    let is_date = parts.get(1).is_none();
    let found = if is_date { DataType::Date32 } else { DataType::Timestamp(unit, zone) };
    (found, string_to_timestamp_nanos(cell).is_err())
}

/// The type that holds the values of both types.
fn joined(one: &DataType, other: &DataType) -> DataType {
    use DataType::{Date32, Float64, Int64, Null, Timestamp, Utf8};
    match (one, other) {
        (Null, found) => found.clone(),
        (Int64, Float64) | (Float64, Int64) => Float64,
        (Date32, time @ Timestamp(_, None)) | (time @ Timestamp(_, None), Date32) => time.clone(),
        (Timestamp(one, zone), Timestamp(other, of)) if zone == of => {
            Timestamp(*one.max(other), zone.clone())
        }
        _ => Utf8,
    }
}

/// Whether a record, the last one of a file, ends within a quoted cell.
fn ends_inside_quotes(rest: File) -> io::Result<bool> {
    // At the start of a cell, within quotation marks, or after a mark that ends a cell or is the first of two.
    let (mut is_start, mut is_inside, mut is_after) = (true, false, false);
    for byte in BufReader::new(rest).bytes() {
        let byte = byte?;
        (is_start, is_inside, is_after) = match (byte, is_inside) {
            (b'"', true) => (false, false, true),
            (b'"', false) => (false, is_start || is_after, false),
            (_, true) => (false, true, false),
            (b',' | b'\n' | b'\r', false) => (true, false, false),
            (_, false) => (false, false, false),
        };
    }
    Ok(is_inside)
}
