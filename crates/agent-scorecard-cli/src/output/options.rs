//! The forms in which a report is written: a table for people, Markdown, or JSON for programs.

use std::{
    error::Error,
    path::{Path, PathBuf},
};

use agent_scorecard::{Condition, Report};

use crate::{
    output::{
        overwrites::Output,
        program::{self, Printed, Written},
        text::{self, Layout},
    },
    plain,
    report::page,
};

/// The options that every subcommand with a report has.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Forms {
    /// Print one JSON object instead of the table
    #[arg(long)]
    json: bool,
    /// Print the table in the Markdown of GitHub
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Exit with code 1 if a value of the JSON output meets this condition, such as 'tps_log < -0.6'. With several
    /// columns, begin the key with files and the name of the column, or its number from 0: 'files.1.tps_log < -0.6'.
    /// difference.KEY is the second column minus the first, such as 'difference.tps_log.ci_high < 0', and
    /// differences.NAME.KEY is column NAME minus the first. May be given several times
    #[arg(long, value_name = "CONDITION")]
    fail_if: Vec<Condition>,
    /// Write a report page with all figures and pictures to this file, whose name must end in .html
    #[arg(long, value_name = "FILE", value_parser = page_file)]
    html: Option<Output>,
    /// Draw one picture of the report to this file. The ending of its name, .svg or .png, sets the format
    #[arg(long, value_name = "FILE.svg|png", value_parser = picture)]
    plot: Option<Output>,
}

impl Forms {
    /// Returns whether only tables are printed, and not all values.
    pub(crate) fn are_tables(&self) -> bool {
        !self.json && self.fail_if.is_empty()
    }

    /// Returns the report in the form that was asked for.
    pub(crate) fn show(&self, report: Report) -> Result<Written, Box<dyn Error>> {
        let mut failures = Vec::new();
        if !self.fail_if.is_empty() {
            let values = serde_json::to_value(&report)?;
            for limit in &self.fail_if {
                failures.extend(limit.failure(&values, |place| report.placed(place))?);
            }
        }
        // Nothing is written if there is no picture to draw.
        let mut files = Vec::new();
        if let Some(path) = self.html.as_deref() {
            files.push((path, page::of_report(&report).into_bytes()));
        }
        #[cfg(feature = "pictures")]
        if let Some(path) = self.plot.as_deref() {
            files.push((path, drawn(&report, path)?));
        }
        for (path, content) in files {
            if let Some(folder) = program::destination(path).parent() {
                program::remove_leftovers(folder);
            }
            program::write_file(path, &content)?;
        }
        let output = if self.json {
            Printed::Json(Box::new(report))
        } else if self.markdown {
            let text = Layout::paragraphs(&text::report(&report, Layout::Markdown));
            Printed::Text(plain::lines(text))
        } else {
            // The width is known of terminals alone, so that files and pipes have whole lines.
            let width = console::Term::stdout().size_checked().map(|(_, columns)| columns);
            let layout = width.map_or(Layout::Aligned, Layout::Fitted);
            Printed::Text(plain::lines(text::report(&report, layout)))
        };
        Ok(Written { failures, ..Written::from(output) })
    }

    /// Returns whether figures are wanted, in the JSON object, in a page or in a picture.
    pub(crate) fn has_figures(&self) -> bool {
        self.json || self.has_files()
    }

    /// Returns whether a page or a picture is wanted.
    pub(crate) fn has_files(&self) -> bool {
        self.html.is_some() || self.plot.is_some()
    }
}

/// Returns the name of a file of a page.
fn page_file(name: &str) -> Result<Output, &'static str> {
    let path = Output::from(PathBuf::from(name));
    match ending(&path).as_str() {
        "html" | "htm" => Ok(path),
        _ => Err("the ending must be .html, because the file is overwritten"),
    }
}

/// Returns the name of a file of a picture.
fn picture(name: &str) -> Result<Output, &'static str> {
    let path = Output::from(PathBuf::from(name));
    let is_known = matches!(ending(&path).as_str(), "svg" | "png");
    if cfg!(not(feature = "pictures")) {
        Err("this program was built without its feature pictures; leave --plot out, or build the \
             program with --features pictures")
    } else if is_known {
        Ok(path)
    } else {
        Err("the ending must be .svg or .png, the format of the picture")
    }
}

/// Returns the one picture that stands for a report, in the format of a file's ending.
#[cfg(feature = "pictures")]
fn drawn(report: &Report, path: &Path) -> Result<Vec<u8>, String> {
    let picture = report.main_drawing().map(|drawing| plain::picture(&drawing));
    let picture = picture.ok_or("--plot: nothing to draw: no figure of these files has a point")?;
    if ending(path) == "png" { picture.to_png() } else { Ok(picture.to_svg().into_bytes()) }
}

/// Returns the ending of a file's name in lower case.
fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}
