use std::{borrow::Cow, collections::HashSet};

use serde_json::Value as Json;
use trajectory_metrics::{Better, Figure, Measure, NoInterval};

use crate::report::block::{Block, Field, Position, Report, Value};

/// The maximum number of columns of a complete table. A wider table leaves out columns with the same value in all rows.
const MOST_COLUMNS: usize = 6;
/// The text in front of a standard error.
const STANDARD_ERROR: &str = ", SE ";

/// A table with a row of headings, and a heading in front of each row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The title of the table; empty for the main table.
    pub title: String,
    /// The headings, including the one of the first column.
    pub header: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
    /// The explanation of the table.
    pub note: String,
    /// The measures of its columns.
    pub measures: Vec<Measure>,
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The heading of the row; `None` in a table of bins or runs, whose first cell identifies the row.
    pub heading: Option<Heading>,
    /// The cells.
    pub cells: Vec<Cell>,
}

/// The quantity that a row shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Heading {
    /// Words.
    Text(Cow<'static, str>),
    /// A measure.
    Measure(Measure),
}

/// The content of a cell: pieces that are shown in this order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell(pub Vec<Part>);

/// A piece of a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Words.
    Text(Cow<'static, str>),
    /// A number of the report.
    Number {
        /// The location in the JSON object, as a JSON pointer (RFC 6901).
        pointer: String,
        /// The formatted number.
        text: String,
    },
}

/// The figures of one column, or of a part of a column, with their location.
#[derive(Clone, Debug)]
pub struct Place<'a> {
    /// The name for people.
    pub name: String,
    /// The location of the figures in the JSON object.
    pub pointer: String,
    /// The figures.
    pub block: &'a Block,
}

impl Cell {
    /// Creates a cell with only text.
    pub fn text(text: impl Into<Cow<'static, str>>) -> Self {
        Self(vec![Part::Text(text.into())])
    }

    /// Returns the text of the cell.
    #[must_use]
    pub fn plain(&self) -> String {
        let parts = self.0.iter().map(|part| match part {
            Part::Text(text) => text.as_ref(),
            Part::Number { text, .. } => text,
        });
        parts.collect()
    }
}

impl<'a> Place<'a> {
    /// Returns the place, if it has more than the blocks next to it, followed by these blocks.
    fn with_those_beside(self, is_only: bool) -> Vec<Self> {
        let own = if is_only { String::new() } else { format!("{}: ", self.name) };
        let beside = self.block.fields.iter().filter_map(|field| {
            let name = format!("{own}{}", field.label);
            let pointer = format!("{}/{}", self.pointer, escaped(&field.key));
            Some(Self { name, pointer, block: field.beside()? })
        });
        let mut places: Vec<Self> = beside.collect();
        if places.is_empty() || places.len() < self.block.fields.len() {
            places.insert(0, self);
        }
        places
    }
}

