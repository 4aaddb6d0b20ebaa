//! The page of each subcommand, made of its JSON output.

pub(crate) mod common;
mod run;

use crate::report::{page::Page, table::Output};

/// The page of a subcommand.
///
/// # Errors
///
/// For a subcommand without a page.
pub(crate) fn page(subcommand: &str, output: Output<'_>) -> Result<Page, String> {
    Ok(match subcommand {
        "run" => run::page(output),
        _ => return Err(format!("--html: {subcommand} has no page")),
    })
}
