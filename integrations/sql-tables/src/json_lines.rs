//! The columns of JSON Lines, from every row.
//!
//! A type that is inferred from the first rows cuts the fractions of later ones off. Here a column of numbers is
//! made of whole numbers only if all its values are, and the types do not depend on the order of the rows.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    fs::File,
    io::{BufRead, BufReader},
    path::Path,
};

use datafusion::arrow::datatypes::{DataType, Field};
use serde::de::IgnoredAny;

use crate::{error::Problem, files::DataFile};

/// Nested deeper than this, a value is refused.
const DEPTH: usize = 64;

/// Columns by name.
type Columns<'a> = BTreeMap<String, Values<'a>>;

/// Reads all rows and returns the columns, sorted by name, each with the reason if its type does not hold its values.
pub(crate) fn columns(files: &[DataFile]) -> Result<Vec<(Field, Option<String>)>, Problem> {
    let mut rows = Columns::new();
    for DataFile { path, .. } in files {
        let read = |error| Problem::File(path.clone(), error);
        let mut reader = BufReader::new(File::open(path).map_err(read)?);
        let mut bytes = Vec::new();
        for line in 1.. {
            bytes.clear();
            if reader.read_until(b'\n', &mut bytes).map_err(read)? == 0 {
                break;
            }
            add_line(&mut rows, &bytes, Place { path, line })
                .map_err(|problem| Problem::Line(path.clone(), line, problem))?;
        }
    }
    let columns = rows.into_iter().map(|(name, values)| {
        let mut problem = None;
        let data_type = values.finish(&name, &mut problem);
        (Field::new(name, data_type, true), problem)
    });
    Ok(columns.collect())
}

#[derive(Clone, Copy)]
struct Place<'a> {
    path: &'a Path,
    line: u64,
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "in line {} of {}", self.line, self.path.display())
    }
}

/// The values of one column so far.
#[derive(Default)]
struct Values<'a> {
    shape: Shape<'a>,
    /// The kind and the place of the first value other than null.
    first: Option<(&'static str, Place<'a>)>,
    /// A value of another kind than the first.
    other: Option<(&'static str, Place<'a>)>,
}

#[derive(Default)]
enum Shape<'a> {
    #[default]
    Null,
    Boolean,
    Text,
    Number(Numbers<'a>),
    List(Box<Values<'a>>),
    Object(Columns<'a>),
}

#[derive(Default)]
struct Numbers<'a> {
    /// Whether a number is written with a point or an exponent.
    is_float: bool,
    lowest: i128,
    highest: i128,
    /// The first number that no 64-bit float equals as it is written, if it is whole, or that is too large.
    not_a_float: Option<(String, Place<'a>)>,
}

impl<'a> Numbers<'a> {
    fn add(&mut self, number: &str, place: Place<'a>) {
        let float: f64 = number.parse().unwrap_or(f64::INFINITY);
        let is_exact = if number.contains(['.', 'e', 'E']) {
            self.is_float = true;
            float.is_finite()
        } else {
            let end = if number.starts_with('-') { i128::MIN } else { i128::MAX };
            let whole = number.parse().unwrap_or(end);
            self.lowest = self.lowest.min(whole);
            self.highest = self.highest.max(whole);
            // 15 digits are always exact, and the format without a fraction is that of the float itself.
            number.len() <= 15 || format!("{float:.0}") == number
        };
        if !is_exact && self.not_a_float.is_none() {
            self.not_a_float = Some((number.to_owned(), place));
        }
    }

    fn finish(self, column: &str, problem: &mut Option<String>) -> DataType {
        let within = |low: i128, high: i128| low <= self.lowest && self.highest <= high;
        if !self.is_float && within(i64::MIN.into(), i64::MAX.into()) {
            return DataType::Int64;
        }
        if !self.is_float && within(0, u64::MAX.into()) {
            return DataType::UInt64;
        }
        if let Some((number, place)) = self.not_a_float {
            let reason = "equals no 64-bit number that fits the other values";
            problem.get_or_insert_with(|| format!("column {column}: {number} {place} {reason}"));
        }
        DataType::Float64
    }
}

fn add_line<'a>(rows: &mut Columns<'a>, bytes: &[u8], place: Place<'a>) -> Result<(), String> {
    let json = str::from_utf8(bytes).map_err(|_| "the line is not UTF-8".to_owned())?.trim();
    if json.is_empty() {
        return Ok(());
    }
    if let Err(error) = serde_json::from_str::<IgnoredAny>(json) {
        // The message says "at line 1", which is that of the object.
        let text = error.to_string();
        let problem = text.split(" at line ").next().unwrap_or_default();
        return Err(format!("column {}: {problem}", error.column()));
    }
    if !json.starts_with('{') {
        return Err("the line is not an object".to_owned());
    }
    add_object(rows, json, place, 0)
}

fn add_object<'a>(
    columns: &mut Columns<'a>,
    json: &str,
    place: Place<'a>,
    depth: usize,
) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for member in parts(json).chunks_exact(2) {
        let name: String = serde_json::from_str(member[0]).map_err(|error| error.to_string())?;
        columns.entry(name.clone()).or_default().add(member[1], place, depth + 1)?;
        if let Some(name) = seen.replace(name) {
            return Err(format!("the key {name:?} occurs twice"));
        }
    }
    Ok(())
}

