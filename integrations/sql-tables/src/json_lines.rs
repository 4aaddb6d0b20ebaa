//! The columns of JSON Lines, from every row.
//!
//! A type that is inferred from the first rows cuts the fractions of later ones off. Here a column of numbers is
//! made of whole numbers only if all its values are, and the types do not depend on the order of the rows.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::{BufRead, BufReader},
    path::PathBuf,
    sync::Arc,
};

use datafusion::arrow::datatypes::{DataType, Field, Fields};
use serde::de::IgnoredAny;

use crate::{error::Error, files::DataFile};

/// Nested deeper than this, a value is refused.
const DEPTH: usize = 64;

/// Reads all rows and returns the columns, sorted by name, each with what makes it unreadable.
pub(crate) fn columns(files: &[DataFile]) -> Result<Vec<(Field, Option<String>)>, Error> {
    let mut rows = BTreeMap::new();
    for (index, file) in files.iter().enumerate() {
        let path = &file.path;
        let read = |error| Error::Read { path: path.clone(), error };
        let mut reader = BufReader::new(File::open(path).map_err(read)?);
        let mut bytes = Vec::new();
        for line in 1.. {
            bytes.clear();
            if reader.read_until(b'\n', &mut bytes).map_err(read)? == 0 {
                break;
            }
            add_line(&mut rows, &bytes, Place { file: index, line })
                .map_err(|problem| Error::Line { path: path.clone(), line, problem })?;
        }
    }
    let columns = rows.into_iter().map(|(name, values)| {
        let (kind, problem) = values.finish(&name, files);
        (Field::new(name, kind, true), problem)
    });
    Ok(columns.collect())
}

#[derive(Clone, Copy)]
struct Place {
    file: usize,
    line: u64,
}

impl Place {
    fn named(self, files: &[DataFile]) -> String {
        let path = files.get(self.file).map_or_else(PathBuf::new, |file| file.path.clone());
        format!("in line {} of {}", self.line, path.display())
    }
}

/// The values of one column so far.
#[derive(Default)]
struct Values {
    shape: Shape,
    /// Where the first value other than null is.
    first: Option<Place>,
    /// A value of another kind than the first.
    other: Option<(&'static str, Place)>,
}

#[derive(Default)]
enum Shape {
    #[default]
    Null,
    Boolean,
    Text,
    Number(Numbers),
    List(Box<Values>),
    Object(BTreeMap<String, Values>),
}

impl Shape {
    fn name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "true or false",
            Self::Text => "a text",
            Self::Number(_) => "a number",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }
}

#[derive(Default)]
struct Numbers {
    /// Whether a number is written with a point or an exponent.
    is_float: bool,
    lowest: i128,
    highest: i128,
    /// The first number that no 64-bit float equals as it is written, if it is whole, or that is too large.
    not_a_float: Option<(String, Place)>,
}

impl Numbers {
    fn add(&mut self, number: &str, place: Place) {
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

    /// The type that holds all numbers as they are written.
    fn data_type(&self) -> Option<DataType> {
        let within = |low: i128, high: i128| low <= self.lowest && self.highest <= high;
        if !self.is_float && within(i64::MIN.into(), i64::MAX.into()) {
            Some(DataType::Int64)
        } else if !self.is_float && within(0, u64::MAX.into()) {
            Some(DataType::UInt64)
        } else {
            self.not_a_float.is_none().then_some(DataType::Float64)
        }
    }
}

fn add_line(rows: &mut BTreeMap<String, Values>, bytes: &[u8], place: Place) -> Result<(), String> {
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

fn add_object(
    columns: &mut BTreeMap<String, Values>,
    json: &str,
    place: Place,
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

impl Values {
    fn add(&mut self, json: &str, place: Place, depth: usize) -> Result<(), String> {
        if depth > DEPTH {
            return Err(format!("values are nested more than {DEPTH} levels deep"));
        }
        let found = match json.as_bytes().first() {
            Some(b'n') => return Ok(()),
            Some(b't' | b'f') => Shape::Boolean,
            Some(b'"') => Shape::Text,
            Some(b'[') => Shape::List(Box::default()),
            Some(b'{') => Shape::Object(BTreeMap::new()),
            _ => Shape::Number(Numbers::default()),
        };
        if self.first.is_none() {
            self.first = Some(place);
            self.shape = found;
        } else if self.shape.name() != found.name() {
            self.other.get_or_insert((found.name(), place));
            return Ok(());
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

    /// The type of the column, and the reason why it does not hold the values as they are.
    fn finish(self, column: &str, files: &[DataFile]) -> (DataType, Option<String>) {
        let refuse = |problem| Some(format!("column {column}: {problem}"));
        let mixed = self.first.zip(self.other).and_then(|(first, (kind, other))| {
            let (one, first, other) = (self.shape.name(), first.named(files), other.named(files));
            refuse(format!("{one} {first}, but {kind} {other}"))
        });
        let (data_type, inexact) = match self.shape {
            Shape::Null => (DataType::Null, None),
            Shape::Boolean => (DataType::Boolean, None),
            Shape::Text => (DataType::Utf8, None),
            Shape::Number(numbers) => match (numbers.data_type(), numbers.not_a_float) {
                (None, Some((number, place))) => {
                    let place = place.named(files);
                    let problem = format!("no 64-bit number of its kind equals {number} {place}");
                    (DataType::Float64, refuse(problem))
                }
                (data_type, _) => (data_type.unwrap_or(DataType::Float64), None),
            },
            Shape::List(items) => {
                let (item, problem) = items.finish(&format!("{column}[]"), files);
                (DataType::List(Arc::new(Field::new_list_field(item, true))), problem)
            }
            Shape::Object(columns) => {
                let mut problem = None;
                let fields: Fields = columns
                    .into_iter()
                    .map(|(name, values)| {
                        let (kind, found) = values.finish(&format!("{column}.{name}"), files);
                        problem = problem.take().or(found);
                        Field::new(name, kind, true)
                    })
                    .collect();
                (DataType::Struct(fields), problem)
            }
        };
        (data_type, mixed.or(inexact))
    }
}
