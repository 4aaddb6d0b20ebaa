//! Report pages and pictures as output files.

use std::path::{Path, PathBuf};

use agent_scorecard::Report;

use crate::{output::overwrites::Output, report::page};
#[cfg(feature = "pictures")]
use crate::{
    plain,
    report::picture::{png_file, svg_file},
};

/// The files that a caller asked for besides the output.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct ReportFiles {
    /// Write a report page with all figures to a file that ends in .html
    #[arg(long, value_name = "FILE", value_parser = page_file)]
    html: Option<Output>,
    /// Draw one picture of the report. The ending of the file name sets the format
    #[arg(long, value_name = "FILE.svg|png", value_parser = picture)]
    plot: Option<Output>,
}

/// Returns the name of a file of a page.
fn page_file(name: &str) -> Result<Output, &'static str> {
    let path = Output::from(PathBuf::from(name));
    match ending(&path).as_str() {
        "html" | "htm" => Ok(path),
        _ => Err("the ending must be .html, as the file is overwritten"),
    }
}

/// Returns the name of a file of a picture.
fn picture(name: &str) -> Result<Output, &'static str> {
    let path = Output::from(PathBuf::from(name));
    let is_known = matches!(ending(&path).as_str(), "svg" | "png");
    if cfg!(not(feature = "pictures")) {
        Err(
            "this program was built without its feature pictures: leave --plot out for the report without a picture, \
             or build it with --features pictures",
        )
    } else if is_known {
        Ok(path)
    } else {
        Err("the ending must be .svg or .png, the format of the picture")
    }
}

impl ReportFiles {
    /// Returns whether no file was asked for.
    pub(crate) fn is_empty(&self) -> bool {
        self.html.is_none() && self.plot.is_none()
    }

    /// Returns the files of a report with their content.
    ///
    /// # Errors
    ///
    /// If there is no picture to draw.
    pub(crate) fn contents(&self, report: &Report) -> Result<Vec<(&Path, Vec<u8>)>, String> {
        let mut contents = Vec::new();
        if let Some(path) = &self.html {
            contents.push((&**path, page::of_report(report).into_bytes()));
        }
        #[cfg(feature = "pictures")]
        if let Some(path) = &self.plot {
            contents.push((&**path, drawn(report, &ending(path))?));
        }
        Ok(contents)
    }
}

/// Returns the one picture that stands for a report, in the format of a file's ending.
#[cfg(feature = "pictures")]
fn drawn(report: &Report, ending: &str) -> Result<Vec<u8>, String> {
    let picture = report.main_drawing().map(|drawing| plain::picture(&drawing));
    let picture = picture.ok_or("--plot: nothing to draw: no figure of these files has a point")?;
    if ending == "png" { png_file(&picture) } else { Ok(svg_file(&picture).into_bytes()) }
}

/// Returns the ending of a file's name in lower case.
fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}
