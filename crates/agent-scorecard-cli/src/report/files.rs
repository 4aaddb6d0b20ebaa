//! Pages and pictures as files, and JSON output with its curves.

use std::path::{Path, PathBuf};

use agent_scorecard::{Report, traces::BAND};
use serde::Serialize;
use serde_json::Value;

use crate::{
    plain,
    report::{
        figure::{BAR_WIDTH, Figure, Figures, Mark, Series},
        page, pages,
        picture::{png_file, svg_file},
        table::Output,
    },
};

/// The files that a caller asked for besides the output.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct ReportFiles {
    /// Write a report page, with every figure
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Draw one figure; the ending is the format
    #[arg(long, value_name = "FILE.svg|png", value_parser = picture)]
    plot: Option<PathBuf>,
}

/// The name of a file of a picture.
fn picture(name: &str) -> Result<PathBuf, &'static str> {
    let path = PathBuf::from(name);
    let is_known = matches!(ending(&path).as_str(), "svg" | "png");
    if is_known {
        Ok(path)
    } else {
        Err("the ending must be .svg or .png, the format of the picture")
    }
}

impl ReportFiles {
    /// Whether no file was asked for.
    pub(crate) fn is_empty(&self) -> bool {
        self.html.is_none() && self.plot.is_none()
    }

    /// The files with their content. `text` is the JSON output of the subcommand.
    ///
    /// # Errors
    ///
    /// If there is no figure to draw.
    pub(crate) fn contents(
        &self,
        subcommand: &str,
        text: &str,
    ) -> Result<Vec<(&Path, Vec<u8>)>, String> {
        let mut contents = Vec::new();
        if let Some(path) = &self.html {
            contents.push((path.as_path(), page_of(subcommand, text)?.into_bytes()));
        }
        if self.plot.is_some() {
            return Err(format!("--plot: {subcommand} has no figure"));
        }
        Ok(contents)
    }
}

impl ReportFiles {
    /// The files of a report with their content.
    ///
    /// # Errors
    ///
    /// If there is no picture to draw.
    pub(crate) fn contents_of(&self, report: &Report) -> Result<Vec<(&Path, Vec<u8>)>, String> {
        let mut contents = Vec::new();
        if let Some(path) = &self.html {
            contents.push((path.as_path(), page::of_report(report).to_html().into_bytes()));
        }
        if let Some(path) = &self.plot {
            let picture = main_picture(report)
                .ok_or("--plot: nothing to draw: no figure of these files has a point")?;
            let content = if ending(path) == "png" {
                png_file(&picture).map_err(|error| format!("{}: {error}", path.display()))?
            } else {
                svg_file(&picture).into_bytes()
            };
            contents.push((path.as_path(), content));
        }
        Ok(contents)
    }
}

/// The one picture that stands for a report: that of every column, each named, or else that of all columns
/// together.
fn main_picture(report: &Report) -> Option<Figure> {
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

/// The report page of a JSON output.
///
/// # Errors
///
/// One of the JSON library.
pub(crate) fn page_of(subcommand: &str, text: &str) -> Result<String, String> {
    let value = shown(text)?;
    let output = Output::new(&value);
    Ok(pages::page(subcommand, output)?.to_html())
}

/// A JSON output whose texts can stand in pages and pictures.
fn shown(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map(plain::value).map_err(|error| error.to_string())
}

/// The ending of a file's name in lower case.
fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

/// One figure with the series of several columns, each named after its column; `None` without a column. Bands
/// are left out, which would hide each other, and bars stand side by side.
fn together(columns: Vec<(String, Figure)>) -> Option<Figure> {
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

/// A report with the figures that follow from its numbers.
#[derive(Serialize)]
struct WithCurves<'a, T> {
    #[serde(flatten)]
    report: &'a T,
    #[serde(skip_serializing_if = "Figures::is_empty")]
    curves: Figures,
}

/// The JSON output of a subcommand with its curves.
///
/// # Errors
///
/// One of the JSON library.
pub(crate) fn json<T: Serialize>(report: &T, curves: Figures) -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string_pretty(&WithCurves { report, curves })? + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_one_of_two_endings_in_letters_of_either_case() {
        for name in ["a.svg", "b.c.PNG"] {
            assert_eq!(picture(name), Ok(PathBuf::from(name)));
        }
        for name in ["a.gif", "svg", "a.svg.gz"] {
            assert!(picture(name).is_err_and(|error| error.contains(".svg or .png")), "{name}");
        }
    }
}
