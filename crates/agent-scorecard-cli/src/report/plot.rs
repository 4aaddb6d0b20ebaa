//! The one picture that stands for a report, as a file.

use agent_scorecard::Report;

use crate::{
    plain,
    report::picture::{png_file, svg_file},
};

/// Returns the picture of a report in the format of a file's ending.
///
/// # Errors
///
/// If there is nothing to draw.
pub(super) fn file(report: &Report, ending: &str) -> Result<Vec<u8>, String> {
    let picture = report.main_drawing().map(|drawing| plain::picture(&drawing));
    let picture = picture.ok_or("--plot: nothing to draw: no figure of these files has a point")?;
    if ending == "png" { png_file(&picture) } else { Ok(svg_file(&picture).into_bytes()) }
}
