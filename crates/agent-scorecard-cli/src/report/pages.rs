//! The page of each subcommand, made of its JSON output.

mod budget;
pub(crate) mod common;
mod run;
mod traces;

use crate::report::{figure::Figures, page::Page, table::Output};

/// What makes the figures that follow from the numbers of an output, if a subcommand has some.
pub(crate) fn figures(subcommand: &str) -> Option<fn(Output<'_>) -> Figures> {
    match subcommand {
        "cut-off" => Some(traces::cut_off_figures),
        "budget" => Some(budget::figures),
        _ => None,
    }
}

/// The page of a subcommand.
///
/// # Errors
///
/// For a subcommand without a page.
pub(crate) fn page(subcommand: &str, output: Output<'_>) -> Result<Page, String> {
    Ok(match subcommand {
        "traces" => traces::page(output),
        "calibration" => traces::calibration_page(output),
        "cut-off" => traces::cut_off_page(output),
        "budget" => budget::page(output),
        "run" => run::page(output),
        _ => return Err(format!("--html: {subcommand} has no page")),
    })
}
