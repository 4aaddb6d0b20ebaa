//! The pictures of a report in the form in which views show them: several columns share a picture if it stays readable.

use crate::report::{
    block::Report,
    picture::{BAND, BAND_NOTE, BAR_WIDTH, Mark, NO_BAND_NOTE, Picture, Series},
    tables::Place,
};

/// The maximum number of columns whose series share one picture of a page.
const MOST_SERIES: usize = 4;
/// The width shared by the spans of several columns.
const SPAN_ROOM: f64 = 0.5;

/// A picture, with the location of its numbers in the JSON object.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// The name of the column; empty for a picture of all columns, and for a single picture.
    pub name: String,
    /// The picture.
    pub picture: Picture,
    /// The location of each series in the JSON object, as a JSON pointer.
    pub pointers: Vec<String>,
}

/// The pictures that have the same name.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawings {
    /// The title of the pictures.
    pub title: String,
    /// One picture of all columns, or one per column.
    pub drawings: Vec<Drawing>,
    /// The explanation of the pictures.
    pub note: String,
}

impl Report {
    /// Returns all pictures by name, the most informative first. The pictures of several columns become one picture if
    /// they have the same title and axes, no bars or vertical spans, and at most four curves in total.
    #[must_use]
    pub fn drawings(&self) -> Vec<Drawings> {
        let places = self.pictured();
        let mut names: Vec<&str> = self.main_pictures.clone();
        for name in places.iter().flat_map(|place| place.block.pictures.keys()) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names.into_iter().filter_map(|name| section(own(&places, name))).collect()
    }

