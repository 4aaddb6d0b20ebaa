//! Pages and pictures as files, and JSON output with its curves.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use crate::{
    plain,
    report::{
        figure::{Figure, Figures, Mark, Series},
        pages,
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
            contents.push((path.as_path(), page(subcommand, text)?.into_bytes()));
        }
        if let Some(path) = &self.plot {
            let figure = main_figure(subcommand, Output::new(&shown(text)?))?
                .ok_or("--plot: nothing to draw: no figure of these files has a point")?;
            let content = if ending(path) == "png" {
                png_file(&figure).map_err(|error| format!("{}: {error}", path.display()))?
            } else {
                svg_file(&figure).into_bytes()
            };
            contents.push((path.as_path(), content));
        }
        Ok(contents)
    }
}

/// The report page of a JSON output.
///
/// # Errors
///
/// One of the JSON library.
pub(crate) fn page(subcommand: &str, text: &str) -> Result<String, String> {
    let value = shown(text)?;
    let output = Output::new(&value);
    Ok(pages::page(subcommand, output)?.to_html(output))
}

/// A JSON output whose texts can stand in pages and pictures.
fn shown(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map(plain::value).map_err(|error| error.to_string())
}

/// The ending of a file's name in lower case.
fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

/// The one figure that stands for a subcommand: the curves of all files, or else the figure of all files
/// together, or of the first.
///
/// # Errors
///
/// For a subcommand without a figure.
fn main_figure(subcommand: &str, output: Output<'_>) -> Result<Option<Figure>, String> {
    let names: &[&str] = match subcommand {
        "traces" | "calibration" => &["reliability"],
        "cut-off" => &["treatments"],
        "paths" => &["matches"],
        "costbench" => &["cost_gap_by_length", "cost_gap_by_noise", "distance_by_event", "plan"],
        "triage" => &["efficiency"],
        "budget" => &["fan"],
        "logs" => &["calls", "endings"],
        _ => return Err(format!("--plot: {subcommand} has no figure")),
    };
    Ok(main_figure_of(names, output))
}

/// The first of these figures that an output has.
fn main_figure_of(names: &[&str], output: Output<'_>) -> Option<Figure> {
    let several = output.len("/files");
    if several > 1 {
        let figures = (0..several).filter_map(|i| {
            let pointer = names.iter().map(|name| format!("/files/{i}/curves/{name}"));
            let figure = pointer.filter_map(|it| Figure::deserialize_from(output.at(&it)?)).next();
            Some((file_stem(output.text(&format!("/files/{i}/file"))), figure?))
        });
        if let Some(figure) = together(figures.collect()) {
            return Some(figure);
        }
    }
    let streams = output.names("/streams").into_iter().map(|name| format!("/streams/{name}"));
    let places = ["".to_owned(), "/files/0".to_owned()].into_iter().chain(streams);
    let places: Vec<String> = places.collect();
    let pointers =
        names.iter().flat_map(|name| places.iter().map(move |at| format!("{at}/curves/{name}")));
    pointers.filter_map(|pointer| Figure::deserialize_from(output.at(&pointer)?)).next()
}

fn file_stem(file: &str) -> String {
    Path::new(file).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// One figure with the curves of several files, each named after its file; `None` where the figures have
/// no curve of which each file has one.
fn together(figures: Vec<(String, Figure)>) -> Option<Figure> {
    let is_curve = |series: &&Series| {
        matches!(series.mark, Mark::Line | Mark::Step | Mark::Dots | Mark::LineDots)
    };
    let (_, first) = figures.first()?;
    let mut figure = first.clone();
    figure.series.retain(|series| series.mark == Mark::Reference);
    for (name, of_file) in &figures {
        let mut curves = of_file.series.iter().filter(is_curve);
        let (curve, None) = (curves.next()?, curves.next()) else { return None };
        figure.series.push(Series { name: name.clone(), ..curve.clone() });
    }
    Some(figure)
}

/// A report with the figures that follow from its numbers.
#[derive(Serialize)]
struct WithCurves<'a, T> {
    #[serde(flatten)]
    report: &'a T,
    #[serde(skip_serializing_if = "Figures::is_empty")]
    curves: Figures,
}

/// The JSON output of a subcommand with its curves: `curves`, and those that follow from the report.
///
/// # Errors
///
/// One of the JSON library.
pub(crate) fn json<T: Serialize>(
    subcommand: &str,
    report: &T,
    mut curves: Figures,
) -> Result<String, serde_json::Error> {
    curves.extend(derived(subcommand, report)?);
    Ok(serde_json::to_string_pretty(&WithCurves { report, curves })? + "\n")
}

/// The figures that follow from the numbers of a report.
///
/// # Errors
///
/// One of the JSON library.
pub(crate) fn derived<T: Serialize>(
    subcommand: &str,
    report: &T,
) -> Result<Figures, serde_json::Error> {
    Ok(match pages::figures(subcommand) {
        Some(figures) => figures(Output::new(&serde_json::to_value(report)?)),
        None => Figures::new(),
    })
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
