//! The page of each subcommand, made of its JSON output.

pub(crate) mod common;
mod cut_off;

use crate::report::{figure::Figures, page::Page, table::Output};

/// What makes the figures that follow from the numbers of an output, if a subcommand has some.
pub(crate) fn figures(subcommand: &str) -> Option<fn(Output<'_>) -> Figures> {
    match subcommand {
        "cut-off" => Some(cut_off::figures),
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
        "cut-off" => cut_off::page(output),
        _ => return Err(format!("--html: {subcommand} has no page")),
    })
}