impl Report {
    /// Returns the columns of the tables, with the locations of their figures.
    #[must_use]
    pub fn places(&self) -> Vec<Place<'_>> {
        let mut places = Vec::new();
        for (column, (place, parts)) in self.columns.iter().zip(self.columns_and_parts()) {
            match column.parts.0 {
                "" => places.extend(place.with_those_beside(self.columns.len() == 1)),
                // A part of which nothing is known, such as a stream without runs, has no column.
                _ => places.extend(parts.into_iter().filter(|part| part.block.has_figure())),
            }
        }
        places
    }

    /// Returns each column and its parts.
    pub(super) fn columns_and_parts(&self) -> impl Iterator<Item = (Place<'_>, Vec<Place<'_>>)> {
        let is_one = self.columns.len() == 1;
        self.columns.iter().enumerate().map(move |(at, column)| {
            let pointer = self.list_key().map_or_else(String::new, |key| format!("/{key}/{at}"));
            let (key, parts) = &column.parts;
            let parts = parts.iter().map(|(part, block)| {
                let name = if is_one { part.clone() } else { format!("{}: {part}", column.name) };
                Place { name, pointer: format!("{pointer}/{key}/{}", escaped(part)), block }
            });
            let parts = parts.collect();
            (Place { name: column.name.clone(), pointer, block: &column.block }, parts)
        })
    }

    /// Returns what concerns all columns together.
    pub(super) fn whole(&self) -> Place<'_> {
        Place { name: String::new(), pointer: String::new(), block: &self.together }
    }

    /// Returns the columns and parts that have pictures. The one for all columns together comes last.
    #[must_use]
    pub(crate) fn pictured(&self) -> Vec<Place<'_>> {
        let places = self.places().into_iter().chain([self.whole()]);
        places.filter(|place| !place.block.pictures.is_empty()).collect()
    }

    /// Returns the lines that come before all tables. If there are several columns, the lines of a column begin with
    /// its name.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let of_columns = self.columns.iter().flat_map(|column| {
            let several = self.columns.len() > 1;
            let name = if several { format!("{}: ", column.name) } else { String::new() };
            column.block.said(Position::Line).map(move |line| format!("{name}{line}"))
        });
        of_columns.chain(self.together.said(Position::Line).map(str::to_owned)).collect()
    }

    /// Returns the meaning of a star before a value; `None` if no table has a star.
    #[must_use]
    pub fn star(&self, tables: &[Table]) -> Option<&'static str> {
        let cells = tables.iter().flat_map(|table| &table.rows).flat_map(|row| &row.cells);
        let is_star = |cell: &Cell| cell.plain().starts_with('*');
        cells.into_iter().any(is_star).then_some(match self.is_comparable {
            true => "* best",
            false => "* better: the interval of the difference excludes 0 (for each difference alone, without correction for their number)",
        })
    }

    /// Returns the names of measures in these tables with their definitions.
    #[must_use]
    pub fn terms(&self, tables: &[Table]) -> Vec<[&'static str; 2]> {
        let of_rows =
            tables.iter().flat_map(|table| &table.rows).filter_map(|row| match row.heading {
                Some(Heading::Measure(measure)) => Some(measure),
                _ => None,
            });
        let mut terms: Vec<[&'static str; 2]> = Vec::new();
        for Measure { label, help, .. } in
            of_rows.chain(tables.iter().flat_map(|it| it.measures.clone()))
        {
            if !terms.contains(&[label, help]) {
                terms.push([label, help]);
            }
        }
        let mut cells = tables.iter().flat_map(|table| &table.rows).flat_map(|row| &row.cells);
        if cells.any(|cell| cell.0.contains(&Part::Text(STANDARD_ERROR.into()))) {
            terms.push(["SE", "standard error"]);
        }
        terms
    }

    /// Returns all tables, the main one first.
    #[must_use]
    pub fn tables(&self) -> Vec<Table> {
        let mut tables = Vec::new();
        let places = self.places();
        if !places.is_empty() {
            let is_marked = |key: &str| self.is_comparable || self.decided.contains(&key);
            tables_of(&places, &is_marked, &mut tables);
        }
        tables_of(&[self.whole()], &|_| false, &mut tables);
        tables
    }

    /// Returns all notes, each once; a note that does not hold for every column names its columns.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let own = self.columns_and_parts().map(|(column, _)| column);
        let (mut notes, mut known) = (Vec::new(), HashSet::new());
        for places in [own.collect(), self.places()] {
            for Place { name, block, .. } in &places {
                for note in block.said(Position::Note) {
                    // A note of all columns is looked for in all of them once.
                    if known.contains(note) {
                        continue;
                    }
                    let mut others = places.iter().filter(|other| other.block.lists_notes);
                    let has = |it: &Place<'_>| it.block.said(Position::Note).any(|it| it == note);
                    let is_of_all = others.all(has);
                    let note = if is_of_all { note.to_owned() } else { format!("{name}: {note}") };
                    if known.insert(note.clone()) {
                        notes.push(note);
                    }
                }
            }
        }
        notes.extend(self.together.said(Position::Note).map(str::to_owned));
        notes
    }
}