/// The items of a valid list, or the keys and values of a valid object in turn, as they are written.
fn parts(json: &str) -> Vec<&str> {
    let (mut parts, mut start) = (Vec::new(), 1);
    let (mut depth, mut is_text, mut is_escaped) = (0_usize, false, false);
    for (at, byte) in json.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => is_text = !is_text,
            _ if is_text => {}
            b'[' | b'{' => depth += 1,
            b']' | b'}' | b',' | b':' => {
                if depth == 1 {
                    parts.push(json[start..at].trim());
                    start = at + 1;
                }
                depth -= usize::from(matches!(byte, b']' | b'}'));
            }
            _ => {}
        }
    }
    // An empty list or object has one empty part.
    parts.retain(|part| !part.is_empty());
    parts
}

impl<'a> Values<'a> {
    fn add(&mut self, json: &str, place: Place<'a>, depth: usize) -> Result<(), String> {
        if depth > DEPTH {
            return Err(format!("values are nested more than {DEPTH} levels deep"));
        }
        let (kind, found) = match json.as_bytes().first() {
            Some(b'n') => return Ok(()),
            Some(b't' | b'f') => ("true or false", Shape::Boolean),
            Some(b'"') => ("a text", Shape::Text),
            Some(b'[') => ("a list", Shape::List(Box::default())),
            Some(b'{') => ("an object", Shape::Object(Columns::new())),
            _ => ("a number", Shape::Number(Numbers::default())),
        };
        match self.first {
            None => (self.first, self.shape) = (Some((kind, place)), found),
            Some((first, _)) if first != kind => {
                self.other.get_or_insert((kind, place));
                return Ok(());
            }
            Some(_) => {}
        }
        match &mut self.shape {
            Shape::Number(numbers) => numbers.add(json, place),
            Shape::Object(columns) => add_object(columns, json, place, depth)?,
            Shape::List(items) => {
                for item in parts(json) {
                    items.add(item, place, depth + 1)?;
                }
            }
            Shape::Null | Shape::Boolean | Shape::Text => {}
        }
        Ok(())
    }

    /// The type of the column. If it does not hold the values as they are, the problem says so.
    fn finish(self, column: &str, problem: &mut Option<String>) -> DataType {
        if let (Some((one, first)), Some((kind, other))) = (self.first, self.other) {
            *problem = Some(format!("column {column}: {one} {first}, but {kind} {other}"));
        }
        match self.shape {
            Shape::Null => DataType::Null,
            Shape::Boolean => DataType::Boolean,
            Shape::Text => DataType::Utf8,
            Shape::Number(numbers) => numbers.finish(column, problem),
            Shape::List(items) => {
                DataType::new_list(items.finish(&format!("{column}[]"), problem), true)
            }
            Shape::Object(columns) => {
                let fields = columns.into_iter().map(|(name, values)| {
                    let data_type = values.finish(&format!("{column}.{name}"), problem);
                    Field::new(name, data_type, true)
                });
                DataType::Struct(fields.collect())
            }
        }
    }
}
