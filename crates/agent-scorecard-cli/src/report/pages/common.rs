//! What a page is made of.

use serde_json::Value;

use crate::report::table::{Cell, Output, Part, Table};

/// A report inside the output: its name for people and the pointer of its object.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) name: String,
    pub(crate) pointer: String,
}

/// A table of one row per key and one column per report. Keys that no report has are left out.
pub(crate) fn key_table(
    output: Output<'_>,
    places: &[Place],
    keys: &[(&str, &str)],
) -> Option<Table> {
    let mut header = vec![String::new()];
    header.extend(places.iter().map(|place| match &*place.name {
        "" => "value".to_owned(),
        name => name.to_owned(),
    }));
    let mut table = Table::new(header);
    for (key, words) in keys {
        let pointer = |place: &Place| format!("{}/{key}", place.pointer);
        let is_there = |place: &Place| {
            output.at(&pointer(place)).is_some_and(|value| !matches!(value, Value::String(_)))
        };
        if places.iter().any(is_there) {
            table.push(*words, places.iter().map(|place| output.estimate(&pointer(place), None)));
        }
    }
    (!table.rows.is_empty()).then_some(table)
}

/// The notes of the output and of each report, each once.
pub(crate) fn notes(output: Output<'_>, places: &[Place]) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for place in places {
        for note in output.texts(&format!("{}/notes", place.pointer)) {
            let is_of_all = places
                .iter()
                .all(|other| output.texts(&format!("{}/notes", other.pointer)).contains(&note));
            let named = if is_of_all || place.name.is_empty() {
                note
            } else {
                format!("{}: {note}", place.name)
            };
            if !notes.contains(&named) {
                notes.push(named);
            }
        }
    }
    notes
}

/// A sentence of words and numbers.
pub(crate) fn sentence(parts: impl IntoIterator<Item = Part>) -> Cell {
    Cell(parts.into_iter().collect())
}

/// Words of a sentence.
pub(crate) fn words(text: impl Into<String>) -> Part {
    Part::Text(text.into().into())
}