/// Adds the tables of blocks side by side, and the tables of the blocks inside.
fn tables_of(places: &[Place<'_>], is_marked: &dyn Fn(&str) -> bool, tables: &mut Vec<Table>) {
    let mut keys: Vec<&Field> = Vec::new();
    for field in places.iter().flat_map(|place| &place.block.fields) {
        match keys.iter_mut().find(|other| other.key == field.key) {
            // What tables leave out of one place may be a row of another.
            Some(known) if field.is_row() && !known.is_row() => *known = field,
            Some(_) => {}
            None => keys.push(field),
        }
    }
    let Some(first) = places.first().map(|place| place.block) else { return };
    let names = places.iter().map(|place| match place.name.as_str() {
        "" => "value".to_owned(),
        name => name.to_owned(),
    });
    let mut main = Table {
        title: first.title.clone(),
        header: std::iter::once(String::new()).chain(names).collect(),
        rows: Vec::new(),
        note: first.said(Position::Explanation).collect(),
        measures: Vec::new(),
    };
    for field in keys.iter().filter(|field| field.is_row()) {
        let best = if is_marked(&field.key) { best(places, field) } else { None };
        let cells = places.iter().map(|place| match place.block.get(&field.key) {
            Some(value) => cell(value, &place.pointer, &field.key, best),
            None => Cell::text("–"),
        });
        let heading = match &field.value {
            Value::Figure(measure, _) | Value::Bounds(measure, _)
                if field.label == measure.label =>
            {
                Heading::Measure(*measure)
            }
            _ => Heading::Text(field.label.clone()),
        };
        main.rows.push(Row { heading: Some(heading), cells: cells.collect() });
    }
    // Rows before all values are the subject of the report.
    let leading = keys.iter().take_while(|it| matches!(it.value, Value::Rows { .. })).count();
    tables_inside(places, &keys[..leading], tables);
    if !main.rows.is_empty() {
        tables.push(main);
    }
    tables_inside(places, &keys[leading..], tables);
}

/// Adds the tables of the rows and blocks under these keys.
fn tables_inside(places: &[Place<'_>], keys: &[&Field], tables: &mut Vec<Table>) {
    for field in keys {
        let inside = |place: &Place<'_>| format!("{}/{}", place.pointer, escaped(&field.key));
        match &field.value {
            Value::Block(Block { is_table: true, .. }) | Value::Rows { .. } | Value::Made(_) => {
                for place in places {
                    let name = if places.len() > 1 { place.name.as_str() } else { "" };
                    match place.block.get(&field.key) {
                        Some(Value::Block(block)) => {
                            tables.extend(rows_of_blocks(name, block, &inside(place)));
                        }
                        Some(Value::Rows { title, rows }) => {
                            rows_tables(name, title, rows, &inside(place), tables);
                        }
                        // Without a heading they appear only in the JSON object.
                        Some(Value::Made(rows)) if !rows.title.is_empty() => {
                            let pointer = inside(place);
                            let made = || {
                                let row =
                                    |(at, row)| (None, Cow::Owned(row), format!("{pointer}/{at}"));
                                rows.iter().enumerate().map(row)
                            };
                            tables.extend(table_of_rows(name, &rows.title, made, false));
                        }
                        _ => {}
                    }
                }
            }
            Value::Block(_) if field.label.is_empty() => {
                // A column of which nothing is known here is left out.
                let inner = places.iter().filter_map(|place| match place.block.get(&field.key) {
                    Some(Value::Block(block)) if !block.fields.is_empty() => {
                        Some(Place { name: place.name.clone(), pointer: inside(place), block })
                    }
                    _ => None,
                });
                let is_only = places.len() == 1;
                let inner = inner.flat_map(|place| place.with_those_beside(is_only));
                let mut inner: Vec<Place<'_>> = inner.collect();
                let is_same = |place: &Place<'_>| place.block == inner[0].block;
                if inner.len() == places.len() && inner.len() > 1 && inner.iter().all(is_same) {
                    inner.truncate(1);
                    "every column".clone_into(&mut inner[0].name);
                }
                tables_of(&inner, &|_| false, tables);
            }
            Value::Figure(..) | Value::Bounds(..) | Value::Json(_) | Value::Block(_) => {}
        }
    }
}

/// A row of a table: its heading, if it has one, its values, and their location.
type RowOf<'a> = (Option<Heading>, Cow<'a, Block>, String);

/// Adds a table with a row for each block of a list, if a value is shown, and the tables of rows inside the blocks.
fn rows_tables(name: &str, title: &str, rows: &[Block], pointer: &str, tables: &mut Vec<Table>) {
    let place = |at: usize| format!("{pointer}/{at}");
    let all = || rows.iter().enumerate().map(|(at, row)| (None, Cow::Borrowed(row), place(at)));
    tables.extend(table_of_rows(name, title, all, false));
    for (at, row) in rows.iter().enumerate() {
        for Field { key, value, .. } in &row.fields {
            if let Value::Rows { title, rows } = value {
                let pointer = format!("{}/{}", place(at), escaped(key));
                rows_tables(name, title, rows, &pointer, tables);
            }
        }
    }
}

/// Returns a table with one row for each block inside, named at the beginning of the row.
fn rows_of_blocks<'a>(name: &str, block: &'a Block, pointer: &str) -> Option<Table> {
    let row = |field: &'a Field| {
        let Value::Block(row) = &field.value else { return None };
        let heading = Some(Heading::Text(field.label.clone()));
        Some((heading, Cow::Borrowed(row), format!("{pointer}/{}", escaped(&field.key))))
    };
    let rows = || block.fields.iter().filter_map(row);
    let table = table_of_rows(name, &block.title, rows, true)?;
    let header = std::iter::once(String::new()).chain(table.header).collect();
    Some(Table { header, note: block.said(Position::Explanation).collect(), ..table })
}

