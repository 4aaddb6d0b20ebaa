//! The columns of CSV files, from every row.
//!
//! The engine infers types from values and knows only the empty cell as missing. Here words such as `NA` are missing
//! where the other values of the column are numbers, and numbers with leading zeros are ids.

use std::{
    collections::BTreeSet,
    error::Error,
    fs::File,
    io::{self, BufReader, Read, Seek, SeekFrom},
};

use datafusion::{
    arrow::{
        csv::reader::Format,
        datatypes::{DataType, Field},
    },
    common::ScalarValue,
    logical_expr::{Expr, cast, ident, lit, when},
};
use regex::Regex;

use crate::{error::Problem, files::DataFile};

/// Words for a missing value, as in the logs and tables that `run-logs` reads.
const MISSING: &str = r"(?i)^\s*(na|n/a|#n/a|<na>|nan|null|none)?\s*$";

/// A column of CSV files.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) data_type: DataType,
    /// The words for a missing value that it holds, as they are written.
    missing: BTreeSet<String>,
}

impl Column {
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
    let mut columns: Vec<Column> = Vec::new();
    for file in files {
        let found = columns_of(file)
            .map_err(|error| Problem::File(file.path.clone(), io::Error::other(error)))?;
        if file.path == files[0].path {
            columns = found;
            continue;
        }
        let is_other = |(one, other): (&Column, &Column)| {
            let types = [&one.data_type, &other.data_type];
            one.name != other.name || types[0] != types[1] && !types.contains(&&DataType::Null)
        };
        if columns.len() != found.len() || columns.iter().zip(&found).any(is_other) {
            return Err(Problem::Columns(files[0].path.clone(), file.path.clone()));
        }
        for (column, found) in columns.iter_mut().zip(found) {
            column.missing.extend(found.missing);
            if column.data_type == DataType::Null {
                column.data_type = found.data_type;
            }
        }
    }
    for column in &mut columns {
        // In a column of texts each word is a text, and a column without values needs no type.
        if matches!(column.data_type, DataType::Utf8 | DataType::Null) {
            column.missing.clear();
        }
    }
    Ok(columns)
}

fn columns_of(file: &DataFile) -> Result<Vec<Column>, Box<dyn Error + Send + Sync>> {
    let missing = Regex::new(MISSING)?;
    let format = Format::default().with_header(true).with_null_regex(missing.clone());
    let (schema, _) = format.infer_schema(File::open(&file.path)?, None)?;
    let column = |field: &Field| Column {
        name: field.name().clone(),
        data_type: field.data_type().clone(),
        missing: BTreeSet::new(),
    };
    let mut columns: Vec<Column> = schema.fields().iter().map(|field| column(field)).collect();
    let mut rows = csv::Reader::from_path(&file.path)?;
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
            let digits = cell.strip_prefix('-').unwrap_or(cell).as_bytes();
            let is_id = match column.data_type {
                _ if !matches!(column.data_type, DataType::Int64 | DataType::Float64) => false,
                _ if matches!(digits, [b'0', b'0'..=b'9', ..]) => true,
                DataType::Int64 => cell.parse::<i64>().is_err(),
                _ => !is_float(cell, digits),
            };
            if is_id {
                column.data_type = DataType::Utf8;
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
    Ok(columns)
}

/// Whether a float holds this number of these digits: it is not too large, and equal if it is whole.
fn is_float(cell: &str, digits: &[u8]) -> bool {
    let is_number = digits.first().is_some_and(u8::is_ascii_digit);
    let is_infinite = cell.parse::<f64>().is_ok_and(f64::is_infinite);
    let is_equal = |whole: i128| whole as f64 as i128 == whole;
    let is_whole = digits.iter().all(u8::is_ascii_digit);
    !(is_number && is_infinite) && (!is_whole || cell.parse().is_ok_and(is_equal))
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
