//! What the pages of several subcommands have in common.

use serde_json::Value;

use crate::report::{
    figure::Figure,
    page::{Drawn, Section},
    table::{Cell, Output, Part, Table},
};

/// A report inside the output: its name for people and the pointer of its object.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) name: String,
    pub(crate) pointer: String,
}

/// The reports of an output: that of each column where there are several, otherwise the output itself.
pub(crate) fn places(output: Output<'_>) -> Vec<Place> {
    let pointers = match output.len("/files") {
        0 => vec![String::new()],
        n => (0..n).map(|i| format!("/files/{i}")).collect(),
    };
    let place = |pointer: String| {
        let name = match output.text(&format!("{pointer}/name")) {
            "" => {
                let file = std::path::Path::new(output.text(&format!("{pointer}/file")));
                file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
            }
            name => name.to_owned(),
        };
        Place { name, pointer }
    };
    pointers.into_iter().map(place).collect()
}

/// The figure of this name of each report, as one section; `None` if no report has it.
pub(crate) fn figure_section(output: Output<'_>, places: &[Place], name: &str) -> Option<Section> {
    let mut figures: Vec<Drawn> = places
        .iter()
        .filter_map(|place| {
            let pointer = format!("{}/curves/{name}", place.pointer);
            let figure: Figure = crate::report::figure::deserialized(output.at(&pointer)?)?;
            let name = if places.len() > 1 { place.name.clone() } else { String::new() };
            Some(Drawn { name, pointer, figure })
        })
        .collect();
    let first = &figures.first()?.figure;
    let (mut title, note) = (first.title.clone(), first.note.clone());
    if figures.iter().any(|drawn| drawn.figure.title != title) {
        // What differs stands before the question: "run-7: 12 turns. Do the intervals hold …?"
        for drawn in &mut figures {
            if let Some((own, question)) = drawn.figure.title.rsplit_once(". ") {
                drawn.name = format!("{}: {own}", drawn.name);
                title = question.to_owned();
            }
        }
    }
    Some(Section { title, figures, note, ..Section::default() })
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

/// The tables of an object or list whose values are objects with the same keys: one row for each.
pub(crate) fn rows_table(
    output: Output<'_>,
    rows: impl IntoIterator<Item = (String, String)>,
    first: &str,
    keys: &[(&str, &str)],
) -> Option<Table> {
    let rows: Vec<(String, String)> = rows.into_iter().collect();
    let has = |key: &&(&str, &str)| {
        rows.iter().any(|(_, pointer)| output.at(&format!("{pointer}/{}", key.0)).is_some())
    };
    let keys: Vec<&(&str, &str)> = keys.iter().filter(has).collect();
    let mut table = Table::new(std::iter::once(first).chain(keys.iter().map(|(_, words)| *words)));
    for (name, pointer) in &rows {
        let cell = |(key, _): &&(&str, &str)| {
            let pointer = format!("{pointer}/{key}");
            match output.at(&pointer) {
                Some(Value::String(text)) => Cell::text(text.clone()),
                Some(Value::Bool(value)) => Cell::text(if *value { "yes" } else { "no" }),
                Some(_) => output.estimate(&pointer, None),
                None => Cell::text("–"),
            }
        };
        table.push(name, keys.iter().map(cell));
    }
    (!table.rows.is_empty()).then_some(table)
}

/// A finite number at a pointer.
pub(crate) fn number_at(output: Output<'_>, pointer: &str) -> Option<f64> {
    output.at(pointer)?.as_f64().filter(|value| value.is_finite())
}