/// Returns a table of rows; `None` without a shown value. Unless all columns are to be shown, columns without any value are
/// left out, and columns of a wide table with the same value in all rows move to its note.
fn table_of_rows<'a, R: Iterator<Item = RowOf<'a>>>(
    name: &str,
    title: &str,
    rows: impl Fn() -> R,
    shows_all: bool,
) -> Option<Table> {
    // The places of columns, with a field of each column.
    let mut columns: Vec<(String, Field)> = Vec::new();
    for (_, row, _) in rows() {
        for leaf in leaves(&row, "") {
            let value = &leaf.field.value;
            let is_unknown = matches!(value, Value::Json(Json::Null) | Value::Figure(_, Err(_)));
            let is_known = shows_all || !is_unknown;
            if is_known && !columns.iter().any(|column| leaf.is_of(column)) {
                columns.push((leaf.place, leaf.field.clone()));
            }
        }
    }
    if columns.is_empty() {
        return None;
    }
    let of_row = |(heading, row, pointer): RowOf<'_>| {
        let leaves = leaves(&row, "");
        let cells = columns.iter().map(|column| {
            let Some(leaf) = leaves.iter().find(|leaf| leaf.is_of(column)) else {
                return Cell::text("–");
            };
            let place = format!("{pointer}{}", leaf.place);
            cell(&leaf.field.value, &place, &leaf.field.key, None)
        });
        Row { heading, cells: cells.collect() }
    };
    let mut table_rows: Vec<Row> = rows().map(of_row).collect();
    let mut same = Vec::new();
    if !shows_all && columns.len() > MOST_COLUMNS && table_rows.len() > 2 {
        for at in (1..columns.len()).rev() {
            let first = table_rows[0].cells[at].plain();
            if table_rows.iter().all(|row| row.cells[at].plain() == first) {
                table_rows.iter_mut().for_each(|row| drop(row.cells.remove(at)));
                let label = columns.remove(at).1.label;
                if !first.is_empty() {
                    same.insert(0, format!("{label} {first}"));
                }
            }
        }
    }
    let note = match same.is_empty() {
        true => String::new(),
        false => format!("In every row: {}.", same.join(", ")),
    };
    let title = match (title, name) {
        (title, "") => title.to_owned(),
        ("", name) => name.to_owned(),
        (title, name) => format!("{title}: {name}"),
    };
    let header = columns.iter().map(|(_, field)| field.label.to_string()).collect();
    let measures = columns.iter().filter_map(|(_, field)| match &field.value {
        Value::Figure(measure, _) => Some(*measure),
        _ => None,
    });
    Some(Table { title, header, rows: table_rows, note, measures: measures.collect() })
}

