//! Pages and pictures as files, and JSON output with its curves.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use serde::Serialize;
use serde_json::Value;

use crate::report::{
    figure::{Figure, Figures},
    pages,
    picture::{png_file, svg_file},
    table::Output,
};

/// The files that a caller asked for besides the output.
#[derive(Debug, Default)]
pub(crate) struct ReportFiles {
    /// Of `--html`.
    html: Option<PathBuf>,
    /// Of `--plot`.
    plot: Option<PathBuf>,
}

impl ReportFiles {
    /// Takes `--html FILE` and `--plot FILE` out of the arguments of any subcommand.
    ///
    /// # Errors
    ///
    /// One that names the option whose file is missing or has an unknown ending.
    pub(crate) fn taken(arguments: &mut Vec<OsString>) -> Result<Self, String> {
        let html = taken(arguments, "--html")?;
        let plot = taken(arguments, "--plot")?;
        let is_known = |path: &PathBuf| matches!(ending(path).as_str(), "svg" | "png");
        if let Some(plot) = plot.as_ref().filter(|plot| !is_known(plot)) {
            return Err(format!(
                "--plot: {}: the ending must be .svg or .png, which is the format of the picture",
                plot.display()
            ));
        }
        Ok(Self { html, plot })
    }

    /// The arguments without options that only figures heed, for a table.
    pub(crate) fn without_figure_options(mut arguments: Vec<OsString>) -> Vec<OsString> {
        // A missing value has been refused before.
        let _ = taken(&mut arguments, "--plot-id");
        arguments
    }

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
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let output = Output::new(&value);
        let mut contents = Vec::new();
        if let Some(path) = &self.html {
            let page = pages::page(subcommand, output).to_html(output);
            contents.push((path.as_path(), page.into_bytes()));
        }
        if let Some(path) = &self.plot {
            let figure = main_figure(subcommand, output)
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

/// The ending of a file's name in lower case.
fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

/// Takes one option and its value out of the arguments, in either form.
fn taken(arguments: &mut Vec<OsString>, option: &str) -> Result<Option<PathBuf>, String> {
    let with_value = format!("{option}=");
    let is_it = |argument: &OsString| {
        argument == option || argument.to_string_lossy().starts_with(&with_value)
    };
    let Some(at) = arguments.iter().position(is_it) else { return Ok(None) };
    let argument = arguments.remove(at);
    if let Some(value) = argument.to_string_lossy().strip_prefix(&with_value) {
        return Ok(Some(PathBuf::from(value)));
    }
    if at == arguments.len() {
        return Err(format!("{option}: give a FILE"));
    }
    Ok(Some(PathBuf::from(arguments.remove(at))))
}

/// The one figure that stands for a subcommand: that of all files together, or of the first.
fn main_figure(subcommand: &str, output: Output<'_>) -> Option<Figure> {
    let names: &[&str] = match subcommand {
        "cut-off" => &["treatments"],
        "paths" => &["matches"],
        "costbench" => &["cost_gap_by_length", "cost_gap_by_noise", "distance_by_event", "plan"],
        "triage" => &["efficiency"],
        "budget" => &["fan"],
        "logs" => &["calls", "endings"],
        _ => &["reliability"],
    };
    let streams = output.names("/streams").into_iter().map(|name| format!("/streams/{name}"));
    let places = ["".to_owned(), "/files/0".to_owned()].into_iter().chain(streams);
    let places: Vec<String> = places.collect();
    let pointers =
        names.iter().flat_map(|name| places.iter().map(move |at| format!("{at}/curves/{name}")));
    pointers.filter_map(|pointer| Figure::deserialize_from(output.at(&pointer)?)).next()
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
    let value = serde_json::to_value(report)?;
    Ok(pages::figures(subcommand, Output::new(&value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    #[test]
    fn the_files_are_taken_out_wherever_they_stand() {
        let mut given = arguments(&["a.jsonl", "--html", "a.html", "--json", "--plot=b.PNG"]);
        let files = ReportFiles::taken(&mut given).unwrap();
        assert_eq!(given, arguments(&["a.jsonl", "--json"]));
        assert_eq!(files.html, Some(PathBuf::from("a.html")));
        assert_eq!(files.plot, Some(PathBuf::from("b.PNG")));
    }

    #[test]
    fn an_option_without_a_file_and_a_picture_of_unknown_format_are_refused() {
        for (words, part) in
            [(&["--html"][..], "give a FILE"), (&["--plot", "a.gif"], ".svg or .png")]
        {
            let error = ReportFiles::taken(&mut arguments(words)).unwrap_err();
            assert!(error.contains(words[0]) && error.contains(part), "{error}");
        }
    }
}
