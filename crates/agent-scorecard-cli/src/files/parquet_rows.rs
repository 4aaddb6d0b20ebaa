//! Parquet files as JSON Lines: a row is a line, and a column is a field.

use std::{
    io::{self, Read, Write},
    path::Path,
};

use parquet::{
    file::reader::SerializedFileReader,
    record::{Field, Row, reader::RowIter},
};

/// The rows of a file, written as lines when they are read.
pub(crate) struct ParquetRows {
    rows: RowIter<'static>,
    line: Vec<u8>,
    /// How many bytes of the line have been read.
    read: usize,
}

impl ParquetRows {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let reader =
            SerializedFileReader::new(run_logs::open_file(path)?).map_err(io::Error::other)?;
        Ok(Self { rows: reader.into_iter(), line: Vec::new(), read: 0 })
    }
}

impl Read for ParquetRows {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read == self.line.len() {
            let Some(row) = self.rows.next() else { return Ok(0) };
            self.line.clear();
            self.read = 0;
            write_row(&row.map_err(io::Error::other)?, &mut self.line)?;
            self.line.push(b'\n');
        }
        let read = (&self.line[self.read..]).read(buffer)?;
        self.read += read;
        Ok(read)
    }
}

fn write_row(row: &Row, line: &mut Vec<u8>) -> io::Result<()> {
    line.push(b'{');
    for (i, (name, field)) in row.get_column_iter().enumerate() {
        if i > 0 {
            line.push(b',');
        }
        serde_json::to_writer(&mut *line, name)?;
        line.push(b':');
        write_field(field, line)?;
    }
    line.push(b'}');
    Ok(())
}

/// Writes a value. NaN and infinities are written as the bare words that readers of traces know.
fn write_field(field: &Field, line: &mut Vec<u8>) -> io::Result<()> {
    match field {
        Field::Null => line.write_all(b"null"),
        Field::Bool(value) => write!(line, "{value}"),
        Field::Byte(value) => write!(line, "{value}"),
        Field::Short(value) => write!(line, "{value}"),
        Field::Int(value) => write!(line, "{value}"),
        Field::Long(value) => write!(line, "{value}"),
        Field::UByte(value) => write!(line, "{value}"),
        Field::UShort(value) => write!(line, "{value}"),
        Field::UInt(value) => write!(line, "{value}"),
        Field::ULong(value) => write!(line, "{value}"),
        Field::Float16(value) => write_number(f64::from(*value), line),
        Field::Float(value) => write_number(f64::from(*value), line),
        Field::Double(value) => write_number(*value, line),
        Field::Group(row) => write_row(row, line),
        Field::ListInternal(list) => {
            line.push(b'[');
            for (i, item) in list.elements().iter().enumerate() {
                if i > 0 {
                    line.push(b',');
                }
                write_field(item, line)?;
            }
            line.push(b']');
            Ok(())
        }
        Field::Str(text) => Ok(serde_json::to_writer(line, text)?),
        // Dates, decimals, maps and the like: no reader of this program takes them as more than text.
        other => Ok(serde_json::to_writer(line, &other.to_string())?),
    }
}

fn write_number(value: f64, line: &mut Vec<u8>) -> io::Result<()> {
    if value.is_nan() {
        line.write_all(b"NaN")
    } else if value.is_infinite() {
        line.write_all(if value > 0.0 { b"Infinity" } else { b"-Infinity" })
    } else {
        // The shortest digits that are read as this number.
        write!(line, "{value:?}")
    }
}