/// A shown value of a row.
struct Leaf<'a> {
    /// The location of the value's block in the row.
    place: String,
    field: &'a Field,
}

impl Leaf<'_> {
    /// Returns whether it belongs to this column.
    fn is_of(&self, (place, field): &(String, Field)) -> bool {
        self.place == *place && self.field.key == field.key
    }
}

/// Returns the shown values of a row, including values of blocks inside.
fn leaves<'a>(block: &'a Block, place: &str) -> Vec<Leaf<'a>> {
    let mut found = Vec::new();
    for field in &block.fields {
        match &field.value {
            Value::Block(inner) => {
                found.extend(leaves(inner, &format!("{place}/{}", escaped(&field.key))));
            }
            _ if field.label.is_empty() => {}
            _ => found.push(Leaf { place: place.to_owned(), field }),
        }
    }
    found
}

/// Returns the best value of a row, if several columns have a value and agree on the better direction.
fn best(places: &[Place<'_>], field: &Field) -> Option<f64> {
    let Value::Figure(measure, _) = &field.value else { return None };
    let mut values = Vec::new();
    for place in places {
        if let Some(Value::Figure(other, figure)) = place.block.get(&field.key) {
            if other.better != measure.better {
                return None;
            }
            values.extend(figure.as_ref().ok().map(|figure| figure.value));
        }
    }
    // Nothing is best where all are the same.
    if values.len() < 2 || values.iter().all(|value| *value == values[0]) {
        return None;
    }
    match measure.better {
        Better::Higher => values.into_iter().reduce(f64::max),
        Better::Lower => values.into_iter().reduce(f64::min),
        Better::Near(_) | Better::Neither => None,
    }
}

/// Returns the value under a key as a cell. Its block is at `place`.
fn cell(value: &Value, place: &str, key: &str, best: Option<f64>) -> Cell {
    let pointer = format!("{place}/{}", escaped(key));
    match value {
        Value::Figure(_, Err(_)) | Value::Bounds(_, Err(_)) => {
            number(format!("{pointer}/value"), "undefined")
        }
        Value::Bounds(_, Ok(ends)) => Cell(parts_of_ends(
            "[",
            &pointer,
            [ends.low(), ends.high()].map(|end| format!("{end:.3}")),
        )),
        Value::Figure(_, Ok(figure)) => {
            let mut parts = Vec::new();
            if best == Some(figure.value) {
                parts.push(Part::Text("*".into()));
            }
            let value = figure_text(figure, figure.value);
            parts.extend(number(format!("{pointer}/value"), value).0);
            match figure.interval {
                Err(NoInterval::NotRequested) => {}
                Err(_) => parts.push(Part::Text(" [undefined]".into())),
                Ok(ends) => {
                    let ends = [ends.low(), ends.high()].map(|end| figure_text(figure, end));
                    parts.extend(parts_of_ends(" [", &pointer, ends));
                }
            }
            // Next to an interval it would make tables too wide.
            let is_alone = figure.interval == Err(NoInterval::NotRequested);
            if let Some(error) = figure.standard_error.filter(|_| is_alone) {
                parts.push(Part::Text(STANDARD_ERROR.into()));
                let pointer = format!("{pointer}/standard_error");
                parts.extend(number(pointer, figure_text(figure, error)).0);
            }
            Cell(parts)
        }
        Value::Json(json) => json_cell(json, pointer),
        Value::Block(_) | Value::Rows { .. } | Value::Made(_) => Cell::default(),
    }
}

fn json_cell(json: &Json, pointer: String) -> Cell {
    match json {
        Json::Null => Cell::text("–"),
        Json::Bool(flag) => Cell::text(if *flag { "yes" } else { "no" }),
        Json::String(text) => Cell::text(text.clone()),
        Json::Number(count) => match count.as_f64().filter(|_| count.is_f64()) {
            Some(value) => number(pointer, shown(value)),
            None => number(pointer, count.to_string()),
        },
        Json::Array(list) => {
            let mut parts = vec![Part::Text("[".into())];
            for (at, item) in list.iter().enumerate() {
                parts.push(Part::Text(if at == 0 { "" } else { ", " }.into()));
                parts.extend(json_cell(item, format!("{pointer}/{at}")).0);
            }
            parts.push(Part::Text("]".into()));
            Cell(parts)
        }
        Json::Object(values) => {
            let mut parts = Vec::new();
            for (at, (name, item)) in values.iter().enumerate() {
                let separator = if at == 0 { "" } else { ", " };
                parts.push(Part::Text(format!("{separator}{name} ").into()));
                parts.extend(json_cell(item, format!("{pointer}/{}", escaped(name))).0);
            }
            Cell(parts)
        }
    }
}

/// Returns the ends of an interval at this place, after a bracket.
fn parts_of_ends(bracket: &'static str, place: &str, [low, high]: [String; 2]) -> Vec<Part> {
    let [low, high] = [("ci_low", low), ("ci_high", high)]
        .map(|(key, text)| Part::Number { pointer: format!("{place}/{key}"), text });
    let [bracket, comma, end] = [bracket, ", ", "]"].map(|text| Part::Text(text.into()));
    vec![bracket, low, comma, high, end]
}

fn number(pointer: String, text: impl Into<String>) -> Cell {
    Cell(vec![Part::Number { pointer, text: text.into() }])
}

/// Escapes a key as a part of a JSON pointer.
pub(crate) fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Formats a number with the decimals for the value of its figure, or for half the width of its interval if this is larger.
/// The value and its bounds then have the same number of decimals.
pub(crate) fn figure_text(figure: &Figure, number: f64) -> String {
    let half = figure.interval.map_or(0.0, |ends| 0.5 * (ends.high() - ends.low()));
    let decimals = decimals(figure.value.abs().max(half));
    format!("{number:.decimals$}")
}

/// Returns the number of decimals: three, more if fewer than two digits would be left, none for large values.
fn decimals(value: f64) -> usize {
    match value.abs() {
        0.0 => 3,
        // A residue of rounding.
        size if size < 1e-12 => 3,
        size if size < 0.01 => ((2.0 - size.log10()).ceil() as usize).min(12),
        size if size >= 100.0 => 0,
        _ => 3,
    }
}

/// Formats a number for people. Whole numbers and numbers of at least 100 have no decimals. Other numbers have three
/// decimals, or more if three would leave fewer than two digits.
///
/// ```
/// use agent_scorecard::shown;
///
/// assert_eq!([0.123_456, 0.001_234_5, 3.0, 12_345.67].map(shown), ["0.123", "0.00123", "3", "12346"]);
/// ```
#[must_use]
pub fn shown(value: f64) -> String {
    let decimals = if value.fract() == 0.0 { 0 } else { decimals(value) };
    format!("{value:.decimals$}")
}