    /// Returns the main picture of the report. `main_pictures` lists the names to try, and the first name that has a
    /// picture is used. The picture combines the pictures of single columns; if no column has one, it is the picture of
    /// all columns together. `None` if no name has a picture.
    #[must_use]
    pub fn main_drawing(&self) -> Option<Picture> {
        let (whole, columns): (Vec<_>, Vec<_>) =
            self.pictured().into_iter().partition(|place| place.name.is_empty());
        let of = |places: &[Place<'_>], name| together(&own(places, name));
        let mut names = self.main_pictures.iter();
        let drawing = names.find_map(|name| of(&columns, name).or_else(|| of(&whole, name)));
        drawing.map(|drawing| drawing.picture)
    }
}

/// Returns the pictures with this name, one for each column or part.
fn own(places: &[Place<'_>], name: &str) -> Vec<Drawing> {
    let drawn = places.iter().filter_map(|place| {
        let picture = place.block.pictures.get(name)?.clone();
        let pointer = |at| format!("{}/curves/{name}/series/{at}", place.pointer);
        let pointers = (0..picture.series.len()).map(pointer).collect();
        Some(Drawing { name: place.name.clone(), picture, pointers })
    });
    drawn.collect()
}

fn section(mut drawings: Vec<Drawing>) -> Option<Drawings> {
    let first = &drawings.first()?.picture;
    let (mut title, note) = (first.title.clone(), first.note.clone());
    if let [single] = drawings.as_mut_slice() {
        single.name.clear();
    } else if is_one(&drawings) {
        let drawing = together(&drawings)?;
        let note = drawing.picture.note.clone();
        return Some(Drawings { title, drawings: vec![drawing], note });
    } else if drawings.iter().any(|drawing| drawing.picture.title != title) {
        // What differs stands before the question: "run-7: 12 turns. Do the intervals hold …?"
        for drawing in &mut drawings {
            if let Some((own, question)) = drawing.picture.title.rsplit_once(". ") {
                drawing.name = format!("{}: {own}", drawing.name);
                title = question.to_owned();
            }
        }
    }
    Some(Drawings { title, drawings, note })
}

/// Returns whether a series is drawn where the pictures of several columns are one: bands would hide each other.
fn is_drawn(series: &Series) -> bool {
    !matches!(series.mark, Mark::Reference | Mark::Band) && series.name != BAND
}

/// Returns whether pictures can be read as one.
fn is_one(drawings: &[Drawing]) -> bool {
    let first = &drawings[0].picture;
    let mut series = drawings.iter().flat_map(|drawing| &drawing.picture.series);
    let n = series.clone().filter(|series| is_drawn(series)).count();
    let is_same = |it: &Drawing| {
        (&it.picture.title, &it.picture.x, &it.picture.y) == (&first.title, &first.x, &first.y)
    };
    n <= MOST_SERIES
        && !series.any(|series| matches!(series.mark, Mark::Bars | Mark::Spans) && is_drawn(series))
        && drawings.iter().all(is_same)
}

/// Combines the series of several columns in one picture, each named after its column; `None` without a column.
/// Reference lines that all columns share are drawn once, and bars are side by side.
fn together(columns: &[Drawing]) -> Option<Drawing> {
    let first = columns.first()?;
    if columns.len() == 1 {
        return Some(first.clone());
    }
    let mut drawing = Drawing { name: String::new(), pointers: Vec::new(), ..first.clone() };
    let figure = &mut drawing.picture;
    if columns.iter().any(|column| column.picture.title != figure.title)
        && let Some((_, question)) = first.picture.title.rsplit_once(". ")
    {
        figure.title = question.to_owned();
    }
    let has_band = |series: &Series| series.name == BAND;
    if columns.iter().any(|column| column.picture.series.iter().any(has_band)) {
        figure.note = figure.note.replace(BAND_NOTE, NO_BAND_NOTE);
    }
    figure.series.clear();
    for category in columns.iter().flat_map(|column| &column.picture.x.categories) {
        if !figure.x.categories.contains(category) {
            figure.x.categories.push(category.clone());
        }
    }
    let is_shared = |series: &Series| {
        series.mark == Mark::Reference
            && columns.iter().all(|column| column.picture.series.contains(series))
    };
    for (series, pointer) in first.picture.series.iter().zip(&first.pointers) {
        if is_shared(series) {
            figure.series.push(series.clone());
            drawing.pointers.push(pointer.clone());
        }
    }
    let n = columns.len() as f64;
    for (i, column) in columns.iter().enumerate() {
        let own = &column.picture;
        // From -0.5 to 0.5 of the width that a column's marks share.
        let shift = (i as f64 + 0.5) / n - 0.5;
        let is_only = own.series.iter().filter(|series| is_drawn(series)).count() == 1;
        // A line to compare with has the colour of the curve before it.
        let with_pointers = || own.series.iter().zip(&column.pointers);
        let curves = with_pointers().filter(|(series, _)| is_drawn(series));
        let references =
            with_pointers().filter(|(it, _)| it.mark == Mark::Reference && !is_shared(it));
        for (series, pointer) in curves.chain(references) {
            let is_named = is_only && is_drawn(series);
            let name = &column.name;
            let name = if is_named { name.clone() } else { format!("{name}: {}", series.name) };
            let mut series = Series { name, ..series.clone() };
            match series.mark {
                Mark::Bars if !own.x.categories.is_empty() => {
                    let places = series.x.iter().map(|x| own.x.categories.get(x.round() as usize));
                    let place =
                        |category: &String| figure.x.categories.iter().position(|c| c == category);
                    let places: Vec<f64> =
                        places.map(|it| it.and_then(place).unwrap_or_default() as f64).collect();
                    let width = BAR_WIDTH / n;
                    series.x = places.iter().map(|at| at + BAR_WIDTH * shift).collect();
                    series.low = series.x.iter().map(|x| x - 0.5 * width).collect();
                    series.high = series.x.iter().map(|x| x + 0.5 * width).collect();
                }
                Mark::Spans => series.x.iter_mut().for_each(|x| *x += SPAN_ROOM * shift),
                _ => {}
            }
            figure.series.push(series);
            drawing.pointers.push(pointer.clone());
        }
    }
    Some(drawing)
}
