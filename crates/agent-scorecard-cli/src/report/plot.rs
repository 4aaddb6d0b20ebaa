//! The one picture that stands for a report, as a file.

use agent_scorecard::{BAR_WIDTH, Mark, Picture, Report, Series, traces::BAND};

use crate::{
    plain,
    report::picture::{png_file, svg_file},
};

/// The picture of a report in the format of a file's ending.
///
/// # Errors
///
/// If there is nothing to draw.
pub(super) fn file(report: &Report, ending: &str) -> Result<Vec<u8>, String> {
    let picture = main_picture(report)
        .ok_or("--plot: nothing to draw: no figure of these files has a point")?;
    if ending == "png" { png_file(&picture) } else { Ok(svg_file(&picture).into_bytes()) }
}

/// The one picture that stands for a report: that of every column, each named, or else that of all columns
/// together.
fn main_picture(report: &Report) -> Option<Picture> {
    let places = report.pictured();
    let of = |name: &str, is_column: bool| {
        let places = places.iter().filter(|place| place.name.is_empty() != is_column);
        let named = places.filter_map(|place| {
            let picture = plain::picture(place.block.pictures.get(name)?);
            Some((plain::line(&place.name).into_owned(), picture))
        });
        together(named.collect())
    };
    report.main_pictures.iter().find_map(|name| of(name, true).or_else(|| of(name, false)))
}

/// One figure with the series of several columns, each named after its column; `None` without a column. Bands
/// are left out, which would hide each other, and bars stand side by side.
fn together(columns: Vec<(String, Picture)>) -> Option<Picture> {
    let (_, first) = columns.first()?;
    if columns.len() == 1 {
        return columns.into_iter().next().map(|(_, figure)| figure);
    }
    let mut figure = first.clone();
    // What differs stands before the question: "run-7: 12 turns. Do the intervals hold …?"
    if columns.iter().any(|(_, other)| other.title != figure.title)
        && let Some((_, question)) = first.title.rsplit_once(". ")
    {
        figure.title = question.to_owned();
    }
    figure.series.retain(|series| series.mark == Mark::Reference);
    let others = columns.iter().flat_map(|(_, other)| &other.x.categories);
    for category in others {
        if !figure.x.categories.contains(category) {
            figure.x.categories.push(category.clone());
        }
    }
    let n = columns.len() as f64;
    for (i, (name, own)) in columns.iter().enumerate() {
        // From -0.5 to 0.5 of the width that a column's marks share.
        let shift = (i as f64 + 0.5) / n - 0.5;
        let drawn = own.series.iter().filter(|series| {
            !matches!(series.mark, Mark::Reference | Mark::Band) && series.name != BAND
        });
        let is_only = drawn.clone().count() == 1;
        for series in drawn {
            let name = if is_only { name.clone() } else { format!("{name}: {}", series.name) };
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
        }
    }
    Some(figure)
}

/// Room that spans of several columns share.
const SPAN_ROOM: f64 = 0.5;
